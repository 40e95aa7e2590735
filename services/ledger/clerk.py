"""The clerk: reads the books for whoever asks, each page in one snapshot."""

import contextlib
from collections import defaultdict
from collections.abc import AsyncIterator
from fractions import Fraction
from itertools import groupby
from typing import Any

import asyncpg

from services.door.keys import Caller
from services.ledger import pages
from services.ledger.book.accounts import CHART, class_of
from services.ledger.pages import By, exact

Sums = dict[str, int]
_GROUPS: dict[By, str] = {"table": "at_table", "shoe": "at_table, shoe", "patron": "patron"}
_COUPS: dict[By, str] = {
    "table": "at_table, currency, sum(rounds)::bigint rounds, sum(voided)::bigint voided from shoe group by 1, 2",
    "shoe": "at_table, shoe, currency, rounds, voided from shoe",
    "patron": "'' patron, '' currency, 0 rounds, 0 voided where false",
}
_FIGURES = """
with bet as (
    select {group}, currency, sum(bets)::bigint bets, sum(handle) handle, sum(win) win, sum(commission) commission,
           sum(marked) marked, sum(collected) collected, sum(waived) waived
    from figure where $1 in ('', at_table) group by {group}, currency
),
coup as (select {coups})
select * from bet full join coup using ({group}, currency)
{at_table} order by {group}, currency offset $2 limit $3
"""
_STATEMENT = """
with page as (
    select distinct p.position from account a cross join lateral (
        select position from posting where account = a.id and position > $2 order by position limit $3
    ) p where a.{column} = $1 order by 1 limit $3
)
select p.position, to_char(e.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') at, e.what, e.stream,
       a.path, a.currency, p.amount, p.before, p.after
from page join posting p using (position) join account a on a.id = p.account join entry e using (position)
where a.{column} = $1 order by p.position, p.line
"""
_TRIAL = """
select currency, pattern, count(*) accounts,
       sum(greatest(balance, 0)) debit, sum(greatest(-balance, 0)) credit
from account group by currency, pattern order by currency, pattern
"""


class Clerk:
    """Reads from a pool; knows nothing that is not written."""

    def __init__(self, pool: asyncpg.Pool) -> None:
        self._pool = pool

    @contextlib.asynccontextmanager
    async def _snapshot(self) -> AsyncIterator[tuple[Any, int]]:
        """Open a snapshot, and tell at which position the books stand in it."""
        async with (
            self._pool.acquire() as connection,
            connection.transaction(isolation="repeatable_read", readonly=True),
        ):
            yield connection, await connection.fetchval("select position from checkpoint")

    async def answers(self) -> None:
        """Ask the books for a sign of life."""
        await self._pool.fetchval("select position from checkpoint")

    async def keys(self) -> list[tuple[bytes, Caller]]:
        """Give the hash and the bearer of every key."""
        rows = await self._pool.fetch("select hash, role, name from api_key")
        return [(row["hash"], Caller(row["role"], row["name"])) for row in rows]

    async def balances(self, *, prefix: str, after: str, limit: int) -> pages.Balances:
        """Give the accounts whose path begins with `prefix`, behind the one named by `after`."""
        path, _, currency = after.partition("|")
        async with self._snapshot() as (connection, position):
            rows = await connection.fetch(
                "select path, currency, balance, version from account"
                " where starts_with(path, $1) and (path, currency) > ($2, $3) order by path, currency limit $4",
                prefix,
                path,
                currency,
                limit + 1,
            )
        found = [_balance(*row) for row in rows[:limit]]
        last = f"{found[-1].account}|{found[-1].currency}" if len(rows) > limit else None
        return pages.Balances(position=position, balances=found, next=last)

    async def patron(self, patron: str) -> pages.PatronBalance | None:
        """Give a patron's money; None when the books do not know him."""
        async with self._snapshot() as (connection, position):
            rows = await connection.fetch(
                "select patron, at_table, currency, pattern, balance from account where patron = $1", patron
            )
        money = [_purse(currency, sums) for (currency,), sums in _summed(rows, "currency")]
        page = pages.PatronBalance(position=position, patron=patron, money=money, tables=_seats(rows))
        return page if rows else None

    async def table(self, table: str) -> pages.TableBalance | None:
        """Give a table's accounts and its patrons; None when the books do not know it."""
        async with self._snapshot() as (connection, position):
            rows = await connection.fetch(
                "select patron, at_table, currency, pattern, balance from account where at_table = $1", table
            )
            known = rows or await connection.fetch("select 1 from coup where at_table = $1", table)
        house = [_house(currency, sums) for (currency,), sums in _summed(rows, "currency")]
        page = pages.TableBalance(position=position, table=table, house=house, patrons=_seats(rows))
        return page if known else None

    async def statement(self, *, patron: str = "", table: str = "", after: int, limit: int) -> pages.Statement | None:
        """Give what moved on a patron's or a table's accounts: `limit` entries behind position `after`."""
        column, name = ("patron", patron) if patron else ("at_table", table)
        async with self._snapshot() as (connection, position):
            rows = await connection.fetch(_STATEMENT.format(column=column), name, after, limit + 1)
            known = rows or await connection.fetch(f"select from account where {column} = $1 limit 1", name)
        places = sorted({row["position"] for row in rows})
        last = places[limit - 1] if len(places) > limit else None
        movements = [_movement(row) for row in rows if last is None or row["position"] <= last]
        page = pages.Statement(position=position, of=name, movements=movements, next=last)
        return page if known else None

    async def commission(self, *, by: By, table: str, offset: int, limit: int) -> pages.Commissions:
        """Give commission, summed by table, shoe or patron."""
        position, rows, last = await self._figures(by, table, offset, limit)
        return pages.Commissions(position=position, by=by, commission=[_commission(row, by) for row in rows], next=last)

    async def figures(self, *, by: By, table: str, offset: int, limit: int) -> pages.FiguresPage:
        """Give handle, win and hold, summed by table, shoe or patron."""
        position, rows, last = await self._figures(by, table, offset, limit)
        return pages.FiguresPage(position=position, by=by, figures=[_figure(row, by) for row in rows], next=last)

    async def _figures(self, by: By, table: str, offset: int, limit: int) -> tuple[int, list[Any], int | None]:
        at_table = "" if by == "patron" else "where $1 in ('', at_table)"
        query = _FIGURES.format(group=_GROUPS[by], coups=_COUPS[by], at_table=at_table)
        async with self._snapshot() as (connection, position):
            rows = await connection.fetch(query, table, offset, limit + 1)
        return position, rows[:limit], offset + limit if len(rows) > limit else None

    async def trial_balance(self) -> pages.TrialBalance:
        """Sum both sides of every currency."""
        async with self._snapshot() as (connection, position):
            rows = await connection.fetch(_TRIAL)
        currencies = [_trial(currency, list(its)) for currency, its in groupby(rows, lambda row: str(row["currency"]))]
        balanced = all(trial.difference == 0 for trial in currencies)
        return pages.TrialBalance(position=position, balanced=balanced, currencies=currencies)


def chart() -> pages.Chart:
    """Give the chart of accounts."""
    return pages.Chart(
        accounts=[
            pages.Line(pattern=line.pattern, kind=line.kind, side=line.side, meaning=line.meaning) for line in CHART
        ]
    )


def _balance(path: str, currency: str, balance: int, version: int) -> pages.Balance:
    line = class_of(path)
    return pages.Balance(
        account=path,
        currency=currency,
        kind=line.kind,
        side=line.side,
        balance=exact(line.shown(balance)),
        postings=version,
    )


def _summed(rows: list[Any], *columns: str) -> list[tuple[tuple[Any, ...], Sums]]:
    """Sum balances by pattern, on the pattern's usual side, for every value of the columns, in order."""
    groups: dict[tuple[Any, ...], Sums] = {}
    for row in rows:
        sums = groups.setdefault(tuple(row[column] for column in columns), defaultdict(int))
        sums[row["pattern"]] += class_of(row["pattern"]).shown(row["balance"])
    return sorted(groups.items())


def _purse(currency: str, sums: Sums) -> pages.Purse:
    account, stacks = sums["patron/*/account"], sums["patron/*/stack/*"]
    escrow, owed = sums["patron/*/escrow/*/*"], sums["patron/*/owed/*"]
    total = account + stacks + escrow - owed
    return pages.Purse(
        currency=currency,
        account=exact(account),
        stacks=exact(stacks),
        escrow=exact(escrow),
        owed=exact(owed),
        total=exact(total),
    )


def _seats(rows: list[Any]) -> list[pages.Seat]:
    """Give what stands at each table for each patron; nothing where nothing stands."""
    standing = [row for row in rows if row["patron"] and row["at_table"] and row["balance"]]
    return [
        pages.Seat(
            patron=patron,
            table=table,
            currency=currency,
            stack=exact(sums["patron/*/stack/*"]),
            escrow=exact(sums["patron/*/escrow/*/*"]),
            owed=exact(sums["patron/*/owed/*"]),
        )
        for (table, patron, currency), sums in _summed(standing, "at_table", "patron", "currency")
    ]


def _house(currency: str, sums: Sums) -> pages.House:
    return pages.House(
        currency=currency,
        win=exact(sums["house/*/win"]),
        commission=exact(sums["house/*/commission"]),
        commission_owed=exact(sums["house/*/commission-owed"]),
        float=exact(sums["house/*/float"]),
        chips_out=exact(sums["house/*/chips-out"]),
        float_difference=exact(sums["house/*/float-difference"]),
    )


def _movement(row: Any) -> pages.Movement:
    line = class_of(row["path"])
    return pages.Movement(
        position=row["position"],
        at=row["at"],
        what=row["what"],
        stream=row["stream"],
        account=row["path"],
        currency=row["currency"],
        amount=exact(line.shown(row["amount"])),
        before=exact(line.shown(row["before"])),
        after=exact(line.shown(row["after"])),
    )


def _key(row: Any, by: By) -> dict[str, Any]:
    return {
        "table": row["at_table"] if by != "patron" else None,
        "shoe": row["shoe"] if by == "shoe" else None,
        "patron": row["patron"] if by == "patron" else None,
        "currency": row["currency"],
    }


def _commission(row: Any, by: By) -> pages.Commission:
    at_once, marked, collected, waived = (_sum(row, name) for name in ("commission", "marked", "collected", "waived"))
    return pages.Commission(
        **_key(row, by),
        taken=exact(at_once + collected),
        at_once=exact(at_once),
        collected=exact(collected),
        marked=exact(marked),
        waived=exact(waived),
        owed=exact(marked - collected - waived),
    )


def _figure(row: Any, by: By) -> pages.Figure:
    handle, win, taken = _sum(row, "handle"), _sum(row, "win"), _sum(row, "commission") + _sum(row, "collected")
    return pages.Figure(
        **_key(row, by),
        rounds=None if by == "patron" else row["rounds"] or 0,
        voided=None if by == "patron" else row["voided"] or 0,
        bets=row["bets"] or 0,
        handle=exact(handle),
        win=exact(win),
        hold=_ratio(win, handle),
        commission=exact(taken),
        net=exact(win + taken),
        net_hold=_ratio(win + taken, handle),
    )


def _sum(row: Any, name: str) -> int:
    """Give a sum of amounts, which the database tells as a decimal; nothing where there was nothing to add."""
    return int(row[name] or 0)


def _ratio(over: int, under: int) -> str | None:
    """Write a ratio in lowest terms."""
    if not under:
        return None
    ratio = Fraction(over, under)
    return f"{ratio.numerator}/{ratio.denominator}"


def _trial(currency: str, rows: list[Any]) -> pages.Trial:
    debit, credit = (sum(_sum(row, side) for row in rows) for side in ("debit", "credit"))
    lines = [
        pages.TrialLine(
            account=row["pattern"],
            kind=class_of(row["pattern"]).kind,
            accounts=row["accounts"],
            debit=exact(_sum(row, "debit")),
            credit=exact(_sum(row, "credit")),
        )
        for row in rows
    ]
    return pages.Trial(
        currency=currency,
        debit=exact(debit),
        credit=exact(credit),
        difference=exact(debit - credit),
        lines=lines,
    )
