"""Wagers: every bound on a bet, and what a refusal says would be right is right."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.events import BetPlaced
from schemas.rules import Limits
from services.table.game import play
from services.table.game.refusal import RefusedError
from services.table.game.state import MAX_STACK, Table
from services.table.game.wagers import Wager, place_bets, withdraw_bet
from tests.table.game.sitting import DIGEST, Sitting, kinds, limited, refusal, ruled, said, seen, stakes_of

# As punto-banco; and a bet that one may place only beside a bet on Player or on Banker.
NEEDY = ruled(bets={"lucky": {"needs": ["player", "banker"], "ladder": [{"winner": "tie", "pays": "2/1"}]}})
SPANS = {"player": (100, 1_000), "banker": (100, 1_000), "tie": (50, 500), "lucky": (10, 100)}


def betting(limits: Limits | None = None, **stacks: int) -> Sitting:
    """Give a table that takes bets, with these stacks."""
    return Sitting(NEEDY, limits or limited(SPANS)).buy(**stacks or {"p1": 10_000, "p2": 10_000}).shoe().round()


def place(sitting: Sitting, *bets: Wager) -> None:
    sitting.do(place_bets(sitting.table, bets))


def no_to(sitting: Sitting, *bets: Wager) -> RefusedError:
    return refusal(sitting.table, place_bets, bets)


def test_a_bet_moves_from_the_stack_to_the_table() -> None:
    sitting = betting()

    (placed,) = place_bets(sitting.table, [("p1", "player", 300)])

    assert placed == BetPlaced(round=1, patron="p1", bet="player", amount=300)
    sitting.do([placed])
    assert (sitting.table.stack("p1"), stakes_of(sitting.table).on("p1", "player")) == (9_700, 300)


def test_an_unknown_bet_is_answered_with_those_on_offer() -> None:
    no = no_to(betting(), ("p1", "dragon-7", 100))

    assert (no.code, no.where, no.right) == ("unknown-bet", "bet", "player, banker, tie, lucky")


def test_a_bet_without_limits_is_not_offered() -> None:
    no = no_to(betting(), ("p1", "player-pair", 100))

    assert (no.code, no.where, no.right) == ("bet-not-offered", "bet", "player, banker, tie, lucky")


def test_the_limits_of_a_bet_bind_a_patrons_summed_stake() -> None:
    sitting = betting()
    assert no_to(sitting, ("p1", "player", 99)).right == "100 to 1000"
    assert no_to(sitting, ("p1", "player", 1_001)).right == "100 to 1000"

    place(sitting, ("p1", "player", 100))
    place(sitting, ("p1", "player", 1))
    above = no_to(sitting, ("p1", "player", 900))

    assert (above.code, above.where, above.right) == ("limit-bet", "amount", "1 to 899")
    assert "it would be 1001" in above.detail
    place(sitting, ("p1", "player", 899), ("p2", "player", 1_000))
    assert no_to(sitting, ("p1", "player", 1)).right == "no more on this bet"


@pytest.mark.parametrize("amount", [0, -1, -500])
def test_nothing_and_less_is_no_stake(amount: int) -> None:
    sitting = betting()
    place(sitting, ("p1", "player", 700))

    no = no_to(sitting, ("p1", "player", amount))

    assert (no.code, no.where, no.right) == ("amount-too-small", "amount", "1 to 300")


def test_one_is_a_stake_that_a_limit_may_still_refuse() -> None:
    assert no_to(betting(), ("p1", "player", 1)).code == "limit-bet"


def test_nobody_bets_more_than_his_stack() -> None:
    sitting = betting(p1=400)

    no = no_to(sitting, ("p1", "player", 401))
    assert (no.code, no.right) == ("stack-too-small", "100 to 400")

    place(sitting, ("p1", "player", 350))
    assert no_to(sitting, ("p1", "banker", 100)).right == "buy chips first"
    assert no_to(sitting, ("p9", "tie", 50)).right == "buy chips first"


def test_where_one_amount_alone_would_stand_it_is_told() -> None:
    no = no_to(betting(p1=100), ("p1", "player", 101))

    assert (no.code, no.right) == ("stack-too-small", "100 to 100")


def test_a_bound_that_is_met_is_not_the_one_that_is_broken() -> None:
    assert no_to(betting(p1=501), ("p1", "tie", 501)).code == "limit-bet"


def test_a_patrons_limit_binds_the_sum_of_his_bets() -> None:
    sitting = betting(limited(SPANS, patron=1_500))
    place(sitting, ("p1", "player", 1_000), ("p2", "player", 1_000))

    no = no_to(sitting, ("p1", "banker", 501))

    assert (no.code, no.right) == ("limit-patron", "100 to 500")
    assert "at most 1500; with these 501 it would be 1501" in no.detail
    place(sitting, ("p1", "banker", 460))
    assert no_to(sitting, ("p1", "tie", 50)).right == "no more in this coup, or withdraw another bet first"


def test_the_tables_limit_binds_the_sum_of_all_bets() -> None:
    sitting = betting(limited(SPANS, table=2_000))
    place(sitting, ("p1", "player", 1_000), ("p2", "player", 600))

    no = no_to(sitting, ("p2", "banker", 401))

    assert (no.code, no.right) == ("limit-table", "100 to 400")
    place(sitting, ("p2", "banker", 400))
    assert no_to(sitting, ("p1", "tie", 50)).right == "no more in this coup, or wait until somebody withdraws"


def test_player_and_banker_stakes_stay_within_the_differential() -> None:
    sitting = betting(limited(SPANS, differential=700))
    no = no_to(sitting, ("p1", "player", 701))
    assert (no.code, no.right) == ("limit-differential", "100 to 700")

    place(sitting, ("p1", "player", 650))
    full = no_to(sitting, ("p2", "player", 100))
    assert (full.code, full.right) == ("limit-differential", "stakes on the other side first")

    assert no_to(sitting, ("p2", "banker", 1_400)).right == "100 to 1000"
    place(sitting, ("p2", "banker", 1_000), ("p2", "tie", 500), ("p2", "player", 1_000))
    assert stakes_of(sitting.table).player - stakes_of(sitting.table).banker == 650


def test_a_withdrawal_keeps_the_differential() -> None:
    sitting = betting(limited(SPANS, differential=700))
    place(sitting, ("p1", "player", 650), ("p2", "banker", 900), ("p2", "tie", 50))

    no = refusal(sitting.table, withdraw_bet, patron="p1", bet="player")

    assert (no.code, no.where, no.right) == ("limit-differential", "bet", "200 less on banker first")
    assert kinds(sitting.do(withdraw_bet(sitting.table, patron="p2", bet="tie"))) == ["bet-withdrawn"]
    sitting.do(withdraw_bet(sitting.table, patron="p2", bet="banker"))
    sitting.do(withdraw_bet(sitting.table, patron="p1", bet="player"))
    assert sitting.table.stack("p1") == sitting.table.stack("p2") == 10_000


def test_a_withdrawal_may_leave_the_sides_as_far_apart_as_they_may_be() -> None:
    sitting = betting(limited(SPANS, differential=700))
    place(sitting, ("p1", "player", 700), ("p2", "banker", 100))

    sitting.do(withdraw_bet(sitting.table, patron="p2", bet="banker"))

    assert stakes_of(sitting.table).player - stakes_of(sitting.table).banker == 700


def test_a_bet_that_needs_another_is_placed_after_it() -> None:
    sitting = betting()
    place(sitting, ("p2", "player", 100))
    no = no_to(sitting, ("p1", "lucky", 10))
    assert (no.code, no.where, no.right) == ("bet-needs", "bet", "player or banker first")

    place(sitting, ("p1", "banker", 100))
    place(sitting, ("p1", "lucky", 10))


def test_what_another_bet_needs_is_withdrawn_after_it() -> None:
    sitting = betting()
    place(sitting, ("p1", "player", 100), ("p1", "lucky", 10), ("p2", "banker", 100))
    no = refusal(sitting.table, withdraw_bet, patron="p1", bet="player")
    assert (no.code, no.where, no.right) == ("bet-needs", "bet", "withdraw lucky first")

    place(sitting, ("p1", "banker", 100))
    sitting.do(withdraw_bet(sitting.table, patron="p1", bet="player"))
    assert refusal(sitting.table, withdraw_bet, patron="p1", bet="banker").code == "bet-needs"
    sitting.do(withdraw_bet(sitting.table, patron="p1", bet="lucky"))
    sitting.do(withdraw_bet(sitting.table, patron="p1", bet="banker"))


def test_only_a_bet_that_stands_is_withdrawn_and_the_whole_of_it() -> None:
    sitting = betting()
    place(sitting, ("p1", "player", 100), ("p1", "player", 200))

    no = refusal(sitting.table, withdraw_bet, patron="p1", bet="banker")
    assert (no.code, no.where) == ("no-such-stake", "bet")
    assert refusal(sitting.table, withdraw_bet, patron="p2", bet="player").code == "no-such-stake"

    sitting.do(withdraw_bet(sitting.table, patron="p1", bet="player"))
    assert sitting.table.stack("p1") == 10_000
    assert refusal(sitting.table, withdraw_bet, patron="p1", bet="player").code == "no-such-stake"


def test_a_list_of_bets_is_placed_whole_or_not_at_all() -> None:
    sitting = betting()

    no = no_to(sitting, ("p1", "player", 100), ("p2", "player", 5), ("p1", "tie", 50))

    assert (no.code, no.where) == ("limit-bet", "[1].amount")
    assert stakes_of(sitting.table).table == 0


def test_earlier_bets_of_a_list_count_for_later_ones() -> None:
    sitting = betting(limited(SPANS, patron=1_500, table=2_200, differential=900), p1=1_200, p2=9_000)

    stack = no_to(sitting, ("p1", "player", 900), ("p1", "tie", 301))
    bet = no_to(sitting, ("p2", "tie", 400), ("p2", "tie", 101))
    patron = no_to(sitting, ("p2", "player", 900), ("p2", "banker", 601))
    apart = no_to(sitting, ("p1", "player", 900), ("p2", "player", 100))
    table = no_to(sitting, ("p1", "player", 900), ("p2", "banker", 900), ("p2", "tie", 401))

    assert (stack.code, stack.right) == ("stack-too-small", "50 to 300")
    assert (bet.code, bet.where, bet.right) == ("limit-bet", "[1].amount", "1 to 100")
    assert (patron.code, patron.right) == ("limit-patron", "100 to 600")
    assert (apart.code, apart.right) == ("limit-differential", "stakes on the other side first")
    assert (table.code, table.where, table.right) == ("limit-table", "[2].amount", "50 to 400")
    place(sitting, ("p1", "player", 100), ("p1", "lucky", 10), ("p2", "banker", 1_000), ("p1", "player", 900))


def test_a_needed_bet_may_stand_earlier_in_the_list_but_not_later() -> None:
    sitting = betting()

    assert no_to(sitting, ("p1", "lucky", 10), ("p1", "player", 100)).where == "[0].bet"
    place(sitting, ("p1", "player", 100), ("p1", "lucky", 10))


def test_no_bets_are_taken_in_a_free_coup() -> None:
    sitting = Sitting().buy(p1=1_000).shoe()
    sitting.do(play.open_round(sitting.table, free=True))

    no = no_to(sitting, ("p1", "player", 500))
    assert (no.code, no.where) == ("free-coup", "round")

    settled = sitting.do(play.play_coup(sitting.table, sitting.cards, count=0, digest=DIGEST))[-1]
    assert said(settled)["lines"] == ()


def test_who_holds_more_than_a_stack_may_be_bets_no_more() -> None:
    most = limited({"player": (1, 10**12)})
    sitting = Sitting(limits=most).buy(p1=MAX_STACK).shoe(("9d", "Kd", "Kh", "Ac")).round(("p1", "player", 10**12))
    sitting.do(play.play_coup(sitting.table, sitting.cards, count=1, digest=DIGEST))
    sitting.round()

    assert sitting.table.stack("p1") == MAX_STACK + 10**12
    no = no_to(sitting, ("p1", "player", 1))
    assert (no.code, no.where) == ("amount-too-large", "patron")


def test_who_owes_the_most_that_may_be_owed_still_bets() -> None:
    sitting = betting(p1=1_000)
    sitting.table.owed["p1"] = MAX_STACK
    place(sitting, ("p1", "player", 100))

    sitting.table.owed["p1"] = MAX_STACK + 1

    assert no_to(sitting, ("p1", "player", 100)).code == "amount-too-large"


def drawn(chance: random.Random, table: Table) -> Wager:
    bet = chance.choice(list(table.limits.bets))
    return chance.choice(["p1", "p2", "p3"]), bet, chance.choice([1, 10, 60, 100, 250, 500, 900, 2_000])


@given(st.integers(min_value=0, max_value=2**32))
def test_a_bet_at_a_bound_that_a_refusal_names_is_accepted(seed: int) -> None:
    chance = random.Random(seed)
    bounds = {"patron": 1_700, "table": 3_300, "differential": chance.choice([600, 1_100])}
    sitting = betting(limited(SPANS, **bounds), p1=3_000, p2=1_000, p3=130)
    told = 0

    for _ in range(40):
        patron, bet, amount = drawn(chance, sitting.table)
        before = seen(sitting.table)
        try:
            events = place_bets(sitting.table, [(patron, bet, amount)])
        except RefusedError as no:
            assert seen(sitting.table) == before
            if no.where == "amount" and " to " in no.right:
                low, high = map(int, no.right.split(" to "))
                assert not low <= amount <= high
                assert place_bets(sitting.table, [(patron, bet, low)])
                assert place_bets(sitting.table, [(patron, bet, high)])
                for beyond in (low - 1, high + 1):
                    with pytest.raises(RefusedError):
                        place_bets(sitting.table, [(patron, bet, beyond)])
                told += 1
        else:
            sitting.do(events)
        if chance.random() < 0.1:
            withdrawn = chance.choice([*stakes_of(sitting.table).by_bet, ("p1", "tie")])
            try:
                sitting.do(withdraw_bet(sitting.table, patron=withdrawn[0], bet=withdrawn[1]))
            except RefusedError as no:
                assert no.code in ("no-such-stake", "limit-differential", "bet-needs")  # noqa: PT017 (either may be)
        is_kept(sitting.table)


def is_kept(table: Table) -> None:
    """Check every limit on the stakes as they stand, by sums made anew."""
    stakes, limits = stakes_of(table), table.limits
    sums = {"player": 0, "banker": 0, "tie": 0, "lucky": 0}
    for (patron, bet), amount in stakes.by_bet.items():
        sums[bet] += amount
        assert limits.bets[bet].min <= amount <= limits.bets[bet].max
        assert table.stack(patron) >= 0
        if bet == "lucky":
            assert stakes.on(patron, "player") or stakes.on(patron, "banker")
    for patron in table.stacks:
        staked = sum(amount for (other, _), amount in stakes.by_bet.items() if other == patron)
        assert staked == stakes.of(patron) <= 1_700
    assert sum(sums.values()) == stakes.table <= 3_300
    assert (sums["player"], sums["banker"]) == (stakes.player, stakes.banker)
    assert abs(sums["player"] - sums["banker"]) <= (limits.differential or 0)


@given(st.lists(st.tuples(st.sampled_from(["p1", "p2"]), st.sampled_from(list(SPANS)), st.integers(0, 1_100))))
def test_a_list_is_accepted_exactly_when_its_bets_are_accepted_one_by_one(bets: list[Wager]) -> None:
    sitting = betting(limited(SPANS, patron=1_700, table=2_600, differential=900), p1=1_500, p2=9_000)
    other = betting(limited(SPANS, patron=1_700, table=2_600, differential=900), p1=1_500, p2=9_000)
    before, one_by_one, first_no = seen(sitting.table), [], None
    for number, bet in enumerate(bets):
        try:
            placed = place_bets(other.table, [bet])
        except RefusedError as no:
            first_no = (no.code, no.where if len(bets) == 1 else f"[{number}].{no.where}", no.right)
            break
        one_by_one += other.do(placed)

    if first_no is None:
        assert place_bets(sitting.table, bets) == one_by_one
    else:
        refused = refusal(sitting.table, place_bets, bets)
        assert (refused.code, refused.where, refused.right) == first_no
    assert seen(sitting.table) == before
