"""Whatever a page tells its reader to type exists."""

import importlib
import importlib.util
from pathlib import Path

import click
import pytest

from tests.style.checkout import kept_files, read, told
from tests.style.readme import Commands, made_targets, named_commands, named_targets, unknown_commands

PAGES = [path for path in kept_files() if path.suffix == ".md"]


def commands_below(command: click.Command) -> Commands:
    """The commands of a group, each with those below it."""
    if not isinstance(command, click.Group):
        return {}
    context = click.Context(command)
    found = ((name, command.get_command(context, name)) for name in command.list_commands(context))
    return {name: commands_below(one) for name, one in found if one is not None}


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_every_target_that_a_page_names_exists(page: Path) -> None:
    found = [
        f"{page}: names `make {target}`, which the Makefile does not have"
        for target in sorted(named_targets(read(page)) - made_targets(read(Path("Makefile"))))
    ]

    assert not found, told(found)


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_every_command_that_a_page_names_exists(page: Path) -> None:
    named = named_commands(read(page))
    if named and not importlib.util.find_spec("services.house.cli"):
        pytest.skip("the command line is not built yet")
    known = commands_below(importlib.import_module("services.house.cli").main) if named else {}

    found = [f"{page}: names `shoelog {words}`, which is no command" for words in unknown_commands(named, known)]

    assert not found, told(found)


def test_an_unknown_target_is_found() -> None:
    page = "Run `make run`.\n\n```console\n$ make soup ARGS=-x\n```\nYou make tea here.\n"

    assert named_targets(page) - made_targets("run: setup\n\techo\nBIN := x\n") == {"soup"}


def test_an_unknown_command_is_found() -> None:
    page = (
        "`shoelog deal --now`\n\n```sh\n.venv/bin/shoelog table serve\nshoelog table sing\nshoelog verify a.zip\n```\n"
    )
    known: Commands = {"table": {"serve": {}}, "verify": {}}

    assert unknown_commands(named_commands(page), known) == ["deal", "table sing"]
