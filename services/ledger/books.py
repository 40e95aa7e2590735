"""The books in their database: recall what a batch leans on, and write a batch down in one transaction."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import asyncpg
import msgspec
from msgspec import Struct

from schemas.entry import Entry
from services.ledger.book import accounts, recall
from services.ledger.book.bookkeeper import Bookkeeper
from services.ledger.book.slip import Figures, Slip
from services.ledger.book.tables import Coup
from services.ledger.feed import Tip

SCHEMA = "books"
OWNER = "shoelog_ledger_owner"
_SCRIPT = Path(__file__).with_name("books.sql")
_ONE_AT_A_TIME = 0x626F6F6B73  # "books"
_LARGEST = 2**63 - 1
_encode = msgspec.json.Encoder().encode
_coup = msgspec.json.Decoder(Coup)


class Outrun(Exception):
    """Somebody else has posted, or the books were switched: what was in mind is not what is written."""


class Balance(Struct):
    """An account as it stands: `amount` debit positive, `version` the number of its postings."""

    id: int
    amount: int
    version: int


class Desk:
    """What one cashier has in mind: the books at a position, as far as they were needed. Dropped on any failure."""

    def __init__(self, edition: UUID, position: int) -> None:
        self.edition = edition
        self.position = position
        self.keeper = Bookkeeper()
        self.balances: dict[tuple[str, str], Balance] = {}
        self.tips: dict[str, Tip] = {}
        self.known: set[str] = set()


class Sheet:
    """What a batch of entries will write."""

    def __init__(self) -> None:
        self.position = -1
        self.entries: list[tuple[int, Entry]] = []
        self.slips: list[Slip] = []
        self.streams: set[str] = set()
        self.figures: dict[tuple[str, int, str, str], Figures] = {}
        self.shoes: dict[tuple[str, int, str], list[int]] = {}

    def add(self, position: int, entry: Entry, slip: Slip) -> None:
        """Add the slip of the next entry."""
        self.position = position
        self.streams.add(entry.stream)
        if slip.amounts:
            self.entries.append((position, entry))
            self.slips.append(slip)
        for patron, brought in slip.figures.items():
            key = (slip.table, slip.shoe, patron, slip.currency)
            self.figures.setdefault(key, Figures()).add(brought)
        if slip.rounds or slip.voided:
            coups = self.shoes.setdefault((slip.table, slip.shoe, slip.currency), [0, 0])
            coups[0] += slip.rounds
            coups[1] += slip.voided


async def migrate(connection: asyncpg.Connection, schema: str = SCHEMA) -> None:
    """Make the books' tables, or bring them up to date, as their owner: running it again changes nothing."""
    async with connection.transaction():
        await connection.execute(f"set local role {OWNER}")
        await connection.execute("select pg_advisory_xact_lock($1)", _ONE_AT_A_TIME)
        await connection.execute(f'create schema if not exists "{schema}"')
        await connection.execute(f'set local search_path = "{schema}", pg_catalog, pg_temp')
        await connection.execute(_SCRIPT.read_text())
        await connection.execute(f'grant usage on schema "{schema}" to shoelog_ledger')


async def connect(url: str, schema: str = SCHEMA, *, patience_seconds: float | None = 60) -> asyncpg.Connection:
    """Connect to the books of a schema; no statement takes longer than `patience_seconds`."""
    settings = {"search_path": f'"{schema}"', "application_name": "shoelog-cashier"}
    return await asyncpg.connect(url, timeout=10, command_timeout=patience_seconds, server_settings=settings)


async def sit_down(connection: asyncpg.Connection) -> Desk:
    """Begin with what is written: edition, position, and what lies between two streams."""
    row = await connection.fetchrow("select edition, position, command from checkpoint")
    if row is None:
        raise LookupError("the books have no checkpoint")
    desk = Desk(row["edition"], row["position"])
    desk.keeper.command = row["command"]
    between = await connection.fetch("select path, currency, balance from account where path = $1", accounts.CLEARING)
    desk.keeper.clearing = recall.clearing(tuple(row) for row in between)
    return desk


async def recall_streams(connection: asyncpg.Connection, desk: Desk, streams: Iterable[str]) -> None:
    """Recall tips, tables and accounts of streams that have not been needed before."""
    unknown = sorted(set(streams) - desk.known)
    if not unknown:
        return
    tips = await connection.fetch("select stream, version, leaf from stream_tip where stream = any($1)", unknown)
    desk.tips.update((row["stream"], (row["version"], row["leaf"])) for row in tips)
    await _recall_tables(connection, desk, [name[6:] for name in unknown if name.startswith("table/")])
    await _recall_patrons(connection, desk, [name[7:] for name in unknown if name.startswith("patron/")])
    desk.known.update(unknown)


async def _recall_tables(connection: asyncpg.Connection, desk: Desk, names: list[str]) -> None:
    coups = await connection.fetch("select at_table, memory from coup where at_table = any($1)", names)
    standing = await connection.fetch(
        "select at_table, path, currency, balance from account where at_table = any($1) and balance <> 0", names
    )
    for name, memory in coups:
        coup = _coup.decode(memory)
        its = [(row["path"], row["balance"]) for row in standing if tuple(row)[::2] == (name, coup.currency)]
        desk.keeper.tables[name] = recall.table(name, coup, its)


async def _recall_patrons(connection: asyncpg.Connection, desk: Desk, names: list[str]) -> None:
    rows = await connection.fetch(
        "select patron, currency, balance from account where path = any($1)", [*map(accounts.house_account, names)]
    )
    desk.keeper.patrons.update((row["patron"], recall.patron(*row)) for row in rows)


async def write(connection: asyncpg.Connection, desk: Desk, sheet: Sheet) -> int:
    """Write a batch and move the checkpoint, all or nothing; give the number of postings. Raises Outrun."""
    async with connection.transaction():
        await _move(connection, desk, sheet)
        await _open_accounts(connection, desk, sheet)
        postings, touched = _post(desk, sheet)
        await connection.copy_records_to_table("entry", records=_entries(sheet), columns=_ENTRY)
        await connection.copy_records_to_table("posting", records=postings, columns=_POSTING)
        await connection.execute(_BALANCES, *_columns(((it.id, it.amount, it.version) for it in touched), 3))
        await _write_streams(connection, desk, sheet)
        await _write_figures(connection, sheet)
    desk.position = sheet.position
    return len(postings)


async def _move(connection: asyncpg.Connection, desk: Desk, sheet: Sheet) -> None:
    """Move the checkpoint from where the desk believes it to stand. First of all: whoever is late waits here."""
    moved = await connection.fetchval(
        "update checkpoint set position = $3, command = $4 where edition = $1 and position = $2 returning true",
        desk.edition,
        desk.position,
        sheet.position,
        desk.keeper.command,
    )
    if not moved:
        raise Outrun(f"the books no longer stand at {desk.position}")


async def _open_accounts(connection: asyncpg.Connection, desk: Desk, sheet: Sheet) -> None:
    """Recall the balances of the accounts that the batch touches, and open those that are new."""
    wanted = {(path, slip.currency): None for slip in sheet.slips for path in slip.amounts}
    unknown = [key for key in wanted if key not in desk.balances]
    if not unknown:
        return
    known = await connection.fetch(_RECALL_ACCOUNTS, *_columns(unknown, 2))
    desk.balances.update(((row["path"], row["currency"]), Balance(*tuple(row)[2:])) for row in known)
    new = [(*key, accounts.class_of(key[0]).pattern) for key in unknown if key not in desk.balances]
    if new:
        opened = await connection.fetch(_OPEN_ACCOUNTS, *_columns(new, 3))
        desk.balances.update(((row["path"], row["currency"]), Balance(row["id"], 0, 0)) for row in opened)


def _post(desk: Desk, sheet: Sheet) -> tuple[list[tuple[int, ...]], Iterable[Balance]]:
    """Give the postings as rows, each with the balance before and after, and the accounts that they touch."""
    rows: list[tuple[int, ...]] = []
    touched: dict[int, Balance] = {}
    for (position, _), slip in zip(sheet.entries, sheet.slips, strict=True):
        for line, (path, amount) in enumerate(slip.postings()):
            balance = desk.balances[path, slip.currency]
            before = balance.amount
            balance.amount = after = before + amount
            balance.version += 1
            if not -_LARGEST <= after <= _LARGEST:
                raise OverflowError(f"the balance of {path} no longer fits")
            rows.append((position, line, balance.id, balance.version, amount, before, after))
            touched[balance.id] = balance
    return rows, touched.values()


def _entries(sheet: Sheet) -> list[tuple[Any, ...]]:
    return [
        (position, entry.stream, entry.version, datetime.fromisoformat(entry.at), entry.event.__struct_config__.tag)
        for position, entry in sheet.entries
    ]


async def _write_streams(connection: asyncpg.Connection, desk: Desk, sheet: Sheet) -> None:
    """Keep the tips of the streams read, and what the book remembers of their tables."""
    streams = sorted(sheet.streams)
    await connection.execute(_TIPS, *_columns(((name, *desk.tips[name]) for name in streams), 3))
    names = [name[6:] for name in streams if name.startswith("table/")]
    coups = [(name, _encode(desk.keeper.tables[name].coup)) for name in names]
    if coups:
        await connection.execute(_COUPS, *_columns(coups, 2))


async def _write_figures(connection: asyncpg.Connection, sheet: Sheet) -> None:
    """Add to the figures."""
    if sheet.figures:
        rows = ((*key, *msgspec.structs.astuple(brought)) for key, brought in sheet.figures.items())
        await connection.execute(_FIGURES, *_columns(rows, 11))
    if sheet.shoes:
        await connection.execute(_SHOES, *_columns(((*key, *coups) for key, coups in sheet.shoes.items()), 5))


def _columns(rows: Iterable[Sequence[Any]], width: int) -> list[list[Any]]:
    """Turn rows into the arrays that `unnest` takes."""
    columns = [list(column) for column in zip(*rows, strict=True)]
    return columns or [[] for _ in range(width)]


_ENTRY = ("position", "stream", "version", "at", "what")
_POSTING = ("position", "line", "account", "version", "amount", "before", "after")
_RECALL_ACCOUNTS = """
select path, currency, id, balance, version
from account join unnest($1::text[], $2::text[]) wanted (path, currency) using (path, currency)
"""
_OPEN_ACCOUNTS = """
insert into account (path, currency, pattern)
select path, currency, pattern from unnest($1::text[], $2::text[], $3::text[]) opened (path, currency, pattern)
returning path, currency, id
"""
_BALANCES = """
update account set balance = new.balance, version = new.version
from unnest($1::bigint[], $2::bigint[], $3::bigint[]) new (id, balance, version)
where account.id = new.id
"""
_TIPS = """
insert into stream_tip (stream, version, leaf) select * from unnest($1::text[], $2::bigint[], $3::bytea[])
on conflict (stream) do update set version = excluded.version, leaf = excluded.leaf
"""
_COUPS = """
insert into coup (at_table, memory) select * from unnest($1::text[], $2::bytea[])
on conflict (at_table) do update set memory = excluded.memory
"""
_FIGURES = """
insert into figure (at_table, shoe, patron, currency, bets, handle, win, commission, marked, collected, waived)
select * from unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::bigint[],
                     $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[])
on conflict (at_table, shoe, patron, currency) do update set
    bets = figure.bets + excluded.bets,
    handle = figure.handle + excluded.handle,
    win = figure.win + excluded.win,
    commission = figure.commission + excluded.commission,
    marked = figure.marked + excluded.marked,
    collected = figure.collected + excluded.collected,
    waived = figure.waived + excluded.waived
"""
_SHOES = """
insert into shoe (at_table, shoe, currency, rounds, voided)
select * from unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[])
on conflict (at_table, shoe, currency) do update set
    rounds = shoe.rounds + excluded.rounds,
    voided = shoe.voided + excluded.voided
"""
