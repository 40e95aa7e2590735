"""The floor: opening and closing, chips and debts, limits and people, outside the coups."""

from typing import Any

import pytest
from msgspec import structs

from schemas.events import ChipsCredited, ChipsFilled
from services.table.game import floor, play, shoes, wagers
from services.table.game.state import MAX_STACK, Closed, Idle
from tests.table.game.sitting import (
    ANNA,
    BANKER_WINS,
    BERT,
    BOTH,
    CLOSING,
    MARKING,
    PLAYER_WINS,
    SEED,
    Sitting,
    kinds,
    limited,
    opening,
    refusal,
    ruled,
    said,
    stakes_of,
)


def owing() -> Sitting:
    """Give a table where p1 has 20,000 before him and owes 500 of commission."""
    sitting = Sitting(MARKING).buy(p1=10_000).shoe((*BANKER_WINS, *BANKER_WINS))
    sitting.coup(("p1", "banker", 10_000))
    assert (sitting.table.stack("p1"), sitting.table.debt("p1")) == (20_000, 500)
    return sitting


def slip(kind: type[Any], **changes: Any) -> Any:
    described: dict[str, Any] = {
        "slip": "f-17",
        "amount": 102_500,
        "chips": ((100_000, 1), (2_500, 1)),
        "requested_by": ANNA,
        "issued_by": BERT,
        "received_by": "dealer:carl",
    }
    return kind(**described | changes)


def test_a_table_opens_with_the_rules_and_limits_it_names() -> None:
    sitting = Sitting()

    assert (sitting.table.name, sitting.table.title, sitting.table.currency) == ("b1", "Baccarat 1", "EUR")
    assert sitting.table.phase == Idle()
    assert sitting.table.limits == sitting.table.next_limits == opening().limits


def test_a_table_does_not_open_on_unsound_rules() -> None:
    no = refusal(Sitting().closed().table, floor.open_table, opening(ruled(procedure={"cut": 410})))

    assert (no.code, no.where) == ("rules-unsound", "/rules/procedure/cut")
    assert "procedure.cut" in no.detail
    assert no.right == "6 to 404 with 8 decks"


def test_a_table_does_not_open_on_limits_that_its_rules_do_not_know() -> None:
    no = refusal(Sitting().closed().table, floor.open_table, opening(limits=limited({"dragon-7": (1, 2)})))

    assert (no.code, no.where) == ("rules-unsound", "/limits/bets/dragon-7")
    assert "limits.bets.dragon-7" in no.detail


def test_a_table_does_not_open_on_a_rung_that_no_coup_reaches_and_every_complaint_has_its_pointer() -> None:
    hopeless = {"ladder": [{"winner": "tie", "pays": "8/1"}, {"winner": "tie", "margin": [0, 1], "pays": "9/1"}]}
    never = {"ladder": [{"natural": "player", "player_cards": 3, "pays": "9/1"}]}

    no = refusal(Sitting().closed().table, floor.open_table, opening(ruled(bets={"tie": hopeless, "lucky": never})))

    assert (no.code, no.where) == ("rules-unsound", "/rules/bets/tie/ladder/1")
    assert no.right == "move it up, or leave it out"
    assert no.values is not None
    assert [told["pointer"] for told in no.values["complaints"]] == [
        "/rules/bets/tie/ladder/1",
        "/rules/bets/lucky/ladder/0",
    ]


def test_limits_change_under_rules_that_would_not_be_opened_any_more() -> None:
    old = Sitting()
    hopeless = {"ladder": [{"winner": "tie", "pays": "8/1"}, {"winner": "tie", "pays": "9/1"}]}
    old.table.rules = ruled(bets={"tie": hopeless})

    assert floor.change_limits(old.table, limits=limited({"player": (1, 2)}))


@pytest.mark.parametrize("moment", ["open", "close"])
def test_a_float_is_counted_by_one_and_verified_by_another(moment: str) -> None:
    alone: dict[str, Any] = {"counted_by": ANNA, "verified_by": ANNA}
    if moment == "open":
        no = refusal(Sitting().closed().table, floor.open_table, opening(**alone))
    else:
        no = refusal(Sitting().table, floor.close_table, structs.replace(CLOSING, **alone))

    assert (no.code, no.where, no.right) == ("approval-missing", "verified_by", f"somebody else than {ANNA}")


@pytest.mark.parametrize(
    ("chips", "right"),
    [
        (((2_500, 40), (100_000, 20)), "[[100000, 20], [2500, 40]]"),
        (((2_500, 40), (2_500, 1)), "[[2500, 41]]"),
    ],
)
def test_denominations_stand_from_the_largest_down(chips: Any, right: str) -> None:
    no = refusal(Sitting().table, floor.close_table, structs.replace(CLOSING, float=chips))

    assert (no.code, no.where, no.right) == ("float", "float", right)


def test_a_tray_has_no_more_denominations_than_an_entry_can_say() -> None:
    tray = tuple((denomination, 1) for denomination in range(65, 0, -1))

    no = refusal(Sitting().table, floor.close_table, structs.replace(CLOSING, float=tray))
    assert (no.code, no.where, no.right) == ("float", "float", "at most 64 of them")

    assert floor.close_table(Sitting().table, structs.replace(CLOSING, float=tray[1:]))


def test_chips_are_not_worth_more_than_can_be_written() -> None:
    no = refusal(Sitting().table, floor.close_table, structs.replace(CLOSING, float=((2**52, 1), (2**51, 3))))

    assert (no.code, no.right) == ("float", f"chips worth at most {2**53 - 1}")
    assert floor.close_table(Sitting().table, structs.replace(CLOSING, float=((2**53 - 1, 1),)))


@pytest.mark.parametrize(("kind", "decide"), [(ChipsFilled, floor.fill), (ChipsCredited, floor.credit)])
def test_the_cage_moves_no_more_at_once_than_the_largest_stack(kind: type[Any], decide: Any) -> None:
    largest = slip(kind, amount=10**15, chips=((10**15, 1),))
    beyond = slip(kind, amount=10**15 + 100, chips=((10**15, 1), (100, 1)))

    no = refusal(Sitting().table, decide, beyond)

    assert (no.code, no.where, no.right) == ("float", "chips", f"chips worth at most {10**15}")
    assert decide(Sitting().table, largest) == [largest]


def test_a_table_is_opened_with_no_more_than_the_largest_stack() -> None:
    no = refusal(Sitting().closed().table, floor.open_table, opening(float=((10**15, 1), (100, 1))))

    assert (no.code, no.where, no.right) == ("float", "float", f"chips worth at most {10**15}")
    assert floor.open_table(Sitting().closed().table, opening(float=((10**15, 1),)))


@pytest.mark.parametrize(("kind", "decide"), [(ChipsFilled, floor.fill), (ChipsCredited, floor.credit)])
def test_a_slip_is_worth_its_chips(kind: type[Any], decide: Any) -> None:
    sitting = Sitting()

    wrong = refusal(sitting.table, decide, slip(kind, amount=102_501))
    empty = refusal(sitting.table, decide, slip(kind, chips=()))

    assert (wrong.code, wrong.where, wrong.right) == ("float", "amount", "102500")
    assert (empty.code, empty.where) == ("float", "chips")
    assert decide(sitting.table, slip(kind)) == [slip(kind)]


def test_a_table_does_not_close_over_a_patrons_stack() -> None:
    sitting = Sitting().buy(p1=500)

    no = refusal(sitting.table, floor.close_table, CLOSING)
    assert (no.code, no.where) == ("chips-left", "stacks")

    sitting.do(floor.cash_chips(sitting.table, patron="p1", amount=500, means="cash"))
    sitting.do(floor.close_table(sitting.table, CLOSING))
    assert sitting.table.phase == Closed()


def test_a_table_does_not_close_over_a_debt() -> None:
    sitting = owing()
    sitting.coup(("p1", "player", 20_000))
    sitting.end_shoe()

    assert (sitting.table.stack("p1"), sitting.table.debt("p1")) == (0, 500)
    no = refusal(sitting.table, floor.close_table, CLOSING)
    assert (no.code, no.where) == ("owing", "owed")

    waived = floor.waive_commission(sitting.table, patron="p1", amount=500, reason="goodwill", approved_by=BOTH)
    sitting.do(waived)
    assert kinds(floor.close_table(sitting.table, CLOSING)) == ["table-closed"]


def test_a_closed_table_opens_again_and_its_shoe_numbers_go_on() -> None:
    sitting = Sitting().shoe()
    sitting.end_shoe()
    sitting.closed()

    sitting.do(floor.open_table(sitting.table, opening(currency="CHF", name="Salon")))

    assert (sitting.table.phase, sitting.table.currency, sitting.table.title) == (Idle(), "CHF", "Salon")
    assert sitting.do(shoes.commit(sitting.table, seed_commitment=SEED))[0] == sitting.chapter[0]
    assert sitting.table.shoes == 2


def test_who_dealt_and_what_was_suspended_before_a_table_closed_is_over() -> None:
    sitting = Sitting()
    sitting.do(floor.change_dealer(sitting.table, dealer="dealer:carl"))
    sitting.do(floor.suspend(sitting.table, reason="fire-alarm"))

    sitting.closed()
    sitting.do(floor.open_table(sitting.table, opening()))

    assert (sitting.table.dealer, sitting.table.suspended) == (None, None)


def test_a_suspended_table_refuses_play() -> None:
    sitting = Sitting().buy(p1=10_000).shoe().round(("p1", "player", 500))
    sitting.do(floor.suspend(sitting.table, reason="spilled-drink"))

    bet = refusal(sitting.table, wagers.place_bets, [("p1", "player", 500)])
    assert (bet.code, bet.where, bet.right) == ("table-suspended", "phase", "resume it first")
    assert "spilled-drink" in bet.detail
    assert refusal(sitting.table, wagers.withdraw_bet, patron="p1", bet="player").code == "table-suspended"
    assert refusal(sitting.table, play.close_bets, count=1, digest="0" * 64).code == "table-suspended"
    coup = refusal(sitting.table, play.play_coup, sitting.cards, count=1, digest="0" * 64)
    assert coup.code == "table-suspended"


def test_no_shoe_and_no_coup_begins_at_a_suspended_table() -> None:
    sitting = Sitting()
    sitting.do(floor.suspend(sitting.table, reason="break"))
    assert refusal(sitting.table, shoes.commit, seed_commitment=SEED).code == "table-suspended"

    sitting.do(floor.resume(sitting.table))
    sitting.do(shoes.commit(sitting.table, seed_commitment=SEED))
    sitting.do(floor.suspend(sitting.table, reason="break"))
    assert refusal(sitting.table, shoes.shuffle, sitting.cards, mix=bytes(32)).code == "table-suspended"

    sitting.do(floor.resume(sitting.table))
    sitting.do(shoes.shuffle(sitting.table, sitting.cards, mix=bytes(32)))
    sitting.do(floor.suspend(sitting.table, reason="break"))
    assert refusal(sitting.table, play.open_round).code == "table-suspended"


def test_a_suspended_table_lets_chips_be_cashed_and_coups_be_voided() -> None:
    sitting = Sitting().buy(p1=10_000).shoe().round(("p1", "player", 500))
    sitting.do(floor.suspend(sitting.table, reason="spilled-drink"))

    sitting.do(floor.cash_chips(sitting.table, patron="p1", amount=9_500, means="cash"))
    sitting.do(play.void_round(sitting.table, reason="spilled-drink", approved_by=(ANNA,)))

    assert sitting.table.stack("p1") == 500


def test_a_table_is_suspended_once_and_resumed_once() -> None:
    sitting = Sitting()
    assert refusal(sitting.table, floor.resume).code == "wrong-phase"

    sitting.do(floor.suspend(sitting.table, reason="break"))
    assert refusal(sitting.table, floor.suspend, reason="again").code == "table-suspended"

    sitting.do(floor.resume(sitting.table))
    assert sitting.table.suspended is None


def test_changed_limits_bind_from_the_next_round_on() -> None:
    low, high = limited({"player": (100, 1_000)}), limited({"player": (5_000, 9_000)})
    sitting = Sitting(limits=low).buy(p1=100_000).shoe().round(("p1", "player", 100))

    sitting.do(floor.change_limits(sitting.table, limits=high))
    sitting.do(wagers.place_bets(sitting.table, [("p1", "player", 900)]))
    assert refusal(sitting.table, wagers.place_bets, [("p1", "player", 5_000)]).code == "limit-bet"
    sitting.do(play.play_coup(sitting.table, sitting.cards, count=2, digest="0" * 64))

    assert sitting.table.limits == low
    sitting.round(("p1", "player", 5_000))
    assert sitting.table.limits == high


def test_changed_limits_stand_in_the_next_shoe() -> None:
    high = limited({"player": (5_000, 9_000)})
    sitting = Sitting()
    sitting.do(floor.change_limits(sitting.table, limits=high))

    committed = shoes.commit(sitting.table, seed_commitment=SEED)[0]

    assert said(committed)["limits"] == high
    sitting.do([committed])
    assert sitting.table.limits == sitting.table.next_limits == high


def test_limits_that_do_not_fit_the_rules_are_refused() -> None:
    no = refusal(Sitting().table, floor.change_limits, limits=limited({"player": (2, 1)}))

    assert (no.code, no.where) == ("rules-unsound", "/limits/bets/player")


@pytest.mark.parametrize("amount", [0, -1])
def test_no_chips_are_no_chips(amount: int) -> None:
    sitting = owing()
    order = {"patron": "p1", "amount": amount}

    for no in (
        refusal(sitting.table, floor.buy_chips, means="cash", **order),
        refusal(sitting.table, floor.cash_chips, means="cash", **order),
        refusal(sitting.table, floor.collect_commission, **order),
        refusal(sitting.table, floor.waive_commission, reason="goodwill", approved_by=BOTH, **order),
    ):
        assert (no.code, no.where) == ("amount-too-small", "amount")


def test_a_stack_is_bounded() -> None:
    sitting = Sitting().buy(p1=MAX_STACK - 5)

    no = refusal(sitting.table, floor.buy_chips, patron="p1", amount=6, means="cash")
    assert (no.code, no.right) == ("amount-too-large", "1 to 5")

    sitting.buy(p1=5)
    full = refusal(sitting.table, floor.buy_chips, patron="p1", amount=1, means="cash")
    assert full.right == "no more: the stack is as large as it may be"


def test_nobody_cashes_chips_that_he_has_not() -> None:
    sitting = Sitting().buy(p1=800).shoe().round(("p1", "player", 500))

    no = refusal(sitting.table, floor.cash_chips, patron="p1", amount=301, means="cash")
    assert (no.code, no.right) == ("stack-too-small", "1 to 300")
    assert refusal(sitting.table, floor.cash_chips, patron="p2", amount=1, means="cash").right == "buy chips first"

    assert floor.cash_chips(sitting.table, patron="p1", amount=300, means="cash")
    assert stakes_of(sitting.table).table == 500


def test_nobody_leaves_owing_commission() -> None:
    sitting = owing()

    all_of_it = refusal(sitting.table, floor.cash_chips, patron="p1", amount=20_000, means="cash")
    one_too_many = refusal(sitting.table, floor.cash_chips, patron="p1", amount=19_501, means="cash")
    beyond = refusal(sitting.table, floor.cash_chips, patron="p1", amount=20_001, means="cash")

    assert (all_of_it.code, all_of_it.right) == ("owing", "1 to 19500")
    assert all_of_it.detail == "patron p1 has 20000 on this table and owes 500 of commission"
    assert (one_too_many.code, beyond.code) == ("owing", "stack-too-small")
    sitting.do(floor.cash_chips(sitting.table, patron="p1", amount=19_500, means="cash"))
    no = refusal(sitting.table, floor.cash_chips, patron="p1", amount=1, means="cash")
    assert (no.code, no.right) == ("owing", "collect the commission first")


def test_commission_is_collected_from_the_stack() -> None:
    sitting = owing()
    too_much = refusal(sitting.table, floor.collect_commission, patron="p1", amount=501)
    assert (too_much.code, too_much.right) == ("not-owed", "1 to 500")

    sitting.do(floor.collect_commission(sitting.table, patron="p1", amount=200))
    assert (sitting.table.stack("p1"), sitting.table.debt("p1")) == (19_800, 300)

    sitting.do(floor.collect_commission(sitting.table, patron="p1", amount=300))
    assert refusal(sitting.table, floor.collect_commission, patron="p1", amount=1).right == "nothing is owed"
    assert floor.cash_chips(sitting.table, patron="p1", amount=19_500, means="cash")


def test_no_more_commission_is_collected_than_the_stack_holds() -> None:
    sitting = owing()
    sitting.do(floor.cash_chips(sitting.table, patron="p1", amount=19_000, means="cash"))
    sitting.round(("p1", "player", 700))

    no = refusal(sitting.table, floor.collect_commission, patron="p1", amount=301)
    assert (no.code, no.right) == ("stack-too-small", "1 to 300")
    assert refusal(sitting.table, floor.collect_commission, patron="p1", amount=500).code == "stack-too-small"


def test_commission_is_waived_by_two_people() -> None:
    sitting = owing()
    order: dict[str, Any] = {"patron": "p1", "amount": 500, "reason": "goodwill"}

    for names in ((), (ANNA,), (ANNA, ANNA)):
        no = refusal(sitting.table, floor.waive_commission, approved_by=names, **order)
        assert (no.code, no.where, no.right) == ("approval-missing", "approved_by", "2 to 16 different actors")
    too_much = refusal(sitting.table, floor.waive_commission, approved_by=BOTH, **order | {"amount": 501})
    assert (too_much.code, too_much.right) == ("not-owed", "1 to 500")

    sitting.do(floor.waive_commission(sitting.table, approved_by=BOTH, **order))
    assert (sitting.table.stack("p1"), sitting.table.debt("p1")) == (20_000, 0)


def test_a_player_win_marks_nothing() -> None:
    sitting = Sitting(MARKING).buy(p1=10_000).shoe(PLAYER_WINS)

    sitting.coup(("p1", "player", 1_000))

    assert sitting.table.debt("p1") == 0
