"""Both verifiers asked about the same files, and where they differ: all but the words of the findings must agree."""

import io
import json
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from services.table.game.rules import builtin, house_banked
from tests.audit.dealt import LOG, REGULATOR, Busy, Chapter, Dealt, scanned
from tests.audit.page.node import verify
from tests.table.game.sitting import ruled

BATCH = 500
TRUST = ("--log-key", LOG.verifier.vkey, "--signer", REGULATOR.verifier.vkey)
BURNS = ("one", "first-card", "decks", "none")
PYTHON = "from services.audit.verify import verify_command; verify_command()"


def shoes_of(name: str, seed: int) -> list[Chapter]:
    """Deal some shoes of a rule set, of one deck each; what the burn and the cut card do depends on the seed."""
    procedure = {
        "decks": 1,
        "cut": (7, 14)[seed % 2],
        "burn": BURNS[seed % 4],
        "after_cut": ("finish", "one-more")[seed // 2 % 2],
    }
    marked = {"commission": {"collect": "marked"}} if builtin(name).rules.commission and seed % 2 else {}
    evening = Dealt(ruled(name, procedure=procedure, **marked), builtin(name).limits, seed, is_signed=seed % 3 == 2)
    evening.go_on(350)
    return list(evening.chapters())


def honest_shoes() -> list[Chapter]:
    """Deal shoes of every rule set, some of them as a scanner would tell them, and a busy one."""
    dealt = [shoe for number, name in enumerate(house_banked()) for shoe in shoes_of(name, number)]
    return [*dealt, *map(scanned, dealt[::5]), busy_shoe()]


def busy_shoe() -> Chapter:
    """Deal a shoe that is carried, and settled, in more than one entry."""
    evening = Busy(ruled("mini", procedure={"decks": 1}), builtin("mini").limits, 1)
    evening.crowd(coups=2)
    return next(evening.chapters())


def python_says(*arguments: str, files: Sequence[Path]) -> tuple[int, list[dict[str, Any]]]:
    """Verify bundles with the command line's own verifier: the exit status and the reports."""
    command = [sys.executable, "-c", PYTHON, *arguments, "--json", *map(str, files)]
    finished = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert not finished.stderr, finished.stderr
    return finished.returncode, json.loads(finished.stdout)


def gist(report: dict[str, Any]) -> dict[str, Any]:
    """What both must agree on: all but the words of the findings."""
    results = {check["check"]: check["result"] for check in report["checks"]}
    return {key: report[key] for key in ("table", "shoe", "complete", "entropy")} | results


def both_say(files: Sequence[Path], *arguments: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Give both verifiers' reports on the same files; they ran at once, and their exit statuses are one."""
    with ThreadPoolExecutor(1) as beside:
        other = beside.submit(verify, *arguments, files=files)
        status, ours = python_says(*arguments, files=files)
        other_status, others = other.result()
    assert status == other_status or list(map(gist, ours)) != list(map(gist, others)), (status, other_status)
    return ours, others


def differences(files: Sequence[Path], *arguments: str) -> Iterator[str]:
    """Tell each file of which the two say different things."""
    for start in range(0, len(files), BATCH):
        batch = files[start : start + BATCH]
        ours, others = both_say(batch, *arguments)
        for file, one, other in zip(batch, ours, others, strict=True):
            yield from (f"{file.stem}: {told}" for told in disagreements(one, other))


def disagreements(one: dict[str, Any], other: dict[str, Any]) -> Iterator[str]:
    """Tell in what two reports differ, and what each has found there."""
    found = [{check["check"]: check["findings"][:3] for check in report["checks"]} for report in (one, other)]
    for key, said in gist(one).items():
        if said != gist(other)[key]:
            yield f"{key}: {said} {found[0].get(key, '')}\n    and {gist(other)[key]} {found[1].get(key, '')}"


def zipped(members: Sequence[tuple[str, bytes]], *, comment: bytes = b"", method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Zip members, whatever they are called and however often."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as archive:
        archive.comment = comment
        for name, content in members:
            archive.writestr(zipfile.ZipInfo(name), content, compress_type=method)
    return made.getvalue()


def without(members: dict[str, bytes], name: str) -> list[tuple[str, bytes]]:
    return [(member, content) for member, content in members.items() if member != name]


def written(folder: Path, files: dict[str, bytes]) -> list[Path]:
    """Write files, named after what is wrong with them."""
    paths = [folder / f"{name.replace(' ', '-')}.zip" for name in files]
    for path, content in zip(paths, files.values(), strict=True):
        path.write_bytes(content)
    return paths
