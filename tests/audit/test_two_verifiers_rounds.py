"""Both verifiers say the same of one round alone: honest ones, lies about them, and flipped bits."""

import os
import random
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import pytest

from schemas.bundle import ENTRIES, MANIFEST, PROOF, SHOE, shoe_proof
from schemas.checkpoint import Checkpoint
from schemas.checkpoint import sign as sign_checkpoint
from schemas.entry import leaf
from schemas.proof import Proof
from schemas.proof import encode as encode_proof
from schemas.tree import inclusion_proof, leaf_nodes, root
from tests.audit import tapes
from tests.audit.both import differences, gist, zipped
from tests.audit.dealt import REGULATOR
from tests.audit.page.node import NEEDS_NODE, verify
from tests.audit.tapes import LOG, Tape
from tests.audit.test_mutations import changed
from tests.audit.test_rounds import Round

pytestmark = NEEDS_NODE
TRUST = ("--log-key", LOG.verifier.vkey)
TAPES: dict[str, Callable[[], Tape]] = {
    "an evening": tapes.an_evening,
    "at once": tapes.at_once,
    "out of cards": tapes.out_of_cards,
    "frozen": tapes.frozen,
    "a crowd": tapes.a_crowd,
    "signed last": lambda: tapes.signed_last(REGULATOR),
    "scanned": tapes.scanned,
}
LIES = int(os.environ.get("SHOELOG_LIES", "700")) // 3


def rounds() -> list[Round]:
    """Every round of every tape that came to an end."""
    made = []
    for tell in TAPES.values():
        tape, number = tell(), 1
        while True:
            try:
                made.append(Round(tape, number))
            except (StopIteration, IndexError):
                break
            number += 1
    return made


def members_of(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as bundle:
        return {name: bundle.read(name) for name in bundle.namelist()}


def test_both_pass_every_honest_round(tmp_path: Path) -> None:
    files = [one.write(tmp_path / f"{number}.zip") for number, one in enumerate(rounds())]

    status, reports = verify(*TRUST, files=files)

    assert len(files) > 30
    assert not list(differences(files, *TRUST))
    assert not list(differences(files[:5]))
    assert status == 2
    assert not [report for report in reports if "failed" in gist(report).values()]


def test_both_say_the_same_of_a_round_about_which_the_operator_lies(tmp_path: Path) -> None:
    chance = random.Random(20261201)
    known = [one for one in rounds() if one.last < 400]
    files: list[Path] = []
    while len(files) < LIES:
        one = chance.choice(known)
        place = chance.choice([*range(one.first, one.last + 1), *one.shoe * 3])
        others = list(changed(one.tape.facts[place]))
        if others:
            lie = Round.__new__(Round)
            lie.__dict__.update(one.__dict__ | {"tape": one.tape.put(place, chance.choice(others)[1])})
            files.append(lie.write(tmp_path / f"{len(files)}.zip"))

    found = list(differences(files, *TRUST))
    _, reports = verify(*TRUST, files=files)

    assert not found, "\n".join(found[:20])
    assert sum("failed" in gist(report).values() for report in reports) > LIES // 2


def _drop(lines: list[bytes], chance: random.Random) -> None:
    if len(lines) > 1:
        lines.pop(chance.randrange(len(lines)))


def _move(lines: list[bytes], into: list[bytes], chance: random.Random) -> None:
    into.insert(chance.randrange(len(into) + 1), chance.choice(lines))


Twist = Callable[[list[bytes], list[bytes], random.Random], None]
TWISTS: dict[str, Twist] = {
    "a line of the round less": lambda _, lines, chance: _drop(lines, chance),
    "a line of the shoe less": lambda shoe, _, chance: _drop(shoe, chance),
    "the round's lines shuffled": lambda _, lines, chance: chance.shuffle(lines),
    "the shoe's lines shuffled": lambda shoe, _, chance: chance.shuffle(shoe),
    "a line of the round in the shoe": lambda shoe, lines, chance: _move(lines, shoe, chance),
    "a line of the shoe in the round": _move,
    "a line of the shoe twice": lambda shoe, _, chance: shoe.append(chance.choice(shoe)),
    "no shoe": lambda shoe, _, __: shoe.clear(),
    "an empty line in the shoe": lambda shoe, _, chance: shoe.insert(chance.randrange(len(shoe) + 1), b""),
    "an empty line in the round": lambda _, lines, chance: lines.insert(chance.randrange(len(lines) + 1), b""),
    "a newer line in the shoe": lambda shoe, _, __: shoe.append(shoe[0].replace(b'"schema":1', b'"schema":2')),
    "a long line in the shoe": lambda shoe, _, __: shoe.append(b"x" * 70_000),
    "the first line loosely written": lambda _, lines, __: lines.insert(0, lines.pop(0) + b" "),
    "the last line loosely written": lambda _, lines, __: lines.append(lines.pop() + b" "),
    "nothing but empty lines": lambda _, lines, __: lines.__setitem__(slice(None), [b""] * 10_001),
}


def logged_anew(path: Path, members: dict[str, bytes], shoe: Sequence[bytes], lines: Sequence[bytes]) -> Path:
    """Log and sign these lines, and nothing else, as the operator does."""
    leaves = [leaf(line) for line in (*shoe, *lines)]
    node, size = leaf_nodes(leaves), len(leaves)
    note = sign_checkpoint(Checkpoint(origin=LOG.verifier.name, size=size, root=root(leaves)), LOG)
    proofs = {
        shoe_proof(at + 1): encode_proof(
            Proof(index=at, hashes=tuple(inclusion_proof(at, size, node)), checkpoint=note)
        )
        for at in range(len(shoe))
    }
    kept = {name: text for name, text in members.items() if not name.startswith("shoe-")}
    last = encode_proof(Proof(index=size - 1, hashes=tuple(inclusion_proof(size - 1, size, node)), checkpoint=note))
    manifest = msgspec.json.decode(members[MANIFEST]) | {"entries": len(lines)}
    kept |= {SHOE: b"".join(line + b"\n" for line in shoe), ENTRIES: b"".join(line + b"\n" for line in lines)}
    kept |= {PROOF: last, "checkpoint": note, MANIFEST: msgspec.json.encode(manifest)}
    path.write_bytes(zipped([*kept.items(), *proofs.items()]))
    return path


@pytest.mark.parametrize("seed", [1, 2])
def test_both_say_the_same_of_lines_out_of_place(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    known = [one for one in rounds() if one.last < 400]
    files = []
    for name, twist in TWISTS.items():
        for number in range(3):
            members = members_of(chance.choice(known).write(tmp_path / "honest.zip"))
            shoe, lines = (members[each].split(b"\n")[:-1] for each in (SHOE, ENTRIES))
            twist(shoe, lines, chance)
            files.append(logged_anew(tmp_path / f"{name} {number}.zip", members, shoe, lines))

    found = list(differences(files, *TRUST))

    assert not found, "\n".join(found[:20])


def test_both_say_the_same_of_a_rounds_odd_members(tmp_path: Path) -> None:
    members = members_of(Round(tapes.an_evening(), 3).write(tmp_path / "honest.zip"))
    manifest = msgspec.json.decode(members[MANIFEST])
    odd: dict[str, dict[str, bytes]] = {
        f"without {name}": {k: v for k, v in members.items() if k != name} for name in members
    }
    for name in members:
        odd[f"empty {name}"] = members | {name: b""}
        odd[f"cut {name}"] = members | {name: members[name][:-1]}
        odd[f"as of another {name}"] = members | {name: members[PROOF]}
    for key, value in (
        ("round", 4),
        ("round", 0),
        ("shoe", 2),
        ("complete", True),
        ("format", "shoe-bundle/v1"),
        ("x", 1),
    ):
        odd[f"{key} {value}"] = members | {MANIFEST: msgspec.json.encode(manifest | {key: value})}
    odd["no round"] = members | {MANIFEST: msgspec.json.encode({k: v for k, v in manifest.items() if k != "round"})}
    odd["a proof more"] = members | {shoe_proof(9): b""}
    odd["a proof too many"] = members | {
        shoe_proof(len([name for name in members if "shoe-" in name]) + 1): members[PROOF]
    }
    files = []
    for number, content in enumerate(odd.values()):
        files.append(tmp_path / f"{number}.zip")
        files[-1].write_bytes(zipped(list(content.items())))

    found = list(differences(files, *TRUST))

    assert not found, "\n".join(f"{list(odd)[int(what.split(':')[0])]}: {what}" for what in found[:20])
