"""The page on writing a rule set is typed as it stands, beside an open house, and shows what it says it shows."""

import re

import pytest

from services.table.game.rules import FACTS
from tests.databases import scratch_directory
from tests.house.opened import start, stop
from tests.house.test_readme import Typed, masked, run, typed
from tests.style.checkout import ROOT

PAGE = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
EXAMPLES = ("saturday.toml", "club.toml")


@pytest.fixture(scope="module")
def said() -> list[tuple[Typed, str]]:
    """Every command with what the page shows and what it really prints."""
    commands = list(typed(PAGE))
    written = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    with scratch_directory() as scratch:
        data, work = scratch / "house", scratch / "work"
        work.mkdir()
        for name, example in zip(EXAMPLES, written, strict=True):
            (work / name).write_text(example, encoding="utf-8")
        opened = start(data)
        try:
            printed = run([each.command for each in commands], opened=opened, data=data, directory=work)
        finally:
            stop(opened)
    return list(zip(commands, printed, strict=True))


def test_every_command_prints_what_the_page_shows(said: list[tuple[Typed, str]]) -> None:
    for each, printed in said:
        assert masked(printed) == masked(each.shown), f"$ {each.command}"


def test_the_example_is_sound_and_a_table_opens_with_it(said: list[tuple[Typed, str]]) -> None:
    assert "sound" in said[0][1]
    assert any('"stream":"table/s1","version":1' in printed for _, printed in said)


def test_the_page_names_every_fact_of_a_coup_at_one_tableau() -> None:
    named = set(re.findall(r"`(\w+)`", PAGE.partition("| fact |")[2].partition("\n\n")[0]))

    assert named == {fact for fact in FACTS if not fact.startswith(("right_", "left_"))}
