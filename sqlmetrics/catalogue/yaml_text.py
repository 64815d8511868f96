"""Read YAML of settings and metric files, and reject repeated keys.

PyYAML itself silently keeps the last value of a repeated key.
"""

from __future__ import annotations

from typing import Any

import yaml

# The libyaml parser is ten times as fast as the pure Python one, but not in every build of PyYAML.
YAML_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
YAML_DUMPER: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


class RepeatedKey(ValueError):
    """A mapping holds a key twice."""


def read_yaml(text: str) -> Any:
    """Parse a YAML document.

    >>> read_yaml("a: [1, 2]")
    {'a': [1, 2]}
    >>> read_yaml("a: {b: 1, b: 2}")
    Traceback (most recent call last):
    ...
    sqlmetrics.catalogue.yaml_text.RepeatedKey: 'b' is given twice, the second time in line 1

    Raises:
        RepeatedKey: A mapping at any depth holds a key twice.
        yaml.YAMLError: The text is not valid YAML, or nested too deeply for libyaml or Python.
    """
    try:
        return yaml.load(text, _Loader)
    except (RecursionError, yaml.MarkedYAMLError) as error:
        # libyaml reports nesting itself since PyYAML 6.0.4.
        if isinstance(error, yaml.MarkedYAMLError) and "nesting" not in str(error.problem):
            raise
        raise yaml.YAMLError("nested too deeply") from error


class _Loader(YAML_LOADER):  # type: ignore[misc]
    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """Check for repeated keys before merges (`<<`), whose keys may be overridden."""
        names = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                name = key.value if key.tag == "tag:yaml.org,2002:merge" else self.construct_object(key)
                if name in names:
                    raise RepeatedKey(f"{name!r} is given twice, the second time in line {key.start_mark.line + 1}")
                names.add(name)
        mapping: dict[Any, Any] = super().construct_mapping(node, deep)
        return mapping
