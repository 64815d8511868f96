"""The shell's `-c FILE`: options from a YAML file, which the command line overrides."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import yaml

from ..catalogue.yaml_text import RepeatedKey, read_yaml
from ..errors import BadParameter, did_you_mean, shown
from .help import long_name

#: Exclusive options: either one on the command line overrides both in the -c file.
_EXCLUSIVE = (("by", "grouping"), ("output", "format"))


def settings_of(context: click.Context) -> dict[str, Any]:
    """Merge the options of the -c file and of the command line, which has priority."""
    options = context.params
    if options["config"] is None:
        return options
    written = [name for name in options if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE]
    from_file = _read_config(context, options["config"])
    for pair in _EXCLUSIVE:
        if any(name in written for name in pair):
            for name in pair:
                from_file.pop(name, None)
    return {**options, **from_file, **{name: options[name] for name in written}}


def _read_config(context: click.Context, path: str) -> dict[str, Any]:
    try:
        content = read_yaml(Path(path).read_text(encoding="utf-8"))
    except RepeatedKey as error:
        raise BadParameter(f"{path}: {error}; several values are a list, as in [a, b]") from error
    except UnicodeDecodeError as error:
        raise BadParameter(f"{path}: not UTF-8 text") from error
    except (yaml.YAMLError, ValueError) as error:  # a number of too many digits is a ValueError
        raise BadParameter(f"{path}: not YAML: {' '.join(str(error).split())}") from error
    if not isinstance(content, dict):
        raise BadParameter(f"{path}: the file must hold `option: value` lines")
    options = {long_name(option): option for option in context.command.params if option.name != "config"}
    settings: dict[str, Any] = {}
    for written, value in content.items():
        key = str(written).replace("_", "-")
        if key not in options:
            raise BadParameter(f"{path}: there is no option {str(written)!r}{did_you_mean(key, options)}")
        name = str(options[key].name)
        if name in settings:
            raise BadParameter(f"{path}: {key} is given twice")
        if value is None:
            continue
        several = key == "by" and isinstance(value, list) and any(isinstance(entry, list) for entry in value)
        if several and not all(isinstance(entry, list) for entry in value):
            raise BadParameter(f"{path}: by is a list of columns, or a list of such lists; not a mixture")
        if several and "grouping" in content:
            raise BadParameter(f"{path}: give by or grouping, not both")
        settings["grouping" if several else name] = _config_value(context, f"{path}: {key}", options[key], value)
    return settings


def _config_value(context: click.Context, where: str, option: click.Parameter, value: Any) -> Any:
    if isinstance(option, click.Option) and option.is_flag:
        if not isinstance(value, bool):
            raise BadParameter(f"{where} must be true or false, not {shown(value)}")
        return value
    if option.multiple or option.nargs == -1:
        entries = value if isinstance(value, list) else [value]
        return [_config_entry(context, where, option, entry) for entry in entries]
    return _config_entry(context, where, option, value)


def _config_entry(context: click.Context, where: str, option: click.Parameter, value: Any) -> Any:
    if option.name == "metrics" and isinstance(value, dict):
        # A metric holds plain values, or dicts of these for the columns of classes.
        for name, member in value.items():
            inner = member.values() if isinstance(member, dict) else [member]
            if any(isinstance(entry, dict | list) for entry in inner):
                raise BadParameter(f"{where}: {shown(name)} must be one value, not {shown(member)}")
        return value
    types: tuple[type, ...] = (str,)
    expected, advice = "text", "; put it in quotes"
    if isinstance(option.type, click.IntRange):
        types, expected, advice = (int,), "a whole number", ""
    elif option.type is click.FLOAT:
        types, expected, advice = (int, float, str), "a number", ""
    is_grouping = option.name in ("by", "grouping") and isinstance(value, list)
    for entry in value if is_grouping else [value]:
        if isinstance(entry, bool) or not isinstance(entry, types):
            raise BadParameter(f"{where} must be {expected}, not {shown(entry)}{advice}")
    if is_grouping:
        return value
    try:
        return option.type.convert(value, option, context)
    except click.BadParameter as error:
        raise BadParameter(f"{where}: {error.message}") from error
