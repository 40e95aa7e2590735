"""Surveillance: coups in the patron's favour by the cards seen before, and stakes in and out of them."""

from fractions import Fraction
from typing import Any

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from schemas.events import BetsClosed, CardDealt, CardsBurned, RoundSettled, ShoeCommitted, TableEvent
from schemas.rules import Bet, Rules
from schemas.seats import CardDrawn
from services.table.game import floor, play, salon
from services.table.game.deals import unseen_after
from services.table.game.odds import odds_of
from services.table.game.prices import prices
from services.table.game.surveillance import CoupWatched, Watch, Watched, patrons
from tests.audit.parties import a_banque, a_chemin, a_dining
from tests.table.game import banque_party, chemin_party, dinner
from tests.table.game.sitting import ANNA, BERT, BOTH, DIGEST, Sitting, kinds, limited, ruled

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


def favours_of(chapter: list[TableEvent]) -> dict[int, dict[str, Fraction]]:
    """Recount, from the cards before each last call, what was in the favour of who stakes against the bank."""
    committed = chapter[0]
    assert isinstance(committed, ShoeCommitted)
    found: dict[int, dict[str, Fraction]] = {}
    for place, event in enumerate(chapter):
        if isinstance(event, BetsClosed):
            before = [one for one in chapter[:place] if isinstance(one, CardDealt | CardDrawn | CardsBurned)]
            out = sum(one.count if isinstance(one, CardsBurned) else 1 for one in before)
            unseen = unseen_after(committed.decks, [one.card for one in before])
            odds = prices(committed.rules, unseen, left=52 * committed.decks - out).bets
            found[event.round] = {bet: odds[bet].edge for bet in committed.limits.bets if bet != "bank"}
    settled = {event.round for event in chapter if isinstance(event, RoundSettled)}
    favours = {number: {bet: edge for bet, edge in edges.items() if edge < 0} for number, edges in found.items()}
    return {number: bets for number, bets in favours.items() if number in settled and bets}


@pytest.mark.parametrize(("shoe", "pays"), [(a_dining, None), (a_chemin, "103/100"), (a_banque, "126/125")])
def test_where_a_player_banks_the_coups_in_favour_of_who_stakes_against_him_are_listed(
    shoe: Any, pays: str | None
) -> None:
    first, *rest = shoe(1).chapter
    if pays:  # as if a win paid more: at even money no coup of these shoes is in anybody's favour
        bets = {
            name: Bet(ladder=tuple(rung | ({"pays": pays} if rung["pays"] == "1/1" else {}) for rung in bet.ladder))
            for name, bet in first.rules.bets.items()
        }
        first = replace(first, rules=replace(first.rules, bets=bets))
    found = Watch("b1")

    found.hear([first, *rest])

    seen = found.told()
    listed = {coup.round: {one.bet: Fraction(one.edge_fraction) for one in coup.bets} for coup in seen.favourable}
    assert listed == favours_of([first, *rest])
    assert 0 < len(listed) < seen.coups


@pytest.mark.parametrize("shoe", [a_dining, a_chemin, a_banque])
def test_stakes_against_a_bank_and_banks_are_told_apart(shoe: Any) -> None:
    party = shoe(2)
    staked, banked = dict[str, int](), dict[str, int]()
    for event in party.chapter:
        for line in event.lines if isinstance(event, RoundSettled) else ():
            sums = banked if line.bet == "bank" else staked
            sums[line.patron] = sums.get(line.patron, 0) + line.stake

    seen = {one.patron: one for one in watch(party).patrons}

    assert {name: one.in_favour.staked + one.otherwise.staked for name, one in seen.items()} == {
        name: staked.get(name, 0) for name in seen
    }
    assert banked == {
        name: one.banked.in_favour.staked + one.banked.otherwise.staked for name, one in seen.items() if one.banked
    }
    assert all("bank" not in one.bets for one in seen.values())


def test_cards_drawn_for_the_first_deal_were_seen() -> None:
    generous = {"winning-8": {"needs": ["player", "banker"], "ladder": [{"player": 8, "pays": "30/1"}]}}
    rules = ruled("dining-room", stakes={"unit": 1, "start": 1}, bets=generous)
    table = dinner.Dinner(rules, anna=100, bert=100).drawn(["Kd", "9c"], dinner.TEXT)
    table.does(salon.open_round(table.table))
    table.stake("anna", "bank", 100)
    table.stake("bert", "banker", 1)
    before = [event.card for event in table.chapter if isinstance(event, CardDrawn | CardsBurned)]
    table.whole_coup()

    (coup,) = watch(table).favourable

    unseen = unseen_after(2, before)
    assert len(before) == 3
    assert [Fraction(one.edge_fraction) for one in coup.bets] == [
        prices(rules, unseen, left=sum(unseen)).bets["winning-8"].edge
    ]


def test_a_bet_that_is_not_offered_is_in_nobodys_favour() -> None:
    sure = {"ladder": [{"winner": ["player", "banker", "tie"], "pays": "1/100"}]}
    sitting = Sitting(of_one_deck(pairs=sure), MAIN).buy(anna=1000).shoe([*COUP, *OTHER])
    sitting.coup(("anna", "tie", 1))
    sitting.round()
    sitting.do(floor.change_limits(sitting.table, limits=WIDE))
    sitting.do(play.play_coup(sitting.table, sitting.cards, count=0, digest=DIGEST))
    sitting.coup(("anna", "pairs", 1))

    assert [coup.round for coup in watch(sitting).favourable] == [3]


def test_it_is_said_how_free_choices_are_counted() -> None:
    made = {
        "chemin-de-fer": chemin_party.party(),
        "banque": banque_party.party(),
        "dining-room": dinner.Dinner(anna=100, bert=100).drawn(["Kd", "9c"]),
    }

    told = {name: watch(party).choices for name, party in made.items()}

    assert told == {"chemin-de-fer": "tableau", "banque": "tableau", "dining-room": UNSET}


def test_so_many_cards_are_left_as_were_neither_burned_nor_dealt() -> None:
    # Paid whoever wins: what it costs hangs on how often a coup would run out of cards alone.
    sure = {"ladder": [{"winner": ["player", "banker", "tie"], "pays": "1/100"}]}
    sitting = Sitting(of_one_deck(pairs=sure), WIDE).buy(anna=1000).shoe()
    burned = CardsBurned(shoe=1, count=46, position=0, card="As")
    found = Watch("b1")
    found.hear([*sitting.chapter, burned, CardDealt(round=1, hand="player", card="Kd")])

    sitting.coup(("anna", "pairs", 5))
    begun = kinds(sitting.chapter).index("round-opened")
    found.hear(sitting.chapter[begun:])

    (favour,) = (each for each in found.told().favourable[0].bets if each.bet == "pairs")
    with_five = odds_of(sitting.table.rules, unseen_after(1, ["As", "Kd"]), left=5).bets["pairs"].edge
    assert Fraction(favour.edge_fraction) == with_five
    assert with_five != odds_of(sitting.table.rules, unseen_after(1, ["As", "Kd"]), left=6).bets["pairs"].edge


def test_a_bank_is_told_in_or_out_of_coups_in_the_favour_of_patrons() -> None:
    coups = [
        CoupWatched(round=number, edges={"player": edge}, stakes={}, banks={"anna": 100 * number})
        for number, edge in enumerate([Fraction(-1, 100), Fraction(1, 100), Fraction(0)], start=1)
    ]

    (anna,) = patrons(coups)

    assert anna.banked
    assert (anna.banked.in_favour.coups, anna.banked.in_favour.staked) == (1, 100)
    assert (anna.banked.otherwise.coups, anna.banked.otherwise.staked) == (2, 500)
