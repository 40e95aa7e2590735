"""The format page says what the structs say."""

import re
from pathlib import Path
from typing import get_args

import msgspec

from schemas import rules, words
from schemas.bundle import LIMITS_BYTES, Manifest
from schemas.entry import Entry
from schemas.events import AnyEvent, Line

PAGE = (Path(__file__).parents[2] / "schemas" / "README.md").read_text(encoding="utf-8")
GOLDEN = Path(__file__).parents[2] / "schemas" / "golden"


def fields(shape: type[msgspec.Struct]) -> list[str]:
    """A struct's fields in order, those that may be absent marked."""
    return [field.encode_name + "?" * (not field.required) for field in msgspec.structs.fields(shape)]


def rows(begins: str) -> dict[str, list[str]]:
    """The rows of the tables with this first heading: the first cell's code, and the codes in the second."""
    found = {}
    for table in re.findall(rf"^\| {begins} \|.*\n\|[-|]+\|\n((?:\|.*\n)+)", PAGE, re.MULTILINE):
        for row in table.splitlines():
            first, second = re.split(r"(?<!\\)\|", row)[1:3]
            found[first.strip().strip("`")] = re.findall(r"`([^`]+)`", second)
    return found


def test_the_page_lists_every_event_with_its_fields_in_order() -> None:
    assert rows("type") == {str(event.__struct_config__.tag): fields(event) for event in get_args(AnyEvent)}


def test_the_page_lists_the_parts_of_a_rule_set_in_order() -> None:
    assert rows("part") == {
        "rules": fields(rules.Rules),
        "procedure": fields(rules.Procedure),
        "winnings": fields(rules.Rounding),
        "commission": fields(rules.Commission),
        "a bet": fields(rules.Bet),
        "levy": fields(rules.Levy),
        "bank": fields(rules.BankRules),
        "stakes": fields(rules.StakeRules),
        "play": fields(rules.Play),
        "clocks": fields(rules.Clocks),
        "limits": fields(rules.Limits),
        "limits of a bet": fields(rules.BetLimits),
    }


def test_the_page_lists_the_keys_of_an_entry_in_order() -> None:
    keys = [key for key in rows("key") if key in fields(Entry)]

    assert keys[:9] == fields(Entry)


def test_the_page_tells_the_items_of_a_list_in_order() -> None:
    assert f"`{{{', '.join(fields(words.Carried))}}}`" in PAGE
    assert f"`{{{', '.join(fields(Line))}}}`" in PAGE
    assert f"`{{{', '.join(fields(words.Seated))}}}`" in PAGE
    assert f"`{{{', '.join(fields(words.Winners))}}}`" in PAGE
    assert f"at most {words.ITEMS_PER_ENTRY} an entry" in PAGE


def test_the_page_lists_the_members_of_a_bundle_and_the_keys_of_its_manifest() -> None:
    keys = [name for key in rows("key of the manifest") for name in re.split(r"` `", key)]

    assert list(rows("member")) == list(LIMITS_BYTES)
    assert keys == [name for name in Manifest.__struct_fields__ if name != "round"]


def test_the_example_on_the_page_is_a_golden_entry() -> None:
    assert (GOLDEN / "bet-placed-1.json").read_text(encoding="utf-8") in PAGE.splitlines()
