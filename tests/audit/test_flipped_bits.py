"""One flipped bit, in every member and in every kind of entry: both verifiers find it, or it proves nothing to anybody.

What may be flipped unseen is told here in full, and is unauthenticated by design: comments and addresses in a policy,
names of witnesses that no quorum asks for, the `extra` line of a proof.
"""

import random
import re
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import get_args

from schemas import note
from schemas.bundle import CHECKPOINT, ENTRIES, POLICY, PROOF, SHOE, Manifest
from schemas.bundle import write as write_bundle
from schemas.checkpoint import Checkpoint
from schemas.checkpoint import sign as sign_checkpoint
from schemas.entry import leaf
from schemas.events import TableEvent
from schemas.note import COSIGNATURE, Signer
from schemas.proof import Proof
from schemas.proof import encode as encode_proof
from schemas.tree import inclusion_proof, leaf_nodes, root
from services.audit.log import Trust
from services.audit.verdict import judge_path
from tests.audit import tapes
from tests.audit.both import both_say, disagreements, gist, zipped
from tests.audit.page.node import NEEDS_NODE
from tests.audit.parties import a_banque, a_chemin, a_dining
from tests.audit.salons import an_evening, write
from tests.audit.tapes import LOG
from tests.audit.test_rounds import Round

SEED = 20261201
GOLDEN = Path("schemas/golden/bundles")
WITNESSES = {name: Signer(f"{name}.example/w", name.encode() * 32, algorithm=COSIGNATURE) for name in "abc"}
STRANGER = Signer("stranger.example/log", b"s" * 32)
BETWEEN_SHOES = {"table-opened", "table-closed"}
Members = dict[str, bytes]
TYPE = re.compile(rb'"event":\{"type":"([a-z-]+)"')


def members_of(path: Path) -> Members:
    with zipfile.ZipFile(path) as bundle:
        return {name: bundle.read(name) for name in bundle.namelist()}


def cosigned(path: Path) -> Path:
    """A shoe whose policy has a comment, addresses and a witness too many, and whose proof has an extra line."""
    tape = tapes.at_once()
    lines = tape.lines()
    leaves = [leaf(line) for line in lines]
    last = len(leaves) - 1
    state = Checkpoint(origin=LOG.verifier.name, size=len(leaves), root=root(leaves))
    shown = sign_checkpoint(state, LOG, STRANGER)
    for name in "ab":
        shown = note.cosign(shown, WITNESSES[name], timestamp=1_800_000_000)
    hashes = tuple(inclusion_proof(last, len(leaves), leaf_nodes(leaves)))
    magic, rest = encode_proof(Proof(index=last, hashes=hashes, checkpoint=shown)).split(b"\n", 1)
    witnesses = [f"witness {name} {key.verifier.vkey} http://{name}.example/" for name, key in WITNESSES.items()]
    policy = ["# whom we believe", f"log {LOG.verifier.vkey} https://casino.example/", *witnesses]
    shoe = lines[tape.first :]
    manifest = Manifest(
        table=tapes.TABLE,
        shoe=1,
        origin=LOG.verifier.name,
        first_version=tape.first + 1,
        last_version=len(lines),
        entries=len(shoe),
        complete=True,
    )
    with path.open("wb") as file:
        write_bundle(
            file,
            lines=shoe,
            proof=magic + b"\nextra bm90aGluZw==\n" + rest,
            policy="\n".join([*policy, "group both all a b", "quorum both", ""]).encode(),
            manifest=manifest,
        )
    return path


BUNDLES: dict[str, Callable[[Path], Path]] = {
    "an evening": lambda path: tapes.an_evening().write(path),
    "frozen": lambda path: tapes.frozen().write(path),
    "a crowd": lambda path: tapes.a_crowd().write(path),
    "scanned": lambda path: tapes.scanned().write(path),
    "signed last": lambda path: tapes.signed_last(STRANGER).write(path),
    "cosigned": cosigned,
    "chemin de fer": lambda path: a_chemin(1).tape().write(path),
    "banque": lambda path: a_banque(1).tape().write(path),
    "the dining-room": lambda path: a_dining(3).tape().write(path),
    "a round": lambda path: Round(tapes.an_evening(), 4).write(path),
}


def places(members: Members, chance: random.Random, many: int) -> Iterator[tuple[str, int, str]]:
    """Draw places to flip a bit at: in every member but the entries, and in every kind of entry."""
    for name, text in members.items():
        if name not in (ENTRIES, SHOE):
            yield from ((name, chance.randrange(len(text)), name) for _ in range(4 * many))
            continue
        kinds: dict[str, list[tuple[int, int]]] = {}
        start = 0
        for line in text.splitlines(keepends=True):
            found = TYPE.search(line)
            assert found is not None
            kinds.setdefault(found[1].decode(), []).append((start, start + len(line)))
            start += len(line)
        for kind, spans in kinds.items():
            yield from ((name, chance.randrange(*chance.choice(spans)), kind) for _ in range(many))


def flipped(members: Members, name: str, at: int, bit: int) -> Members:
    text = bytearray(members[name])
    text[at] ^= 1 << bit
    return members | {name: bytes(text)}


def is_harmless(members: Members, name: str, at: int) -> bool:
    """Tell whether a byte is one of those that nothing vouches for, and that nobody reads."""
    text = members[name]
    line = text[text.rfind(b"\n", 0, at) + 1 : text.find(b"\n", at)]
    column = at - text.rfind(b"\n", 0, at) - 1
    words = line.split(b" ")
    if name.endswith(PROOF.removeprefix("last")):
        return words[0] == b"extra" and column > len(b"extra")
    if name != POLICY:
        return False
    word = line[:column].count(b" ")
    is_asked_for = any(
        b" %s" % words[1] in rule for rule in text.splitlines() if rule.startswith((b"group", b"quorum"))
    )
    return (
        (words[0] == b"#" and column > 0)
        or (words[0] == b"log" and word == 2)
        or (words[0] == b"witness" and (word == 3 or (word == 1 and not is_asked_for)))
    )


def told(folder: Path, bundles: dict[str, Members], flips: list[tuple[str, str, int, int]]) -> list[Path]:
    """Write the bundles, each with its flipped bit."""
    files = []
    for number, (bundle, name, at, bit) in enumerate(flips):
        files.append(folder / f"{number}.zip")
        files[-1].write_bytes(zipped(list(flipped(bundles[bundle], name, at, bit).items())))
    return files


def find_all(folder: Path, bundles: dict[str, Members], flips: list[tuple[str, str, int, int]], key: str) -> None:
    """Insist that both say the same of each flip, and that what neither finds is harmless."""
    ours, others = both_say(told(folder, bundles, flips), "--log-key", key)
    differences = [
        f"{flip}: {what}"
        for flip, one, other in zip(flips, ours, others, strict=True)
        for what in disagreements(one, other)
    ]
    missed = [
        flip
        for flip, one in zip(flips, ours, strict=True)
        if one["table"] is not None
        and "failed" not in gist(one).values()
        and not is_harmless(bundles[flip[0]], flip[1], flip[2])
    ]

    assert not differences, "\n".join(differences[:20])
    assert not missed


@NEEDS_NODE
def test_both_find_a_bit_flipped_in_any_member_and_any_kind_of_entry(tmp_path: Path) -> None:
    chance = random.Random(SEED)
    bundles = {name: members_of(make(tmp_path / "honest.zip")) for name, make in BUNDLES.items()}
    drawn = [(bundle, *place) for bundle, members in bundles.items() for place in places(members, chance, 2)]

    find_all(
        tmp_path, bundles, [(bundle, name, at, chance.randrange(8)) for bundle, name, at, _ in drawn], LOG.verifier.vkey
    )

    kinds = {kind for _, _, _, kind in drawn}
    assert {event.__struct_config__.tag for event in get_args(TableEvent)} - kinds <= BETWEEN_SHOES


@NEEDS_NODE
def test_both_find_a_bit_flipped_in_a_golden_bundle(tmp_path: Path) -> None:
    chance = random.Random(SEED)
    bundles = {path.name: members_of(path) for path in sorted(GOLDEN.glob("*-shoe-[0-9].zip"))}
    flips, kinds = [], set[str]()
    for bundle, members in bundles.items():
        for name, at, kind in places(members, chance, 1):
            if kind not in kinds or chance.random() < 1 / 8:
                flips.append((bundle, name, at, chance.randrange(8)))
                kinds.add(kind)

    find_all(tmp_path, bundles, flips, (GOLDEN / "log.vkey").read_text(encoding="utf-8").strip())

    assert len(kinds) > 12


@NEEDS_NODE
def test_every_byte_that_may_be_flipped_unseen_is_passed_by_both(tmp_path: Path) -> None:
    chance = random.Random(SEED)
    members = members_of(cosigned(tmp_path / "honest.zip"))
    harmless = [
        (name, at) for name in (POLICY, PROOF) for at in range(len(members[name])) if is_harmless(members, name, at)
    ]
    unknown = members[CHECKPOINT].index(STRANGER.verifier.name.encode()) + len(STRANGER.verifier.name) + 20
    in_proof = members[PROOF].index(members[CHECKPOINT]) + unknown
    files = [tmp_path / "unknown.zip", *(tmp_path / f"{number}.zip" for number in range(40))]
    twice = flipped(flipped(members, CHECKPOINT, unknown, 0), PROOF, in_proof, 0)
    files[0].write_bytes(zipped(list(twice.items())))
    for file, (name, at) in zip(files[1:], chance.sample(harmless, 40), strict=True):
        file.write_bytes(zipped(list(flipped(members, name, at, 0).items())))

    ours, others = both_say(files, "--log-key", LOG.verifier.vkey)

    assert list(map(gist, ours)) == list(map(gist, others))
    passed = ["failed" not in gist(report).values() for report in ours]
    assert passed[0]
    assert sum(passed) > 30  # a bit may make white space or a control character of a letter, and then it is found


def test_a_bit_flipped_in_any_kind_of_entry_of_a_whole_log_is_found(tmp_path: Path) -> None:
    chance = random.Random(SEED)
    lines = an_evening().lines()
    kinds: dict[bytes, list[int]] = {}
    for at, line in enumerate(lines):
        found = TYPE.search(line)
        assert found is not None
        kinds.setdefault(found[1], []).append(at)
    folder = write(tmp_path / "log", lines)
    trust = Trust(log_key=LOG.verifier)

    unfound = []
    for kind, found_at in kinds.items():
        for _ in range(3):
            at = chance.choice(found_at)
            spoiled = bytearray(lines[at])
            spoiled[chance.randrange(len(spoiled))] ^= 1 << chance.randrange(8)
            text = b"".join(each + b"\n" for each in (*lines[:at], bytes(spoiled), *lines[at + 1 :]))
            (folder / "entries.jsonl").write_bytes(text)
            if not any(judgement.exit_code == 1 for judgement in judge_path(folder, trust)):
                unfound.append((kind, bytes(spoiled)))

    assert not unfound
    assert {b"table-opened", b"table-closed", b"account-opened", b"funds-to-table"} <= kinds.keys()


def test_a_bit_flipped_anywhere_else_in_a_log_is_found(tmp_path: Path) -> None:
    chance = random.Random(SEED)
    folder = write(tmp_path / "log", an_evening().lines())
    trust = Trust(log_key=LOG.verifier)
    beside = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != "entries.jsonl")
    assert {"checkpoint", "policy"} < {path.name for path in beside}

    for path in beside:
        honest = path.read_bytes()
        for _ in range(4):
            text = bytearray(honest)
            text[chance.randrange(len(text))] ^= 1 << chance.randrange(8)
            path.write_bytes(text)

            assert any(judgement.exit_code == 1 for judgement in judge_path(folder, trust)), path
        path.write_bytes(honest)
