"""A chapter under audit: the entries of one shoe, shown to every check in one pass, with a few in memory at a time."""

from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from operator import attrgetter

from schemas.entry import Entry, UnreadableError, decode
from schemas.events import BetPlaced, ShoeCommitted
from schemas.note import Verifier
from schemas.reading import BetSeen, Reader, SeenEvent
from services.audit.banked import BankedRulesCheck
from services.audit.chain import Chain
from services.audit.commands import Commands
from services.audit.findings import CHECKS, LISTED_FINDINGS, NO_LEDGER, Check, CheckName, Page, not_made
from services.audit.loosely import Head, Placed, Tag, read_loosely
from services.audit.money import MoneyCheck
from services.audit.phases import name_of
from services.audit.rules import RulesCheck
from services.audit.shoe import ShoeCheck
from services.audit.watchers import BetWatcher, Watcher, kind_of, told
from services.table.game.state import Table

_event = attrgetter("event")
ENDS: tuple[str, ...] = ("shoe-closed", "shoe-voided")
NOBODY: tuple[Watcher, ...] = ()
BETS: frozenset[type[SeenEvent | Tag]] = frozenset({BetSeen, BetPlaced})
NO_BETS: frozenset[type[SeenEvent | Tag]] = frozenset()


class Chapter:
    """What the checks make of one shoe's entries, whoever brings them."""

    ends = ENDS

    def __init__(self, signers: Sequence[Verifier], table: Table | None = None) -> None:
        """`table` is as the shoe before has left it, where players bank and it was followed."""
        self._table = table
        self.pages: dict[CheckName, Page] = {check: Page(check) for check in CHECKS}
        self.chain = Chain(self.pages["chain"])
        self.shoe_number: int | None = None
        self.shoe: ShoeCheck | None = None
        self.money: MoneyCheck | None = None
        self.last_leaf = ""
        self.is_given_up = False
        self._signers = signers
        self._commands = Commands(self.pages["rules"])
        self._rules: RulesCheck | None = None
        self._watchers: dict[type[SeenEvent], tuple[Watcher, ...]] = {}
        self._bet_watchers: tuple[BetWatcher, ...] = ()
        # What may be shown in runs: bets, where the house banks.
        self._runs = BETS
        self._last: SeenEvent | Tag | None = None
        self._read = Reader().read

    @property
    def is_complete(self) -> bool:
        """Whether the last entry ends the shoe."""
        return not self.is_given_up and self._last is not None and tag_of(self._last) in self.ends

    @property
    def end_leaf(self) -> bytes | None:
        """The last entry's leaf; None when the entries were not read to their end."""
        return None if self.is_given_up else bytes.fromhex(self.last_leaf)

    @property
    def table(self) -> Table | None:
        """The table as this shoe has left it, where players bank; None when it could not be followed."""
        is_followed = isinstance(self._rules, BankedRulesCheck) and self.is_complete
        return self._rules.table if is_followed else None  # type: ignore[union-attr]  # said above

    def take(self, batch: Sequence[bytes], leaves: Sequence[str] = ()) -> None:
        """Show the next entries, one or more. One hash of each is its link, its part of a digest, and its leaf."""
        leaves = leaves or [sha256(b"\x00" + line).hexdigest() for line in batch]
        links = [self.last_leaf, *leaves]
        self.last_leaf = links.pop()
        read = self._read(batch, links)
        if read is None:
            self._show_one_by_one(batch, links, leaves)
            return
        if self.chain.entries == 0:
            self._begin(read.rows[0])
        self.chain.follow(read, links)
        self._show(read.rows, leaves)

    def finish(self, entries: Callable[[], Iterable[Placed]] | None) -> None:
        """Judge what the end shows. `entries` reads them all again; None: commands are looked at elsewhere."""
        if entries is not None:
            self._commands.finish(entries)
        if self._rules is not None:
            self._rules.finish()
        if self.shoe is not None:
            self.shoe.finish()

    def checks(self) -> tuple[Check, ...]:
        """Give every check as it stands."""
        return tuple(not_made(c, NO_LEDGER) if c == "ledger" else page.close() for c, page in self.pages.items())

    def _give_up(self) -> None:
        """Read no further in a file that is hardly a log at all."""
        self.is_given_up = True
        for check in ("chain", "log", "shoe", "rules", "money"):
            self.pages[check].leave(f"the file was not read to its end: {LISTED_FINDINGS} of its lines are no entries")

    def _show(self, rows: Sequence[Placed], leaves: Sequence[str]) -> None:
        """Show entries to the checks: runs of bets, which most entries are, and the others one by one."""
        self._last = rows[-1].event
        kinds = list(map(type, map(_event, rows)))
        if self._runs.issuperset(kinds):
            self._show_bets(rows, leaves)
            return
        run = 0
        for place, kind in enumerate(kinds):
            if kind in self._runs:
                continue
            self._show_bets(rows[run:place], leaves[run:place])
            run, row = place + 1, rows[place]
            self._commands.follow(row)
            for watch in self._watchers.get(kind, NOBODY):
                watch(row.version, row.event, leaves[place])
        self._show_bets(rows[run:], leaves[run:])

    def _show_bets(self, rows: Sequence[Placed], leaves: Sequence[str]) -> None:
        """Show a run of bets."""
        if rows:
            self._commands.follow_all(rows)
            for watch in self._bet_watchers:
                watch(rows, leaves)

    def _show_one_by_one(self, lines: Sequence[bytes], links: Sequence[str], leaves: Sequence[str]) -> None:
        """Show entries of which one at least is not written as it should be."""
        for line, link, leaf in zip(lines, links, leaves, strict=True):
            try:
                row: Entry | Head | None = decode(line)
            except UnreadableError as error:
                row = self._doubt(line, error)
            if row is None:
                self.chain.pass_over()
                self._last = None
            else:
                if self.chain.entries == 0:
                    self._begin(row)
                self.chain.follow_closely(row, link)
                self._show([row], [leaf])
            if len(self.pages["bytes"].findings) >= LISTED_FINDINGS:
                self._give_up()
                return

    def _begin(self, row: Placed) -> None:
        """Set up the checks that need the shoe's rules, which its first entry states."""
        event = row.event
        if isinstance(event, Tag):
            return
        if not isinstance(event, ShoeCommitted):
            self.pages["rules"].note(row.version, f"the bundle begins with {name_of(kind_of(event))}")
            self._stop("the bundle does not begin with shoe-committed")
            return
        self.shoe_number = event.shoe
        shoe_id = f"{row.stream.removeprefix('table/')}/{event.shoe}"
        self.shoe = ShoeCheck(self.pages["shoe"], shoe_id, event, self._signers)
        if event.rules.game == "house":
            self._rules = rules = RulesCheck(self.pages["rules"], self._commands, event)
        else:
            self._rules = rules = BankedRulesCheck(self.pages["rules"], self._commands, event, self._table)
            self._runs = NO_BETS
        self.money = money = MoneyCheck(self.pages["money"], self.pages["rules"], rules.layout, event.rules)
        self._bet_watchers = (money.place, rules.place)
        self._watchers = told(self.shoe.watchers(), money.watchers(), rules.watchers())

    def _doubt(self, line: bytes, error: UnreadableError) -> Entry | Head | None:
        """Note what is wrong with a line's bytes; read it as well as it can be read all the same."""
        row = read_loosely(line)
        version = self.chain.last + 1 if row is None else row.version
        page = self.pages["bytes"]
        if error.unknown_schema:
            page.leave(f"the entry of version {version} is of a schema that this verifier does not know")
        else:
            page.note(version, str(error))
        if not isinstance(row, Entry):
            self._stop(f"the entry of version {version} cannot be read, and nothing after it was checked")
        return row

    def _stop(self, why: str) -> None:
        """Go on without the checks that need to know what every entry says."""
        self._watchers, self._bet_watchers = {}, ()
        for check in ("shoe", "rules", "money"):
            self.pages[check].leave(why)


def tag_of(event: SeenEvent | Tag) -> str:
    """Give an event's name as the log writes it."""
    return event.type if isinstance(event, Tag) else name_of(kind_of(event))
