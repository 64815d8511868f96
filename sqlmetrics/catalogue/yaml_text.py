"""YAML as people write it into settings and metric files, where a key that stands twice is a slip.

YAML's own readers keep the last of the two without a word.
"""

from __future__ import annotations

from typing import Any

import yaml

# The engines' own YAML parser is ten times the pure Python one; PyYAML has it wherever it was built with libyaml.
YAML_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
YAML_DUMPER: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


class RepeatedKey(ValueError):
    """A key that a mapping holds twice."""


class NestedTooDeeply(ValueError):
    """What no reader follows to its end."""


def read_yaml(text: str) -> Any:
    """What the text holds.

    >>> read_yaml("a: [1, 2]")
    {'a': [1, 2]}
    >>> read_yaml("a: {b: 1, b: 2}")
    Traceback (most recent call last):
    ...
    sqlmetrics.catalogue.yaml_text.RepeatedKey: 'b' is given twice, the second time in line 1

    Raises:
        RepeatedKey: A mapping at any depth holds a key twice.
        NestedTooDeeply: libyaml or Python gives it up.
        yaml.YAMLError: It is no YAML.
    """
    loader = YAML_LOADER(text)
    try:
        top = loader.get_single_node()
        if top is None:
            return None
        _check_keys(loader, top)
        return loader.construct_document(top)
    except RecursionError as error:
        raise NestedTooDeeply("nested too deeply") from error
    except yaml.MarkedYAMLError as error:
        if "nesting" not in str(error.problem):  # libyaml, since PyYAML 6.0.4
            raise
        raise NestedTooDeeply("nested too deeply") from error
    finally:
        loader.dispose()


def _check_keys(loader: Any, top: Any) -> None:
    """Before anything is merged (`<<`), for what is merged may be overridden. An alias is what it stands for."""
    left, seen = [top], {id(top)}
    while left:
        node = left.pop()
        inner = []
        if isinstance(node, yaml.SequenceNode):
            inner = node.value
        elif isinstance(node, yaml.MappingNode):
            known = set()
            for key, value in node.value:
                inner += [key, value]
                if isinstance(key, yaml.ScalarNode):
                    name = key.value if key.tag == "tag:yaml.org,2002:merge" else loader.construct_object(key)
                    if name in known:
                        raise RepeatedKey(f"{name!r} is given twice, the second time in line {key.start_mark.line + 1}")
                    known.add(name)
        for one in inner:
            if id(one) not in seen:
                seen.add(id(one))
                left.append(one)
