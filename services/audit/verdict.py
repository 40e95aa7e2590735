"""The verdict on one bundle: all checks made in one pass over its entries, one entry in memory at a time."""

import os
from binascii import hexlify
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from hashlib import sha256
from multiprocessing import get_context
from pathlib import Path

import msgspec
from msgspec import Raw, Struct

from schemas.bundle import Bundle, UnreadableBundleError, open_bundle
from schemas.entry import Entry
from schemas.events import AnyEvent, ShoeClosed, ShoeCommitted, ShoeVoided
from schemas.reading import UnreadableError, read
from services.audit.chain import Chain
from services.audit.commands import Commands
from services.audit.findings import CHECKS, NO_LEDGER, CheckName, Page, Report, not_made
from services.audit.log import LogCheck, Trust
from services.audit.money import MoneyCheck
from services.audit.phases import name_of
from services.audit.rules import RulesCheck
from services.audit.shoe import ShoeCheck
from services.audit.watchers import Watcher

Watchers = dict[type[AnyEvent], tuple[Watcher, ...]]
LooseRow = tuple[bytes, int, bytes, bytes, bytes, bytes, AnyEvent | None]
# Below this, starting a process costs more than it saves.
WORTH_A_PROCESS_BYTES = 1 << 21
PASSED, FAILED, INCOMPLETE, UNREAD = 0, 1, 2, 3
WORST_FIRST = (FAILED, UNREAD, INCOMPLETE, PASSED)
_ENTRY = msgspec.json.Decoder(Entry)


class _Head(Struct, frozen=True, kw_only=True):
    """An entry of which only its place can be read."""

    stream: str
    version: int
    at: str
    actor: str
    command: str
    prev: str
    event: Raw


_HEAD = msgspec.json.Decoder(_Head)


class Judgement(Struct, frozen=True, kw_only=True):
    """The report on one file, and what is said beside it to people. `unread`: why the file could not be read."""

    report: Report
    entropy_reason: str = ""
    unread: str = ""

    @property
    def exit_code(self) -> int:
        """The exit status for this file alone."""
        results = {check.result for check in self.report.checks if check.check != "ledger"}
        if self.unread:
            return UNREAD
        if "failed" in results:
            return FAILED
        return PASSED if results == {"passed"} and self.report.complete else INCOMPLETE


class Auditor:
    """One bundle under audit."""

    def __init__(self, bundle: Bundle, trust: Trust) -> None:
        self._bundle = bundle
        self._trust = trust
        self._pages: dict[CheckName, Page] = {check: Page(check) for check in CHECKS}
        self._chain = Chain(self._pages["chain"])
        self._commands = Commands(self._pages["rules"])
        self._shoe: ShoeCheck | None = None
        self._committed: ShoeCommitted | None = None
        self._watchers: Watchers = {}
        self._is_complete = False

    def audit(self) -> Judgement:
        """Read the bundle and judge it. Raises UnreadableBundleError when it proves to be damaged on the way."""
        last_leaf = self._read()
        manifest = self._bundle.manifest
        if self._bundle.is_unended:
            self._pages["bytes"].note(self._chain.last, "the last line does not end with a line feed")
        committed = self._committed
        shoe = None if committed is None else committed.shoe
        self._chain.finish(manifest, shoe=shoe, complete=self._is_complete)
        LogCheck(self._pages["log"], self._bundle, self._trust).finish(last_leaf)
        self._commands.finish()
        if self._shoe is not None:
            self._shoe.finish()
        entropy = self._shoe and self._shoe.entropy
        checks = [not_made(c, NO_LEDGER) if c == "ledger" else page.close() for c, page in self._pages.items()]
        report = Report(
            file=_name(self._bundle.path),
            table=manifest.table,
            shoe=manifest.shoe,
            complete=self._is_complete,
            entropy=entropy.grade if entropy else None,
            checks=tuple(checks),
        )
        return Judgement(report=report, entropy_reason=entropy.reason if entropy else "")

    def _read(self) -> bytes:
        """Show every entry to every check; give the last one's leaf."""
        chain, commands, leaf = self._chain, self._commands, b""
        for line in self._bundle.lines():
            leaf = sha256(b"\x00" + line).digest()
            row: LooseRow | None
            try:
                row = read(line)
            except UnreadableError as error:
                row = self._doubt(line, error)
                if row is None:
                    chain.pass_over(hexlify(leaf))
                    continue
            stream, version, at, actor, command, prev, event = row
            chain.follow(stream, version, at, prev, hexlify(leaf))
            commands.follow(version, actor, command)
            if event is None:
                continue
            if chain.entries == 1:
                self._begin(version, stream, event)
            for watch in self._watchers.get(type(event), ()):
                watch(version, event, leaf)
            self._is_complete = type(event) is ShoeClosed or type(event) is ShoeVoided
        return leaf

    def _begin(self, version: int, stream: bytes, event: AnyEvent) -> None:
        """Set up the checks that need the shoe's rules, which its first entry states."""
        if not isinstance(event, ShoeCommitted):
            self._pages["rules"].note(version, f"the bundle begins with {name_of(type(event))}, not shoe-committed")
            self._stop("the bundle does not begin with shoe-committed")
            return
        self._committed = event
        shoe_id = f"{stream.decode().removeprefix('table/')}/{event.shoe}"
        self._shoe = ShoeCheck(self._pages["shoe"], shoe_id, event, self._trust.signers)
        rules = RulesCheck(self._pages["rules"], self._commands, event)
        money = MoneyCheck(self._pages["money"], self._pages["rules"], rules.layout, event.rules)
        every = [check.watchers() for check in (self._shoe, money, rules)]
        kinds = {kind for watchers in every for kind in watchers}
        self._watchers = {kind: tuple(w[kind] for w in every if kind in w) for kind in kinds}

    def _doubt(self, line: bytes, error: UnreadableError) -> LooseRow | None:
        """Note what is wrong with a line's bytes; read it as well as it can be read all the same."""
        row = _loosely(line)
        version = row[1] if row else self._chain.last + 1
        page = self._pages["bytes"]
        if error.unknown_schema:
            page.leave(f"the entry of version {version} is of a schema that this verifier does not know")
        else:
            page.note(version, str(error))
        if row is None or row[6] is None:
            self._stop(f"the entry of version {version} cannot be read, and nothing after it was checked")
        return row

    def _stop(self, why: str) -> None:
        """Go on without the checks that need to know what every entry says."""
        self._watchers = {}
        for check in ("shoe", "rules", "money"):
            self._pages[check].leave(why)


def _loosely(line: bytes) -> LooseRow | None:
    """Read a line whose bytes are wrong: whole, or at least its place; None when there is not even that."""
    event: AnyEvent | None = None
    head: Entry | _Head
    try:
        head = _ENTRY.decode(line)
        event = head.event
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        try:
            head = _HEAD.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return None
    texts = (head.stream, head.at, head.actor, head.command, head.prev)
    stream, at, actor, command, prev = (text.encode("utf-8", "backslashreplace") for text in texts)
    return stream, head.version, at, actor, command, prev, event


def judge(path: Path, trust: Trust) -> Judgement:
    """Judge one bundle, whatever it is."""
    try:
        return Auditor(open_bundle(path), trust).audit()
    except UnreadableBundleError as error:
        return _unread(path, str(error))
    except MemoryError:
        return _unread(path, "it needs more memory than there is")


def _unread(path: Path, why: str) -> Judgement:
    """Give the judgement on a file that could not be read: nothing can be said of it."""
    checks = tuple(not_made(check, f"the file could not be read: {why}") for check in CHECKS)
    report = Report(file=_name(path), table=None, shoe=None, complete=False, entropy=None, checks=checks)
    return Judgement(report=report, unread=why)


def judge_all(paths: Sequence[Path], trust: Trust) -> list[Judgement]:
    """Judge several bundles, in the order given, on as many cores as there are."""
    cores = min(os.cpu_count() or 1, len(paths))
    if cores == 1 or sum(map(_size, paths)) < WORTH_A_PROCESS_BYTES:
        return [judge(path, trust) for path in paths]
    # Spawned, not forked: whoever calls this may run threads.
    with ProcessPoolExecutor(cores, mp_context=get_context("spawn")) as pool:
        return list(pool.map(judge, paths, [trust] * len(paths)))


def _name(path: Path) -> str:
    """Give a file's name as text that can be written, whatever bytes it is made of."""
    return str(path).encode("utf-8", "backslashreplace").decode()


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def worst(codes: Iterable[int]) -> int:
    """Give the exit status for several files."""
    found = set(codes)
    return next(code for code in WORST_FIRST if code in found)
