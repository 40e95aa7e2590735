"""Whatever happens in an evening, no cent is made or lost."""

from hypothesis import given, settings
from hypothesis import strategies as st

from services.ledger.book import recall
from services.ledger.book.bookkeeper import Bookkeeper
from services.ledger.book.slip import Figures
from tests.ledger.book.reading import balances, figures, shown, slips
from tests.ledger.evening import evening

EVENINGS = st.integers(min_value=0, max_value=2**32)


@settings(max_examples=60, deadline=None)
@given(EVENINGS)
def test_every_slip_sums_to_zero_and_posts_no_zeros(seed: int) -> None:
    made = list(slips(evening(seed)))
    assert any(list(slip.postings()) for _, slip in made)

    for _, slip in made:
        amounts = [amount for _, amount in slip.postings()]
        assert sum(amounts) == 0
        assert 0 not in amounts


@settings(max_examples=60, deadline=None)
@given(EVENINGS)
def test_money_and_chips_are_where_they_must_be(seed: int) -> None:
    standing = shown(evening(seed))

    def total(*ends: str) -> int:
        return sum(amount for account, amount in standing.items() if any(end in account for end in ends))

    assert total("/escrow/") == 0
    assert total("/chips-out") == total("/stack/")
    assert total("/float", "/chips-out") == standing["cage/chips"]
    assert total("cage/cash", "cage/voucher") == total("/account", "/stack/", "/win") + total("/commission") - total(
        "/commission-owed"
    )
    assert total("/owed/") == total("/commission-owed")


@settings(max_examples=60, deadline=None)
@given(EVENINGS)
def test_figures_are_what_the_accounts_say(seed: int) -> None:
    tape = evening(seed)
    standing, brought = shown(tape), Figures()
    for its in figures(tape).values():
        brought.add(its)

    def total(end: str) -> int:
        return sum(amount for account, amount in standing.items() if account.endswith(end))

    assert brought.win == total("/win")
    assert brought.commission + brought.collected == total("/commission")
    assert brought.marked - brought.collected - brought.waived == total("/commission-owed")


@settings(max_examples=30, deadline=None)
@given(EVENINGS, st.integers(min_value=0, max_value=400))
def test_books_taken_up_again_anywhere_go_on_as_if_nothing_had_happened(seed: int, stop: int) -> None:
    tape = evening(seed)
    whole = Bookkeeper()
    slips(tape, whole)

    first = Bookkeeper()
    sums: dict[tuple[str, str], int] = {}
    for entry in tape.entries[:stop]:
        slip = first.write(entry)
        for account, amount in slip.amounts.items():
            sums[account, slip.currency] = sums.get((account, slip.currency), 0) + amount
    again = Bookkeeper()
    again.command = first.command
    again.clearing = recall.clearing((path, currency, amount) for (path, currency), amount in sums.items())
    for name, table in first.tables.items():
        its = [(path, amount) for (path, _), amount in sums.items() if name in path.split("/")]
        again.tables[name] = recall.table(name, table.coup, its)
    for name, patron in first.patrons.items():
        amount = sums[f"patron/{name}/account", patron.currency]
        again.patrons[name] = recall.patron(name, patron.currency, amount)
    for entry in tape.entries[stop:]:
        again.write(entry)

    assert again.tables == whole.tables
    assert again.patrons == whole.patrons


def test_an_evening_holds_every_kind_of_money_event() -> None:
    seen = {type(entry.event).__name__ for seed in range(40) for entry in evening(seed).entries}

    assert seen >= {
        "BetWithdrawn",
        "ChipsCashed",
        "CommissionCollected",
        "CommissionWaived",
        "FundsToTable",
        "LinesSettled",
        "RoundVoided",
        "SettlementReversed",
        "ShoeCommitted",
    }
    assert any(balances(evening(seed)) for seed in range(3))
