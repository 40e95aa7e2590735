"""Which variables of the environment the services and the commands read."""

from collections.abc import Iterator, Mapping
from typing import Any

import click


class Asked(dict[str, str]):
    """An environment that remembers what was looked for in it."""

    def __init__(self, given: Mapping[str, str]) -> None:
        super().__init__(given)
        self.names: set[str] = set()

    def get(self, key: str, default: Any = None) -> Any:
        """Give what is there."""
        self.names.add(key)
        return super().get(key, default)


def variables_of(command: click.Command) -> Iterator[str]:
    """What a command, and those below it, read from the environment."""
    for parameter in command.params:
        names = parameter.envvar or []
        yield from [names] if isinstance(names, str) else names
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            yield from variables_of(below) if below else ()
