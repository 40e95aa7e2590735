"""One round alone, of a shoe that may still be open: its coup against the cards that were sealed before its first bet.

What is in force comes from a few of the shoe's own lines, each proved to be in the log. What anybody had before him
when the round began is not in the bundle, so stacks are not checked; nor is the seed, which is still a secret.
"""

import itertools
from collections.abc import Sequence
from hashlib import sha256

from msgspec import UNSET

from schemas.bundle import MOST_SHOE_LINES, SHOE, Bundle, shoe_proof
from schemas.checkpoint import Checkpoint
from schemas.entry import MAX_BYTES, Entry, UnreadableError, decode
from schemas.events import (
    CardDealt,
    ChipsCarried,
    CutCardReached,
    LimitsChanged,
    RoundOpened,
    ShoeCommitted,
    ShoeShuffled,
)
from schemas.note import Verifier
from schemas.proof import Proof
from services.audit.auditor import Auditor
from services.audit.banked import BankedRulesCheck
from services.audit.chapter import NO_BETS, NOBODY, Chapter
from services.audit.findings import Report
from services.audit.log import LogCheck, Trust
from services.audit.loosely import Placed, Tag, read_loosely
from services.audit.money import MoneyCheck
from services.audit.phases import name_of
from services.audit.rules import RulesCheck
from services.audit.shoe import ShoeCheck
from services.audit.watchers import kind_of, told

IN_FORCE = (ShoeCommitted, ChipsCarried, LimitsChanged, ShoeShuffled)
NOT_OVER = "the round is not over"
NO_SHOE = "the lines of the shoe cannot be read, so what is in force is not known"


class RoundChapter(Chapter):
    """The entries of one round, after the lines of its shoe."""

    ends = ("round-settled", "round-voided")

    def __init__(self, signers: Sequence[Verifier], shoe: Sequence[Entry], *, start: int | None) -> None:
        """`start` is the position of the round's first card, if it can be known."""
        super().__init__(signers)
        self.round: int | None = None
        self._shoe_lines = shoe
        self._start = start

    def _begin(self, row: Placed) -> None:
        """Set up the checks that need the shoe's rules, and go on from where the round begins."""
        event = row.event
        if not self._shoe_lines or not isinstance(committed := self._shoe_lines[0].event, ShoeCommitted):
            self._stop(NO_SHOE)
            return
        if isinstance(event, Tag):
            return
        if not isinstance(event, RoundOpened):
            self.pages["rules"].note(row.version, f"the round begins with {name_of(kind_of(event))}")
            self._stop("the bundle does not begin with round-opened")
            return
        self.round, self.shoe_number = event.round, committed.shoe
        shoe_id = f"{row.stream.removeprefix('table/')}/{committed.shoe}"
        self.shoe = shoe = ShoeCheck(self.pages["shoe"], shoe_id, committed, self._signers)
        if committed.rules.game == "house":
            self._rules = rules = RulesCheck(self.pages["rules"], self._commands, committed)
        else:
            self._rules = rules = BankedRulesCheck(self.pages["rules"], self._commands, committed)
            self._runs = NO_BETS
        self.money = money = MoneyCheck(self.pages["money"], self.pages["rules"], rules.layout, committed.rules)
        of_the_shoe = shoe.watchers() | {ShoeShuffled: shoe.publish_alone}
        self._watchers = told(of_the_shoe, money.watchers(), rules.watchers())
        for entry in self._shoe_lines:
            self._commands.follow(entry)
            for watch in self._watchers.get(type(entry.event), NOBODY):
                watch(entry.version, entry.event, "")
        shoe.take_up(self._start)
        money.forget_stacks()
        rules.take_up(round_before=event.round - 1, consumed=self._start)
        self._bet_watchers = (money.place, rules.place)


class RoundAuditor(Auditor):
    """A round's bundle under audit."""

    _chapter: RoundChapter
    is_complete = False  # a round is no whole shoe

    def __init__(self, bundle: Bundle, trust: Trust) -> None:
        self._shoe: list[Entry] = []
        self._leaves: list[bytes] = []
        super().__init__(bundle, trust, RoundChapter(trust.signers, self._shoe, start=_first_position(bundle)))

    def audit(self) -> Report:
        """Read the shoe's lines, then the round; judge both. Raises UnreadableBundleError as for a shoe."""
        self._read_shoe()
        return super().audit()

    def _read_shoe(self) -> None:
        """Read the shoe's lines. One that cannot be read is told, and those behind it are not believed."""
        page = self._chapter.pages["bytes"]
        *lines, rest = self._bundle.shoe_text.split(b"\n")
        if rest:
            page.note(0, f"the last line of {SHOE} does not end with a line feed")
            lines.append(rest)
        if len(lines) > MOST_SHOE_LINES:
            page.note(0, f"{SHOE} has more than {MOST_SHOE_LINES} lines")
        for number, line in enumerate(lines[:MOST_SHOE_LINES], 1):
            self._leaves.append(sha256(b"\x00" + line[: MAX_BYTES + 1]).digest())
            try:
                entry = decode(line)
            except UnreadableError as error:
                if error.unknown_schema:
                    page.leave(f"{SHOE}, line {number}, is of a schema that this verifier does not know")
                else:
                    page.note(0, f"{SHOE}, line {number}: {error}")
                self._shoe.clear()
                return
            self._shoe.append(entry)

    def _finish(self) -> None:
        """Make the checks that the end of the bundle allows."""
        chapter, pages, manifest = self._chapter, self._chapter.pages, self._bundle.manifest
        if not chapter.is_given_up:
            # Whether the shoe is over cannot be seen from one of its rounds.
            chapter.chain.finish(manifest, shoe=chapter.shoe_number, is_complete=manifest.complete)
        if chapter.round not in (None, manifest.round):
            pages["chain"].note(0, f"the manifest says round {manifest.round}; the entries say {chapter.round}")
        self._check_order()
        self._check_log()
        chapter.finish(self._entries)
        if not chapter.is_complete:
            pages["rules"].leave(NOT_OVER)

    def _check_order(self) -> None:
        """See that the shoe's lines are those in force, in the order of the stream, all before the round."""
        chain, rules = self._chapter.pages["chain"], self._chapter.pages["rules"]
        stream, before, link = self._chapter.chain.stream, 0, ""
        for place, entry in enumerate(self._shoe):
            kind = name_of(type(entry.event))
            if not isinstance(entry.event, IN_FORCE) or (place == 0) != isinstance(entry.event, ShoeCommitted):
                rules.note(entry.version, f"{kind} has no place there in {SHOE}")
            if entry.stream != stream:
                chain.note(entry.version, f"of the stream {entry.stream}, where the round is of {stream}")
            if entry.version <= before:
                chain.note(entry.version, f"{SHOE} has version {entry.version} behind version {before}")
            if entry.version == before + 1 and entry.prev != link:
                chain.note(entry.version, "prev is not the hash of the entry before it")
            if isinstance(entry.event, ChipsCarried) and entry.version != before + 1:
                rules.note(entry.version, "chips-carried does not directly go on with the list of shoe-committed")
            before, link = entry.version, self._leaves[place].hex()
        if self._shoe and before >= self._chapter.chain.first:
            chain.note(before, f"{SHOE} goes beyond the beginning of the round")
        for kind_, most in ((ShoeShuffled, 1), (LimitsChanged, 1)):
            if sum(isinstance(entry.event, kind_) for entry in self._shoe) > most:
                rules.note(0, f"{SHOE} has more than one {name_of(kind_)}")

    def _check_log(self) -> None:
        """See that the round's last entry, and each line of the shoe, are in the log, where their versions allow."""
        page = self._chapter.pages["log"]
        log = LogCheck(page, self._trust)
        last, checkpoint = log.finish_bundle(self._bundle, self._chapter.end_leaf)
        judged = {} if last is None else {last.checkpoint: checkpoint}
        places: list[tuple[int, int]] = []
        if len(self._bundle.shoe_proofs) != len(self._leaves):
            page.note(0, f"{SHOE} has {len(self._leaves)} lines, and {len(self._bundle.shoe_proofs)} have proofs")
        for number, (text, leaf) in enumerate(zip(self._bundle.shoe_proofs, self._leaves, strict=False), 1):
            proof = log.read(text, name=shoe_proof(number))
            if proof is None:
                continue
            if proof.checkpoint not in judged:
                judged[proof.checkpoint] = log.judge(proof.checkpoint, self._bundle.manifest.origin)
            checkpoint = judged[proof.checkpoint]
            if checkpoint is not None:
                log.include(checkpoint, proof, leaf, what=f"line {number} of {SHOE}")
            if len(self._shoe) >= number:
                places.append((proof.index, self._shoe[number - 1].version))
        self._check_places(places, last)
        self._check_views([checkpoint for checkpoint in judged.values() if checkpoint is not None])

    def _check_places(self, places: list[tuple[int, int]], last: Proof | None) -> None:
        """Entries of one stream stand in the log in the order of their versions, with room for those between."""
        page = self._chapter.pages["log"]
        if last is not None and not self._chapter.is_given_up:
            places = [*places, (last.index, self._chapter.chain.last)]
        for (index, version), (next_index, next_version) in itertools.pairwise(places):
            if next_version > version and next_index - index < next_version - version:
                page.note(next_version, f"at {next_index} in the log, too near to version {version} at {index}")

    def _check_views(self, checkpoints: list[Checkpoint]) -> None:
        """A log has one tree of each size."""
        roots = {(checkpoint.size, checkpoint.root) for checkpoint in checkpoints}
        if len({size for size, _ in roots}) != len(roots):
            self._chapter.pages["log"].note(0, "two of the checkpoints are of one size, and of different trees")


def _first_position(bundle: Bundle) -> int | None:
    """Find the position of the round's first card: as it is stated, or counted back from the cut card's."""
    dealt = 0
    for line in bundle.lines():
        if b'"type":"card-dealt"' not in line and b'"type":"cut-card-reached"' not in line:
            continue
        entry = read_loosely(line)
        event = entry.event if isinstance(entry, Entry) else None
        if isinstance(event, CutCardReached):
            return max(0, event.position - dealt)
        if isinstance(event, CardDealt):
            if event.position is not UNSET:
                return max(0, event.position - dealt)
            dealt += 1
    return None
