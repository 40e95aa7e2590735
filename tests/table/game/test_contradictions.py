"""Contradictions: rungs that are never reached are refused, rungs whose order decides warned about, with the reason."""

from typing import Any

import pytest
from msgspec.structs import asdict

from schemas.rules import Rules
from services.table.game.contradictions import contradictions, coups_of, warnings
from services.table.game.deals import deals
from services.table.game.paytable import first_match, ladder_of
from services.table.game.rules import builtin, names, with_side_bets
from tests.table.game.sitting import limited, ruled

Rung = dict[str, Any]


def paying(*ladder: Rung, decks: int = 8) -> Rules:
    rungs = [{**rung, "pays": f"{number}/1"} for number, rung in enumerate(ladder, 2)]
    return ruled("simplified", bets={"lucky": {"ladder": rungs}}, procedure={"decks": decks, "cut": 14})


@pytest.mark.parametrize(
    ("ladder", "complaint"),
    [
        (
            [{"winner": "tie"}, {"winner": "tie", "player": 6}],
            "ladder[1]: never reached, for bets.lucky.ladder[0] pays all that it asks for; move it up, or leave it out",
        ),
        (
            [{"winner": "tie"}, {"margin": 0}],
            "ladder[1]: never reached, for bets.lucky.ladder[0] pays all that it asks for; move it up, or leave it out",
        ),
        (
            [{"winner": "player"}, {"winner": "banker"}, {"winner": ["player", "banker"], "margin": 4}],
            (
                "ladder[2]: never reached, for bets.lucky.ladder[0] and bets.lucky.ladder[1] pay all that it asks for; "
                "move it up, or leave it out"
            ),
        ),
        (
            [
                {"winner": "tie"},
                {"winner": "player"},
                {"winner": "banker"},
                {"winner": ["player", "banker"], "margin": 4},
            ],
            (
                "ladder[3]: never reached, for bets.lucky.ladder[1] and bets.lucky.ladder[2] pay all that it asks for; "
                "move it up, or leave it out"
            ),
        ),
        (
            [{"winner": "tie"}, {"winner": "player"}, {"winner": "banker"}, {}],
            (
                "ladder[3]: never reached, for bets.lucky.ladder[0] and bets.lucky.ladder[1] and bets.lucky.ladder[2] "
                "pay all that it asks for; move it up, or leave it out"
            ),
        ),
        (
            [{"player": 6}, {"winner": "tie"}, {"winner": "tie", "banker": [6, 7]}],
            "ladder[2]: never reached, for bets.lucky.ladder[1] pays all that it asks for; move it up, or leave it out",
        ),
        (
            [{"player": total} for total in range(4)] + [{"player": [0, 1, 2, 3], "banker": 9}],
            (
                "ladder[4]: never reached, for bets.lucky.ladder[0] and bets.lucky.ladder[1] and bets.lucky.ladder[2] "
                "and bets.lucky.ladder[3] pay all that it asks for; move it up, or leave it out"
            ),
        ),
        (
            [{"player": total} for total in range(5)] + [{"player": [0, 1, 2, 3, 4], "banker": 9}],
            "ladder[5]: never reached, for 5 rungs before it pay all that it asks for; move it up, or leave it out",
        ),
        (
            [{}, {"winner": "tie"}],
            "ladder[1]: never reached, for bets.lucky.ladder[0] pays all that it asks for; move it up, or leave it out",
        ),
        (
            [{"winner": "tie", "margin": 3}],
            "ladder[0]: no coup of 8 decks has both winner tie and margin 3; leave it out, or ask for less",
        ),
        (
            [{"natural": ["player", "both"], "player_cards": 3}],
            (
                "ladder[0]: no coup of 8 decks has both natural player or both and player_cards 3; "
                "leave it out, or ask for less"
            ),
        ),
        (
            [{"winner": "banker", "banker": 4, "banker_cards": 2, "player_cards": 2}],
            (
                "ladder[0]: no coup of 8 decks has winner banker, banker 4, banker_cards 2, player_cards 2 together; "
                "leave it out, or ask for less"
            ),
        ),
    ],
)
def test_a_rung_that_is_never_reached_is_refused_with_the_reason(ladder: list[Rung], complaint: str) -> None:
    assert contradictions(paying(*ladder)) == [f"bets.lucky.{complaint}"]


def test_a_suited_pair_is_out_of_reach_of_one_deck() -> None:
    asked = {"player_pair": "suited"}

    assert contradictions(paying(asked, decks=2)) == []
    assert contradictions(paying(asked, decks=1)) == [
        "bets.lucky.ladder[0]: no coup of 1 deck has player_pair suited; leave it out, or ask for less"
    ]


@pytest.mark.parametrize(("decks", "told"), [(1, "1 deck"), (2, "2 decks"), (3, "3 decks")])
def test_decks_are_counted_in_words(decks: int, told: str) -> None:
    (complaint,) = contradictions(paying({"winner": "tie", "margin": 3}, decks=decks))

    assert complaint.startswith(f"bets.lucky.ladder[0]: no coup of {told} has both")


def test_a_rung_that_an_earlier_one_covers_is_refused_and_not_warned_about_too() -> None:
    assert warnings(paying({"winner": "tie"}, {"winner": "tie", "player": 6})) == []


def test_two_rungs_that_overlap_are_warned_about_with_a_coup_that_both_would_pay() -> None:
    (warning,) = warnings(paying({"winner": "banker"}, {"banker": 6}))

    assert warning == (
        "bets.lucky.ladder[1]: shares coups with bets.lucky.ladder[0], and neither contains the other, "
        "so their order decides: winner banker, banker 6 is paid 2/1; ask for facts that keep them apart"
    )


@pytest.mark.parametrize("number", [0, 1, 900])
def test_two_rungs_that_share_a_single_coup_are_warned_about(number: int) -> None:
    coup = asdict(list(deals(8))[number])
    player = coup | {"player_pair": ["none", "mixed", "suited"], "pairs": ["none", "one", "two", "alike"]}
    banker = coup | {"cards": [4, 5, 6], "player_cards": [2, 3], "player": list(range(10)), "margin": list(range(10))}
    banker |= {"winner": ["player", "banker", "tie"], "natural": ["none", "player", "banker", "both"]}

    (warning,) = warnings(paying(player, banker))

    assert f"player {coup['player']}, banker {coup['banker']}" in warning


@pytest.mark.parametrize(
    "ladder",
    [
        [{"winner": "banker", "banker": 6}, {"winner": "banker"}],
        [{"winner": "banker"}, {"winner": "player"}],
        [{"player_pair": "suited", "banker_pair": "suited"}, {"player_pair": "suited"}, {"banker_pair": "suited"}],
    ],
)
def test_a_special_case_before_a_rung_and_rungs_kept_apart_are_what_they_should_be(ladder: list[Rung]) -> None:
    assert contradictions(paying(*ladder)) == warnings(paying(*ladder)) == []


def needing(**needs: str | None) -> Rules:
    """Give rules of these bets beside player, banker and tie; each needs one other, or none."""
    ladder = [{"winner": "tie", "pays": "8/1"}]
    bets = {bet: {"ladder": ladder} | ({} if other is None else {"needs": [other]}) for bet, other in needs.items()}
    return ruled("simplified", bets=bets)


def test_bets_that_need_one_another_in_a_circle_are_refused_for_none_is_ever_the_first() -> None:
    complaint = (
        "bets.{}.needs: nobody could place it, for {} cannot stand before it; name one that stands by itself: {}"
    )

    assert contradictions(needing(a="b", b="c", c="b", d=None)) == [
        complaint.format(bet, needed, "banker, d, player, tie") for bet, needed in ("ab", "bc", "cb")
    ]
    assert contradictions(needing(a="b", b="c", c="tie")) == []


def test_no_bet_against_the_house_is_called_as_a_players_bank() -> None:
    assert contradictions(needing(bank=None)) == [
        "bets.bank: the bank is a player's, and here the house banks; another name"
    ]


def test_a_bet_offered_without_what_it_needs_is_warned_about() -> None:
    rules = needing(a="b", b="c", c=None)

    assert warnings(rules, limited(dict.fromkeys("abc", (1, 10)))) == []
    assert warnings(rules, limited(dict.fromkeys("ab", (1, 10)))) == [
        "limits.bets.a: nobody could place it, for it needs b; offer that too",
        "limits.bets.b: nobody could place it, for it needs c; offer that too",
    ]


def at_two_tableaux(*ladder: Rung, **procedure: Any) -> Rules:
    return ruled("banque", bets={"cheval": {"ladder": list(ladder)}}, procedure=procedure)


def test_at_two_tableaux_too_a_rung_is_refused_that_is_never_reached_and_warned_about_whose_order_decides() -> None:
    right, left = ({f"{side}_winner": ["player", "tie"], "pays": "0/1"} for side in ("right", "left"))
    both = {"right_winner": "player", "left_winner": "player", "pays": "1/1"}

    (complaint,) = contradictions(at_two_tableaux(right, both))
    (warning,) = warnings(at_two_tableaux(right, left | {"pays": "1/2"}))

    assert complaint.startswith("bets.cheval.ladder[1]: never reached, for bets.cheval.ladder[0] pays all that it asks")
    assert "decides: right_winner player, left_winner player is paid 0/1; ask for facts that keep them apart" in warning
    assert warnings(at_two_tableaux(both, right, left)) == []


def test_of_two_rungs_that_overlap_and_pay_alike_it_is_not_said_that_their_order_decides() -> None:
    rungs = [{"winner": "banker", "pays": "2/1"}, {"banker": 6, "pays": "2/1"}]

    (warning,) = warnings(ruled("simplified", bets={"lucky": {"ladder": rungs}}))

    assert "neither contains the other, though both pay alike: winner banker, banker 6 is paid 2/1; ask" in warning


@pytest.mark.parametrize(("cut", "warned"), [(16, True), (17, False)])
def test_at_two_tableaux_the_longest_coup_has_nine_cards(cut: int, *, warned: bool) -> None:
    told = warnings(at_two_tableaux({"right_winner": "player", "pays": "1/1"}, cut=cut, after_cut="one-more"))

    why = f"procedure.cut: {cut} cards may be too few: the coup in which the cut card comes out takes up to 8 of them"
    assert [warning.startswith(why) for warning in told] == [True] * warned


@pytest.mark.parametrize("name", names())
def test_no_rule_set_of_the_house_is_doubtful(name: str) -> None:
    book = builtin(name)

    assert contradictions(book.rules) == warnings(book.rules, book.limits) == []


def test_the_side_bets_of_the_house_neither_contradict_themselves_nor_hang_on_an_order() -> None:
    every = with_side_bets(builtin("simplified").rules)

    assert len(every.bets) == 42
    assert contradictions(every) == warnings(every) == []


@pytest.mark.parametrize(
    ("cut", "after_cut", "warned"), [(10, "one-more", True), (11, "one-more", False), (6, "finish", False)]
)
def test_a_cut_card_behind_which_a_coup_may_run_out_is_warned_about(cut: int, after_cut: str, *, warned: bool) -> None:
    told = warnings(ruled(procedure={"cut": cut, "after_cut": after_cut}))

    assert [warning.startswith(f"procedure.cut: {cut} cards may be too few") for warning in told] == [True] * warned


def test_limits_under_which_a_bet_could_never_be_placed_are_warned_about() -> None:
    rules = builtin("punto-banco").rules

    assert warnings(rules, limited({"player": (500, 1000), "tie": (100, 200)}, patron=200)) == [
        "limits.bets.player.min: 500 is above limits.patron, 200; nobody could place it"
    ]
    assert warnings(rules, limited({"tie": (100, 200)}, patron=100, table=100)) == []
    assert warnings(rules, limited({"player": (100, 200)}, differential=100)) == []
    assert warnings(rules, limited({"tie": (100, 200)}, differential=5)) == [
        "limits.differential: neither player nor banker is offered; leave it out"
    ]
    assert warnings(rules, limited({"banker": (100, 200)}, table=100, differential=99)) == [
        "limits.bets.banker.min: 100 is above limits.differential, 99; the first stake could not be placed"
    ]


def test_coups_are_found_as_a_pay_table_finds_them() -> None:
    rungs: list[Rung] = [
        {"winner": ["player", "tie"], "pairs": ["one", "alike"], "pays": "1/1"},
        {"natural": "none", "cards": [5, 6], "margin": [1, 2, 3], "pays": "1/1"},
    ]
    for rung in rungs:
        ladder = ladder_of(ruled("simplified", bets={"lucky": {"ladder": [rung]}}).bets["lucky"])
        bits = coups_of(8).of_rung(rung)

        assert [bool(bits >> number & 1) for number in range(len(deals(8)))] == [
            first_match(ladder, facts) is not None for facts in deals(8)
        ]
