"""Two verifiers, one in Python and one in JavaScript, that share no code, say the same of every bundle, check by check.

The corpus: honest shoes of every rule set, drawn at random from all that can happen at a table; lies about them, each
by a stranger, who flips one bit, or by the operator, who links and signs again; and files that are no bundles. How many
lies, says SHOELOG_LIES (default 700).
"""

import json
import os
import random
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from schemas.note import Signer
from services.audit.verify import verify_command
from services.table.game.rules import builtin, house_banked
from tests.audit import tapes
from tests.audit.both import (
    TRUST,
    differences,
    disagreements,
    gist,
    honest_shoes,
    without,
    written,
    zipped,
)
from tests.audit.dealt import REGULATOR, Chapter, Dealt
from tests.audit.lies import Operator, flip_a_bit
from tests.audit.page.node import NEEDS_NODE, PAGE, run, verify
from tests.audit.test_receipt import Receipt
from tests.table.game.sitting import ruled

pytestmark = NEEDS_NODE
LIES = int(os.environ.get("SHOELOG_LIES", "700"))
GOLDEN = Path("schemas/golden/bundles")
SAMPLE = Path("tests/data/sample-punto-banco.zip")
ODD_VALUES = (
    ("shoe", 0),
    ("complete", 1),
    ("table", "B1"),
    ("more", 1),
    ("entries", 1.5),
    ("format", "shoe-bundle/v2"),
)


@pytest.fixture(scope="module")
def shoes() -> list[Chapter]:
    return honest_shoes()


def test_both_pass_honest_shoes_of_every_rule_set(shoes: list[Chapter], tmp_path: Path) -> None:
    files = [shoe.bind(tmp_path / f"{number}.zip") for number, shoe in enumerate(shoes)]

    status, reports = verify(*TRUST, files=files)

    assert not list(differences(files, *TRUST))
    assert status == 2  # the last shoes are open
    assert not [report for report in reports if "failed" in gist(report).values()]
    assert {report["entropy"] for report in reports} == {"operator-only", "patron", "independent", None}


def test_both_say_the_same_of_the_sample_with_and_without_its_key() -> None:
    key = (zipfile.ZipFile(SAMPLE).read("policy").decode().split())[1]

    assert not list(differences([SAMPLE], "--log-key", key))
    assert not list(differences([SAMPLE], *TRUST))
    assert not list(differences([SAMPLE]))


def test_both_pass_the_golden_bundles() -> None:
    key = (GOLDEN / "log.vkey").read_text(encoding="utf-8").strip()
    files = sorted(GOLDEN.glob("*-shoe-[0-9].zip"))

    status, reports = verify("--log-key", key, files=files)

    assert not list(differences(files, "--log-key", key))
    assert (status, len(reports)) == (0, len(house_banked()))


def test_both_pass_the_golden_bundle_of_real_cards() -> None:
    key = (GOLDEN / "real-cards/log.vkey").read_text(encoding="utf-8").strip()
    files = [GOLDEN / "real-cards/scanned-shoe-1.zip"]

    status, (report,) = verify("--log-key", key, files=files)

    assert not list(differences(files, "--log-key", key))
    assert (status, report["entropy"]) == (0, None)


def test_both_know_a_signer_by_his_key_and_not_by_his_name(shoes: list[Chapter], tmp_path: Path) -> None:
    signed = next(shoe for shoe in shoes if shoe.is_complete and b'"final_source":"signer:' in shoe.lines[0])
    namesake = Signer(REGULATOR.verifier.name, bytes(32))
    file = signed.bind(tmp_path / "signed.zip")
    trust = (*TRUST[:2], "--signer", namesake.verifier.vkey)

    _, (report,) = verify(*trust, files=[file])

    assert not list(differences([file], *trust))
    assert report["entropy"] in ("patron", "operator-only")


def test_both_say_the_same_of_every_lie(shoes: list[Chapter], tmp_path: Path) -> None:
    chance = random.Random(20261130)
    told: dict[Path, str] = {}
    for number in range(LIES):
        file = tmp_path / f"{number}.zip"
        told[file] = Operator(chance.choice(shoes), chance).lie(file)

    found = list(differences(list(told), *TRUST))

    lies = {file.stem: lie for file, lie in told.items()}
    assert not found, "\n".join(f"{lies.get(text.split(':')[0])}\n  {text}" for text in found[:20])


def test_both_find_every_flipped_bit(shoes: list[Chapter], tmp_path: Path) -> None:
    chance = random.Random(1)
    whole = [shoe for shoe in shoes if shoe.is_complete]
    told = {}
    for number in range(LIES // 2):
        file = chance.choice(whole).bind(tmp_path / f"{number}.zip")
        told[file] = flip_a_bit(file, chance)

    found = list(differences(list(told), *TRUST))
    _, reports = verify(*TRUST, files=list(told))

    assert not found, "\n".join(found[:20])
    missed = [
        told[file]
        for file, report in zip(told, reports, strict=True)
        if report["table"] and "failed" not in gist(report).values()
    ]
    assert not missed


def odd_files(members: dict[str, bytes]) -> dict[str, bytes]:
    """Give files that are no bundles, by what is wrong with them."""
    whole = zipped(list(members.items()))
    directory = whole.rindex(b"PK\1\2")
    manifest = json.loads(members["manifest.json"])
    manifests = [json.dumps(manifest | {key: value}).encode() for key, value in ODD_VALUES]
    manifests += [b"", b"{", b"[]", b"null", b"{}", b" " * 5000, members["manifest.json"][:-1] + b',"shoe":1}']
    return {
        "empty": b"",
        "not a zip": b"no zip at all, but long enough to be one",
        "cut short": whole[:-7],
        "something behind": whole + b"\0",
        "something before": b"\0" + whole,
        "a comment": zipped(list(members.items()), comment=b"hello"),
        "bzip2": zipped(list(members.items()), method=zipfile.ZIP_BZIP2),
        "encrypted": whole[: directory + 8] + b"\1" + whole[directory + 9 :],
        "traversal": zipped([*without(members, "policy"), ("../policy", members["policy"])]),
        "an absolute name": zipped([*without(members, "policy"), ("/policy", members["policy"])]),
        "one more": zipped([*members.items(), ("readme", b"")]),
        "an empty log": zipped([*without(members, "entries.jsonl"), ("entries.jsonl", b"")]),
        "a bomb": zipped([*without(members, "entries.jsonl"), ("entries.jsonl", bytes(1 << 28))]),
        **{f"no {name}": zipped(without(members, name)) for name in members},
        **{
            f"manifest {number}": zipped([*without(members, "manifest.json"), ("manifest.json", text)])
            for number, text in enumerate(manifests)
        },
    }


@pytest.fixture
def members(shoes: list[Chapter], tmp_path: Path) -> dict[str, bytes]:
    """What is in an honest bundle."""
    with zipfile.ZipFile(shoes[0].bind(tmp_path / "honest.zip")) as honest:
        return {name: honest.read(name) for name in honest.namelist()}


def test_neither_reads_what_is_no_bundle(members: dict[str, bytes], tmp_path: Path) -> None:
    files = written(tmp_path, odd_files(members))

    status, reports = verify(*TRUST, files=files)

    assert not list(differences(files, *TRUST))
    assert status == 3
    assert [report["table"] for report in reports] == [None] * len(files)


def test_both_find_a_seed_that_two_shoes_share(tmp_path: Path) -> None:
    evenings = [Dealt(ruled(name, procedure={"decks": 1}), builtin(name).limits, 1) for name in ("mini", "ez")]
    for evening in evenings:
        evening.evening = "the same"
        evening.go_on(200)
    one, other = (next(shoe for shoe in evening.chapters() if shoe.is_complete) for evening in evenings)
    files = [one.bind(tmp_path / "one.zip"), other.bind(tmp_path / "same.zip")]
    later = [shoe.bind(tmp_path / f"{shoe.shoe}.zip") for shoe in evenings[0].chapters() if shoe.is_complete][:3]
    elsewhere = Operator(one, random.Random(1))
    for entry in elsewhere.entries:
        entry["stream"] = "table/b2"
    elsewhere.write(tmp_path / "elsewhere.zip")

    assert not list(differences([*files, *later], *TRUST))
    assert not list(differences([*files, tmp_path / "elsewhere.zip"], *TRUST))
    _, reports = verify(*TRUST, files=[files[0], tmp_path / "elsewhere.zip"])
    assert [gist(report)["shoe"] for report in reports] == ["failed", "failed"]


def test_a_line_that_never_ends_or_nests_without_end_is_found_by_both(
    members: dict[str, bytes], tmp_path: Path
) -> None:
    lines = members["entries.jsonl"]
    spoiled = {
        "never ends": lines + random.Random(1).randbytes(300_000).replace(b"\n", b""),
        "deep": lines.replace(b'"round":1', b'"round":' + b"[" * 60_000, 1),
        "no UTF-8": lines.replace(b'"patron":"', b'"patron":"\xed\xa0\x80', 1),
        "carriage returns": lines.replace(b"\n", b"\r\n"),
        "empty lines": lines + b"\n" * 100_000,
        "cut short": lines[:-1],
    }
    zips = {
        name: zipped([*without(members, "entries.jsonl"), ("entries.jsonl", text)]) for name, text in spoiled.items()
    }
    files = written(tmp_path, zips)

    _, reports = verify(*TRUST, files=files)

    assert not list(differences(files, *TRUST))
    assert {gist(report)["bytes"] for report in reports} == {"failed"}


def spoiled_receipts(receipt: Receipt) -> dict[str, tuple[bytes, bytes]]:
    """Receipts, honest and not: proof and entry."""
    proof, line = receipt.proof.read_bytes(), receipt.line
    return {
        "honest": (proof, line + b"\n"),
        "without LF": (proof, line),
        "two LF": (proof, line + b"\n\n"),
        "another entry": (proof, line.replace(b'"amount":', b'"amount":1')),
        "loosely written": (proof, line + b" "),
        "newer": (proof, line.replace(b'"schema":1', b'"schema":2')),
        "empty entry": (proof, b""),
        "long entry": (proof, b"x" * 70_000),
        "empty proof": (b"", line),
        "cut proof": (proof[:-3], line),
        "another place": (proof.replace(b"\nindex ", b"\nindex 1", 1), line),
        "a line more": (proof + b"\n", line),
        "no signature": (proof[: proof.index("— ".encode())], line),
    }


def test_both_say_the_same_of_receipts(tmp_path: Path) -> None:
    receipt = Receipt(tmp_path)
    key = ("--log-key", tapes.LOG.verifier.vkey)
    for name, (proof, line) in spoiled_receipts(receipt).items():
        receipt.proof.write_bytes(proof)
        receipt.entry.write_bytes(line)
        for trust in (key, (), TRUST[:2]) if name == "honest" else (key,):
            for about in (("--entry", str(receipt.entry)), ("--leaf", receipt.leaf)):
                asked = ("--receipt", str(receipt.proof), *about, *trust, "--json")
                one, other = CliRunner().invoke(verify_command, asked), run(PAGE / "node.mjs", *asked)
                assert not list(disagreements(*(json.loads(said.stdout)[0] for said in (one, other)))), (name, asked)
                assert one.exit_code == other.returncode, name
