"""Lines of a live table: where a line is wrong, what was found there, and which rule says what would be right."""

import pytest

from services.table.game.live import HOW, BadLine, CoupRead, read, read_coup

LONG = "X" * 30


def bad(text: str) -> BadLine:
    found = read_coup(1, text)
    assert isinstance(found, BadLine)
    return found


@pytest.mark.parametrize("field", [1, 2, 3, 4])
def test_each_of_the_first_four_cards_must_be_there(field: int) -> None:
    cards = ["C.7", "C.8", "H.11", "D.7", "", ""]
    cards[field - 1] = ""

    found = bad(",".join(cards))

    assert (found.field, found.found, found.what, found.right) == (field, "", "a card is missing", HOW)


def test_of_what_is_no_card_twenty_characters_are_told() -> None:
    of_a_card, of_a_field = bad(f"C.7,{LONG},H.11,D.7,,"), bad(f"C.7,C.8,H.11,D.7,,,{LONG}")

    assert (of_a_card.found, of_a_card.what) == (LONG[:20], f"{LONG[:20]!r} is no card")
    assert (of_a_field.field, of_a_field.found, of_a_field.what) == (7, LONG[:20], "7 fields")


def test_fields_that_are_too_few_end_before_the_next_and_too_many_with_the_first_of_them() -> None:
    few, many = bad("C.7,C.8,H.11,D.7,"), bad("C.7,C.8,H.11,D.7,,,C.2,C.3")

    assert (few.field, few.found, few.what) == (6, "", "5 fields")
    assert (many.field, many.found, many.what) == (7, "C.2", "8 fields")
    assert str(few) == "line 1, field 6 (Banker's third): 5 fields; right: six, an empty one for no card"
    assert str(many) == "line 1, field 7: 8 fields; right: six, an empty one for no card"


@pytest.mark.parametrize(
    ("line", "field", "right"),
    [
        # One natural is enough to end the coup, whichever hand has it.
        ("9c,2d,Kc,Kd,,5h", 6, "nothing: Player has a natural 9: no more cards"),
        ("2c,9d,Kc,Kd,5h,", 5, "nothing: Banker has a natural 9: no more cards"),
        # Banker's rule asks for Player's first two cards and his third, not for the three together.
        ("2c,7d,3c,Kd,3h,2s", 6, "nothing: Banker stands on 7 against a 3"),
        ("2c,Kd,3c,5d,4h,", 6, "a card: Banker draws on 5 against a 4"),
        ("2c,Kd,3c,5d,3h,2s", 6, "nothing: Banker stands on 5 against a 3"),
    ],
)
def test_a_third_card_is_held_against_the_rule_that_gives_or_denies_it(line: str, field: int, right: str) -> None:
    found = bad(line)

    assert (found.field, found.right) == (field, right)


@pytest.mark.parametrize(
    ("lines", "field"),
    [
        (["9c,2d,Kc,Kd,,", "9c,3d,Kh,Ks,,"], 1),
        (["2c,3c,4h,4d,,", "5d,Kd,Qh,Ks,2c,3d"], 5),
        (["2c,3c,Kh,4d,3s,", "6d,Kd,Qh,5s,,2c"], 6),
        (["2c,3c,Kh,4d,3s,", "5d,Kd,Qh,Ks,4s,2c"], 6),
    ],
)
def test_a_card_that_comes_too_often_is_found_in_its_own_field(lines: list[str], field: int) -> None:
    *_, last = read(lines, decks=1)

    assert isinstance(last, BadLine)
    assert (last.line, last.field, last.right) == (2, field, "a card that is left")


def test_a_card_is_counted_once_a_deck() -> None:
    assert all(isinstance(found, CoupRead) for found in read(["9c,2d,Kc,Kd,,"] * 2, decks=2))
