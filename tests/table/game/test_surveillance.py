"""Surveillance: coups in the patron's favour by the cards seen before, and stakes in and out of them."""

from fractions import Fraction
from typing import Any

from schemas.events import CardsBurned
from schemas.rules import Rules
from services.table.game import play
from services.table.game.deals import unseen_after
from services.table.game.odds import odds_of
from services.table.game.surveillance import Watch, Watched
from tests.table.game.sitting import ANNA, BERT, BOTH, Sitting, limited, ruled

WIDE = limited({"player": (1, 10**6), "banker": (1, 10**6), "tie": (1, 10**6), "pairs": (1, 10**6)})
MAIN = limited({"player": (1, 10**6), "banker": (1, 10**6), "tie": (1, 10**6)})
COUP = ["9d", "Kd", "9h", "Qc"]  # Player 8, a pair of nines; Banker 0
OTHER = ["Kh", "8d", "Ac", "Js"]


def of_one_deck(**bets: Any) -> Rules:
    procedure = {"decks": 1, "burn": "none", "cut": 14, "after_cut": "finish"}
    return ruled("punto-banco", procedure=procedure, bets=bets)


def watch(sitting: Sitting) -> Watched:
    found = Watch("b1")
    found.hear(sitting.chapter)
    return found.told()


def test_a_bet_in_the_favour_of_patrons_is_told_with_its_exact_edge_and_what_was_staked_on_it() -> None:
    sitting = Sitting(ruled("simplified"), MAIN).buy(anna=1000, bert=1000).shoe(COUP)
    sitting.coup(("anna", "banker", 100), ("bert", "player", 50), ("anna", "tie", 10))

    seen = watch(sitting)

    (coup,) = seen.favourable
    (favour,) = coup.bets
    assert (seen.table, seen.shoe, seen.rules, seen.currency, seen.coups) == ("b1", 1, "simplified", "EUR", 1)
    assert (coup.round, favour.bet, coup.staked_in_favour, coup.staked) == (1, "banker", 100, 160)
    burned = next(event for event in sitting.chapter if isinstance(event, CardsBurned))
    unseen = unseen_after(8, [burned.card])
    edge = odds_of(sitting.table.rules, unseen, left=416 - burned.count).bets["banker"].edge
    assert edge < 0
    assert Fraction(favour.edge_fraction) == edge


def test_cards_are_counted_as_they_are_seen_and_not_as_they_lie_in_the_shoe() -> None:
    # With a pair paid 16 to 1, one deck of 3/51 is just against the patron, and what the first coup leaves is not.
    pairs = {"ladder": [{"player_pair": ["mixed", "suited"], "pays": "16/1"}]}
    seen_before = ["Ac", "Kd", "Qh", "Js", "Th"]
    for front in (seen_before, [*seen_before[:4], "Td"]):
        sitting = Sitting(of_one_deck(pairs=pairs), WIDE).buy(anna=1000).shoe([*front, "5s", *COUP])
        sitting.coup(("anna", "pairs", 5))
        dealt = [event.card for event in sitting.chapter if hasattr(event, "card")]
        sitting.coup(("anna", "pairs", 7))

        edge = odds_of(sitting.table.rules, unseen_after(1, dealt), left=52 - len(dealt)).bets["pairs"].edge

        assert [coup.round for coup in watch(sitting).favourable] == [2] * (edge < 0)


def test_stakes_in_and_out_of_such_coups_are_told_apart_for_each_patron_and_bet() -> None:
    sure = {"ladder": [{"winner": ["player", "banker", "tie"], "pays": "1/100"}]}
    hopeless = {"ladder": [{"winner": "tie", "player": 9, "pays": "1/100"}]}
    generous, mean = of_one_deck(pairs=sure), of_one_deck(pairs=hopeless)
    tallies = []
    for rules in (generous, mean):
        sitting = Sitting(rules, WIDE).buy(zoe=1000, anna=1000).shoe([*COUP, *OTHER])
        sitting.coup(("zoe", "pairs", 10), ("zoe", "tie", 1), ("anna", "tie", 2))
        sitting.coup(("zoe", "pairs", 20))
        seen = watch(sitting)
        anna, zoe = seen.patrons
        assert (anna.patron, zoe.patron) == ("anna", "zoe")
        tallies.append([(t.coups, t.staked) for t in (zoe.in_favour, zoe.otherwise, anna.in_favour, anna.otherwise)])
        assert zoe.bets["tie"].otherwise.staked == 1
        assert zoe.bets["pairs"].in_favour.staked == (30 if rules is generous else 0)
        assert zoe.bets["pairs"].otherwise.coups == (0 if rules is generous else 2)

    assert tallies == [[(2, 31), (0, 0), (1, 2), (0, 0)], [(0, 0), (2, 31), (0, 0), (1, 2)]]


def test_a_bet_taken_back_was_not_staked_and_a_void_coup_is_none() -> None:
    sitting = Sitting(ruled("simplified"), MAIN).buy(anna=10_000).shoe([*COUP, *OTHER, *COUP])
    sitting.coup(("anna", "banker", 500))
    sitting.round(("anna", "banker", 600))
    sitting.do(play.void_round(sitting.table, reason="misdeal", approved_by=(ANNA,)))
    sitting.coup(("anna", "banker", 700))
    reversal = play.reverse_settlement(sitting.table, reason="wrong", approved_by=(ANNA, BERT), settle_again=False)

    before = watch(sitting)
    sitting.do(reversal)
    after = watch(sitting)

    assert [coup.round for coup in before.favourable] == [1, 3]
    assert before.patrons[0].in_favour.staked == 1200
    assert [coup.round for coup in after.favourable] == [1]
    assert after.patrons[0].in_favour.staked == 500


def test_a_coup_that_is_settled_again_counts_once() -> None:
    sitting = Sitting(ruled("simplified"), MAIN).buy(anna=10_000).shoe(COUP)
    sitting.coup(("anna", "banker", 500))
    sitting.do(play.reverse_settlement(sitting.table, reason="wrong", approved_by=BOTH, settle_again=True))

    assert [(one.coups, one.patrons[0].in_favour.staked) for one in [watch(sitting)]] == [(1, 500)]
