"""Whole logs: several tables and accounts in one log, dictated by the game's own decisions, and written as a folder."""

from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from schemas.accounts import (
    AccountOpened,
    FundsDeposited,
    FundsFromTable,
    FundsToTable,
    FundsWithdrawn,
    LogSucceeded,
)
from schemas.checkpoint import Checkpoint, sign
from schemas.entry import NO_PREV, Entry, encode, leaf
from schemas.events import AnyEvent, BetPlaced, BetsClosed, BetWithdrawn, RoundOpened, TableClosed, TableOpened
from schemas.note import Signer
from schemas.policy import encode as encode_policy
from schemas.policy import of_log
from schemas.rules import Rules
from schemas.tile import ENTRIES, pack, tiles_of
from schemas.tree import root
from services.table.game import floor, play, shoes, wagers
from services.table.game.evolve import evolve
from services.table.game.shoe import derive, mix, seed_commitment
from services.table.game.state import Table
from tests.audit.tapes import LOG, house_rules, limits_of

DAY = "2026-11-30T10:00:00."
COUNTED = {"counted_by": "cashier:ina", "verified_by": "floor:ben"}


class Dictated(Struct, frozen=True, kw_only=True):
    """An entry as it is dictated: on which stream, by which command."""

    stream: str
    command: str
    actor: str
    event: AnyEvent


class Casino:
    """Everything that is dictated, in the order of the log."""

    def __init__(self) -> None:
        self.dictated: list[Dictated] = []
        self._commands = 0

    def do(self, *entries: tuple[str, AnyEvent], actor: str = "dealer:anna") -> None:
        """Dictate the entries of one command."""
        self._commands += 1
        self.dictated += [
            Dictated(stream=stream, command=f"c{self._commands}", actor=actor, event=event) for stream, event in entries
        ]

    def find(self, kind: type[AnyEvent], number: int = 0, *, stream: str = "") -> int:
        """The place of the so-manieth entry of a kind; negative from the end."""
        found = [
            n for n, one in enumerate(self.dictated) if isinstance(one.event, kind) and one.stream.startswith(stream)
        ]
        return found[number]

    def change(self, place: int, **fields: object) -> None:
        """Let an entry say something else."""
        one = self.dictated[place]
        self.dictated[place] = replace(one, event=replace(one.event, **fields))

    def lines(self, *, start: int = 0) -> list[bytes]:
        """Every line from a place on, numbered, linked, digests computed: whoever owns the log signs what he likes."""
        return list(_sealed(self.dictated))[start:]


def _sealed(dictated: Iterable[Dictated]) -> Iterable[bytes]:
    ends: dict[str, tuple[int, str]] = {}
    digests: dict[str, bytes] = {}
    for number, one in enumerate(dictated):
        version, prev = ends.get(one.stream, (0, NO_PREV))
        event = one.event
        if isinstance(event, RoundOpened):
            digests[one.stream] = b""
        if isinstance(event, BetsClosed):
            event = replace(event, digest=sha256(digests[one.stream]).hexdigest())
        line = encode(
            Entry(
                id=sha256(b"%d" % number).hexdigest()[:32],
                stream=one.stream,
                version=version + 1,
                at=f"{DAY}{number:06}Z",
                actor=one.actor,
                command=one.command,
                schema=1,
                prev=prev,
                event=event,
            )
        )
        if isinstance(event, BetPlaced | BetWithdrawn):
            digests[one.stream] += leaf(line)
        ends[one.stream] = version + 1, leaf(line).hex()
        yield line


class Salon:
    """One table of a casino."""

    def __init__(self, casino: Casino, name: str, *, rules: Rules | None = None) -> None:
        self.casino = casino
        self.name = name
        self._table: Table | None = None
        self._shoe_seed = b""
        rules = rules or house_rules(decks=1)
        opening = TableOpened(
            table=name,
            name=f"Salon {name}",
            currency="EUR",
            rules=rules,
            limits=limits_of(rules),
            float=((100_000, 20),),
            **COUNTED,
        )
        self.do(floor.open_table(None, opening))

    @property
    def stream(self) -> str:
        """Its stream."""
        return f"table/{self.name}"

    @property
    def table(self) -> Table:
        """The table as it is."""
        assert self._table is not None
        return self._table

    def do(self, events: Sequence[AnyEvent], actor: str = "dealer:anna") -> None:
        """One command at the table."""
        for event in events:
            self._table = evolve(self._table, event)  # type: ignore[arg-type]
        self.casino.do(*((self.stream, event) for event in events), actor=actor)

    def buy(self, patron: str, amount: int) -> None:
        """Put chips before a patron."""
        self.do(floor.buy_chips(self.table, patron=patron, amount=amount, means="cash"))

    def cash(self, patron: str, amount: int) -> None:
        """Let a patron take chips away."""
        self.do(floor.cash_chips(self.table, patron=patron, amount=amount, means="cash"))

    def start(self, seed: bytes | None = None) -> None:
        """Commit to a shoe, shuffle, burn."""
        shoe_id = f"{self.name}/{self.table.shoes + 1}"
        self._shoe_seed = seed or sha256(shoe_id.encode()).digest()
        committed = shoes.commit(self.table, seed_commitment=seed_commitment(shoe_id, self._shoe_seed))
        procedure = self.table.rules.procedure
        self._cards = derive(seed=self._shoe_seed, shoe_id=shoe_id, decks=procedure.decks, mix=mix(()))
        self.do([*committed, *shoes.sealed(self.table.shoes + 1, procedure, self._cards, mix=mix(()))])

    def coup(self, *bets: tuple[str, str, int]) -> None:
        """A whole coup."""
        self.do(play.open_round(self.table))
        for patron, bet, amount in bets:
            self.do(wagers.place_bets(self.table, [(patron, bet, amount)]), f"patron:{patron}")
        self.do(play.close_bets(self.table, count=len(bets), digest="0" * 64))
        self.do(play.deal(self.table, self._cards))

    def close(self) -> None:
        """End the shoe."""
        self.do(shoes.close(self.table, seed=self._shoe_seed, reason="early"))

    def void(self, reason: str = "misdeal") -> None:
        """Give the shoe up."""
        self.do(shoes.void(self.table, seed=self._shoe_seed, reason=reason, approved_by=("floor:ben",)))

    def shut(self) -> None:
        """Everybody cashes, and the table closes."""
        for patron in sorted(self.table.stacks):
            if self.table.debt(patron):
                self.do(floor.collect_commission(self.table, patron=patron, amount=self.table.debt(patron)))
            if self.table.stack(patron):
                self.cash(patron, self.table.stack(patron))
        self.do(floor.close_table(self.table, TableClosed(float=((100_000, 20),), **COUNTED)))


class Purse:
    """A patron's account."""

    def __init__(self, casino: Casino, patron: str) -> None:
        self.casino = casino
        self.patron = patron
        self.balance = 0
        casino.do((self.stream, AccountOpened(currency="EUR")))

    @property
    def stream(self) -> str:
        """Its stream."""
        return f"patron/{self.patron}"

    def deposit(self, amount: int) -> None:
        """Take money in."""
        self.balance += amount
        self.casino.do((self.stream, FundsDeposited(amount=amount, means="cash", balance=self.balance)))

    def withdraw(self, amount: int) -> None:
        """Give money out."""
        self.balance -= amount
        self.casino.do((self.stream, FundsWithdrawn(amount=amount, means="cash", balance=self.balance)))

    def to_table(self, salon: Salon, amount: int) -> None:
        """Bring chips to a table."""
        self.balance -= amount
        moved = FundsToTable(table=salon.name, amount=amount, balance=self.balance)
        self._with(salon, moved, floor.buy_chips(salon.table, patron=self.patron, amount=amount, means="account"))

    def from_table(self, salon: Salon, amount: int) -> None:
        """Bring chips back."""
        self.balance += amount
        moved = FundsFromTable(table=salon.name, amount=amount, balance=self.balance)
        self._with(salon, moved, floor.cash_chips(salon.table, patron=self.patron, amount=amount, means="account"))

    def _with(self, salon: Salon, moved: AnyEvent, events: Sequence[AnyEvent]) -> None:
        for event in events:
            evolve(salon.table, event)  # type: ignore[arg-type]
        self.casino.do((self.stream, moved), *((salon.stream, event) for event in events))


def an_evening() -> Casino:
    """Two tables and an account: four shoes that are over, one of them voided, with chips moved between them."""
    casino = Casino()
    red, blue = Salon(casino, "red"), Salon(casino, "blue")
    ada = Purse(casino, "ada")
    red.buy("bob", 300_000)
    ada.deposit(500_000)
    ada.to_table(red, 200_000)
    ada.to_table(blue, 100_000)
    red.start()
    blue.start()
    red.coup(("ada", "banker", 20_000), ("bob", "player", 700))
    blue.coup(("ada", "banker", 10_000))
    red.coup(("ada", "banker", 30_000))
    red.close()
    blue.void()
    red.cash("bob", 10_000)
    ada.from_table(red, 5_000)
    red.do(floor.change_limits(red.table, limits=limits_of(red.table.rules, most=60_000)))
    red.buy("cy", 90_000)
    red.start()
    blue.start()
    red.coup(("ada", "banker", 20_000), ("cy", "tie", 700))
    blue.coup(("ada", "player", 10_000))
    red.do(floor.change_limits(red.table, limits=limits_of(red.table.rules, most=50_000)))
    red.close()
    blue.close()
    ada.withdraw(1_000)
    red.shut()
    return casino


def succeeded(old: bytes, *, origin: str = LOG.verifier.name) -> LogSucceeded:
    """The first entry of a log that goes on where another was finished."""
    return LogSucceeded(origin=origin, checkpoint=old.decode(), reason="restored")


def checkpoint_of(lines: Sequence[bytes], signer: Signer = LOG) -> bytes:
    """The signed checkpoint over these lines."""
    size, leaves = len(lines), [leaf(line) for line in lines]
    return sign(Checkpoint(origin=signer.verifier.name, size=size, root=root(leaves)), signer)


def write(
    folder: Path,
    lines: Sequence[bytes],
    *,
    signer: Signer = LOG,
    garble: Callable[[list[bytes]], list[bytes]] | None = None,
) -> Path:
    """Write a log's folder, tiles and all; `garble` changes the lines after everything was signed."""
    folder.mkdir(parents=True)
    (folder / "checkpoint").write_bytes(checkpoint_of(lines, signer))
    (folder / "policy").write_bytes(encode_policy(of_log(signer.verifier)))
    rows = [[leaf(line) for line in lines]]
    while len(rows[-1]) >= 256:
        rows.append([root(rows[-1][at : at + 256]) for at in range(0, len(rows[-1]) // 256 * 256, 256)])
    for tile in tiles_of(len(lines)):
        _put(folder / tile.path, b"".join(rows[tile.level][tile.start : tile.end]))
    for tile in tiles_of(len(lines), level=ENTRIES):
        _put(folder / tile.path, pack(lines[tile.start : tile.end]))
    written = list(lines) if garble is None else garble(list(lines))
    (folder / "entries.jsonl").write_bytes(b"".join(line + b"\n" for line in written))
    return folder


def _put(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
