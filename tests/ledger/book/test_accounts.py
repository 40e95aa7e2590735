"""House accounts, and money between an account and a table."""

import pytest

from schemas.accounts import AccountOpened, FundsDeposited, FundsToTable, FundsWithdrawn, LogSucceeded
from schemas.events import AnyEvent, ChipsBought, ChipsCredited, ChipsFilled, DealerChanged
from services.ledger.book.accounts import CHART, class_of
from services.ledger.book.bookkeeper import Bookkeeper
from services.ledger.book.slip import Disagreement
from tests.ledger.book.reading import balances, shown, slips
from tests.ledger.tape import Tape


@pytest.fixture
def tape() -> Tape:
    """A table, and anna's account of 100.00."""
    tape = Tape()
    tape.open()
    tape.fund("anna", 10_000)
    return tape


def test_money_paid_in_stands_on_the_account_and_in_the_cage(tape: Tape) -> None:
    tape.write("patron/anna", FundsWithdrawn(amount=1_000, means="voucher", balance=9_000))

    assert shown(tape)["patron/anna/account"] == 9_000
    assert shown(tape)["cage/cash"] == 10_000
    assert shown(tape)["cage/voucher"] == -1_000


def test_money_from_an_account_elsewhere_is_a_transfer(tape: Tape) -> None:
    tape.write("patron/anna", FundsDeposited(amount=1_000, means="account", balance=11_000))
    tape.buy("bob", 100)

    assert shown(tape)["cage/transfer"] == 1_000


def test_an_account_opens_with_nothing_on_it() -> None:
    tape = Tape()
    tape.write("patron/anna", AccountOpened(currency="USD"))

    assert slips(tape)[0][1].amounts == {"patron/anna/account": 0}


def test_money_moved_to_a_table_is_posted_once(tape: Tape) -> None:
    tape.to_table("anna", 4_000, balance=6_000)

    standing = shown(tape)
    assert standing["patron/anna/account"] == 6_000
    assert standing["patron/anna/stack/b1"] == 4_000
    assert standing["cage/cash"] == 10_000
    assert "cage/account" not in standing


def test_money_comes_back_from_a_table(tape: Tape) -> None:
    before = balances(tape)
    tape.to_table("anna", 4_000, balance=6_000)
    tape.from_table("anna", 4_000, balance=10_000)

    assert balances(tape) == before


def test_money_that_leaves_an_account_and_reaches_no_table_stops_the_books(tape: Tape) -> None:
    tape.write("patron/anna", FundsToTable(table="b1", amount=4_000, balance=6_000))
    tape.buy("anna", 100)

    with pytest.raises(Disagreement, match="between account and table"):
        slips(tape)


def test_chips_bought_from_an_account_that_gave_nothing_stop_the_books(tape: Tape) -> None:
    tape.at("b1", ChipsBought(patron="anna", amount=4_000, means="account"))
    tape.buy("anna", 100)

    with pytest.raises(Disagreement, match="between account and table"):
        slips(tape)


def test_another_balance_than_the_books_stops_them(tape: Tape) -> None:
    tape.write("patron/anna", FundsDeposited(amount=1, means="cash", balance=10_002))

    with pytest.raises(Disagreement, match="books say 10001"):
        slips(tape)


@pytest.mark.parametrize(
    ("stream", "event"),
    [
        ("patron/anna", DealerChanged(dealer="dealer:anna")),
        ("table/b1", AccountOpened(currency="USD")),
        ("log", DealerChanged(dealer="dealer:anna")),
    ],
)
def test_an_event_on_a_stream_where_it_cannot_happen_stops_the_books(tape: Tape, stream: str, event: AnyEvent) -> None:
    tape.write(stream, event)

    with pytest.raises(Disagreement, match="does not happen"):
        slips(tape)


def test_a_log_that_succeeds_another_posts_nothing(tape: Tape) -> None:
    tape.write("log", LogSucceeded(origin="casino.example/log/1", checkpoint="x", reason="restore"))

    assert list(slips(tape)[-1][1].postings()) == []


def test_fills_and_credits_move_chips_between_cage_and_tray(tape: Tape) -> None:
    by = {"requested_by": "dealer:anna", "issued_by": "cage:carl", "received_by": "pit:bert"}
    tape.at("b1", ChipsFilled(slip="f1", amount=5_000, chips=((100, 50),), **by))
    tape.at("b1", ChipsCredited(slip="c1", amount=1_000, chips=((100, 10),), **by))

    assert shown(tape)["house/b1/float"] == 104_000
    assert shown(tape)["cage/chips"] == 104_000


def test_every_account_written_is_on_the_chart(tape: Tape) -> None:
    assert {class_of(account).pattern for account, _ in balances(tape)} <= {line.pattern for line in CHART}
    with pytest.raises(KeyError):
        class_of("house/b1/gifts")


def test_a_stream_of_nobody_stops_the_books() -> None:
    tape = Tape()
    tape.write("patron/anna", FundsDeposited(amount=1, means="cash", balance=1))

    with pytest.raises(Disagreement, match="never opened an account"):
        slips(tape, Bookkeeper())
