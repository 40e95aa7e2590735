"""The auditor: all checks made on one bundle in one pass over its entries, with one entry in memory at a time."""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from operator import attrgetter
from pathlib import Path

from schemas.bundle import Bundle, Manifest, UnreadableBundleError
from schemas.entry import Entry, UnreadableError, decode
from schemas.events import BetPlaced, ShoeCommitted
from schemas.reading import BetSeen, Reader, SeenEvent
from services.audit.chain import Chain
from services.audit.commands import Commands
from services.audit.findings import CHECKS, LISTED_FINDINGS, NO_LEDGER, CheckName, Page, Report, not_made
from services.audit.log import LogCheck, Trust
from services.audit.loosely import Head, Placed, Tag, read_loosely
from services.audit.money import MoneyCheck
from services.audit.phases import name_of
from services.audit.rules import RulesCheck
from services.audit.shoe import ShoeCheck
from services.audit.watchers import BetWatcher, Watcher, kind_of, told

_event = attrgetter("event")
ENDS = ("shoe-closed", "shoe-voided")
NOBODY: tuple[Watcher, ...] = ()


class Auditor:
    """One bundle under audit."""

    def __init__(self, bundle: Bundle, trust: Trust) -> None:
        self._bundle = bundle
        self._trust = trust
        self._pages: dict[CheckName, Page] = {check: Page(check) for check in CHECKS}
        self._chain = Chain(self._pages["chain"])
        self._commands = Commands(self._pages["rules"])
        self._shoe_number: int | None = None
        self._shoe: ShoeCheck | None = None
        self._rules: RulesCheck | None = None
        self._watchers: dict[type[SeenEvent], tuple[Watcher, ...]] = {}
        self._bet_watchers: tuple[BetWatcher, ...] = ()
        self._last: SeenEvent | Tag | None = None
        self._last_leaf = ""
        self._is_given_up = False

    @property
    def shoe(self) -> ShoeCheck | None:
        """What was found out of the shoe, once the bundle was read."""
        return self._shoe

    def audit(self) -> Report:
        """Read the bundle and judge it. Raises UnreadableBundleError when it proves to be damaged on the way."""
        self._read()
        manifest = self._manifest()
        is_complete = self._last is not None and tag_of(self._last) in ENDS
        if not self._is_given_up:
            self._finish(manifest, is_complete=is_complete)
        entropy = None if self._shoe is None else self._shoe.entropy
        return Report(
            file=printable(self._bundle.path),
            table=self._chain.table if manifest is None else manifest.table,
            shoe=self._shoe_number if manifest is None else manifest.shoe,
            complete=is_complete,
            entropy=None if entropy is None else entropy.grade,
            checks=tuple(not_made(c, NO_LEDGER) if c == "ledger" else page.close() for c, page in self._pages.items()),
        )

    def _manifest(self) -> Manifest | None:
        """Read the manifest; one that cannot be read counts nothing right."""
        try:
            return self._bundle.manifest
        except UnreadableBundleError as error:
            self._pages["chain"].note(0, str(error) if self._bundle.manifest_text else "there is no manifest")
            return None

    def _finish(self, manifest: Manifest | None, *, is_complete: bool) -> None:
        """Make the checks that the end of the bundle allows."""
        if self._bundle.is_unended:
            self._pages["bytes"].note(self._chain.last, "the last line does not end with a line feed")
        if manifest is not None:
            self._chain.finish(manifest, shoe=self._shoe_number, is_complete=is_complete)
        origin = None if manifest is None else manifest.origin
        LogCheck(self._pages["log"], self._bundle, self._trust).finish(bytes.fromhex(self._last_leaf), origin)
        self._commands.finish(self._entries)
        if self._rules is not None:
            self._rules.finish()
        if self._shoe is not None:
            self._shoe.finish()

    def _entries(self) -> Iterator[Placed]:
        """Read the bundle again, for what cannot be said without a second look."""
        return (entry for line in self._bundle.lines() if (entry := read_loosely(line)) is not None)

    def _read(self) -> None:
        """Show every entry to every check. One hash of each is its link, its part of a digest, and its leaf."""
        read, link = Reader().read, ""
        for batch in self._bundle.batches():
            leaves = [sha256(b"\x00" + line).hexdigest() for line in batch]
            links = [link, *leaves]
            link = links.pop()
            rows = read(batch, links)
            if rows is None:
                self._show_one_by_one(batch, links, leaves)
            else:
                self._show(rows, links, leaves)
            self._last_leaf = link
            if len(self._pages["bytes"].findings) >= LISTED_FINDINGS:
                self._give_up()
                return

    def _give_up(self) -> None:
        """Read no further in a file that is hardly a log at all."""
        self._is_given_up = True
        for check in ("chain", "log", "shoe", "rules", "money"):
            self._pages[check].leave(f"the file was not read to its end: {LISTED_FINDINGS} of its lines are no entries")

    def _show(self, rows: Sequence[Placed], links: Sequence[str], leaves: Sequence[str]) -> None:
        """Show entries to the checks: runs of bets, which most entries are, and the others one by one."""
        if self._chain.entries == 0:
            self._begin(rows[0])
        self._chain.follow(rows, links)
        run = 0
        for place, kind in enumerate(map(type, map(_event, rows))):
            if kind is BetSeen or kind is BetPlaced:
                continue
            self._show_bets(rows[run:place], leaves[run:place])
            run, row = place + 1, rows[place]
            self._commands.follow((row,))
            for watch in self._watchers.get(kind, NOBODY):
                watch(row.version, row.event, leaves[place])
        self._show_bets(rows[run:], leaves[run:])
        self._last = rows[-1].event

    def _show_bets(self, rows: Sequence[Placed], leaves: Sequence[str]) -> None:
        """Show a run of bets."""
        if rows:
            self._commands.follow(rows)
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
                self._chain.pass_over()
                self._last = None
            else:
                self._show([row], [link], [leaf])

    def _begin(self, row: Placed) -> None:
        """Set up the checks that need the shoe's rules, which its first entry states."""
        event = row.event
        if isinstance(event, Tag):
            return
        if not isinstance(event, ShoeCommitted):
            self._pages["rules"].note(row.version, f"the bundle begins with {name_of(kind_of(event))}")
            self._stop("the bundle does not begin with shoe-committed")
            return
        self._shoe_number = event.shoe
        shoe_id = f"{row.stream.removeprefix('table/')}/{event.shoe}"
        self._shoe = ShoeCheck(self._pages["shoe"], shoe_id, event, self._trust.signers)
        self._rules = rules = RulesCheck(self._pages["rules"], self._commands, event)
        money = MoneyCheck(self._pages["money"], self._pages["rules"], rules.layout, event.rules)
        self._bet_watchers = (money.place, rules.place)
        self._watchers = told(self._shoe.watchers(), money.watchers(), rules.watchers())

    def _doubt(self, line: bytes, error: UnreadableError) -> Entry | Head | None:
        """Note what is wrong with a line's bytes; read it as well as it can be read all the same."""
        row = read_loosely(line)
        version = self._chain.last + 1 if row is None else row.version
        page = self._pages["bytes"]
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
            self._pages[check].leave(why)


def tag_of(event: SeenEvent | Tag) -> str:
    """Give an event's name as the log writes it."""
    return event.type if isinstance(event, Tag) else name_of(kind_of(event))


def printable(path: Path) -> str:
    """Give a file's name as text that can be written, whatever bytes it is made of."""
    return str(path).encode("utf-8", "backslashreplace").decode()
