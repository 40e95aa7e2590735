"""Killed at whatever step of signing, the notary goes on where it was, and never signs two trees."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import asyncpg
import pytest

from schemas.checkpoint import open_checkpoint
from schemas.tree import root
from services.table.journal import Journal
from services.table.register import FileRegister
from tests.databases import Database
from tests.table.office import SIGNER, Office, cheat, leaves_of, opened, write

pytestmark = pytest.mark.anyio


class Before(NamedTuple):
    """What had been signed before, inside the database and outside."""

    register: bytes | None
    kept: list[asyncpg.Record]


@pytest.fixture
def mortal(journal_database: Database, register: FileRegister) -> Iterator["subprocess.Popen[str]"]:
    """A process that forks notaries to be killed."""
    command = [sys.executable, "-m", "tests.table.dying", journal_database.url("shoelog_table"), str(register.path)]
    root_of_checkout = Path(__file__).parents[2]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=root_of_checkout
    ) as process:
        yield process
        assert process.stdin is not None
        process.stdin.close()


def is_killed(mortal: "subprocess.Popen[str]", step: int, size: int) -> bool:
    """Let a notary sign so many entries, to be killed at a step; tell whether it had so many steps to take."""
    assert mortal.stdin is not None
    assert mortal.stdout is not None
    mortal.stdin.write(f"{step} {size}\n")
    mortal.stdin.flush()
    answer = mortal.stdout.readline().strip()
    assert answer in {"killed", "done"}
    return answer == "killed"


async def back(superuser: asyncpg.Connection, register: FileRegister, before: Before) -> None:
    """Put everything back to what had been signed before: for the next death, not for life."""
    await cheat(superuser, "delete from journal.checkpoint; delete from journal.volume; delete from journal.node")
    for row in before.kept:
        await superuser.execute("insert into journal.checkpoint values ($1, $2, $3)", *row)
    if before.register is None:
        register.path.unlink(missing_ok=True)
    else:
        register.path.write_bytes(before.register)


async def signed_anywhere(superuser: asyncpg.Connection, register: FileRegister) -> set[tuple[int, bytes]]:
    """Give size and root of every checkpoint that can be seen, or could have been."""
    notes = [row["note"].encode() for row in await superuser.fetch("select note from journal.checkpoint")]
    notes += [note for note in (register.read(),) if note is not None]
    checkpoints = [open_checkpoint(note, SIGNER.verifier) for note in notes]
    return {(checkpoint.size, checkpoint.root) for checkpoint in checkpoints}


class Scene(NamedTuple):
    """All that can die, or be looked at."""

    journal: Journal
    office: Office
    superuser: asyncpg.Connection
    register: FileRegister


@pytest.fixture
def scene(journal: Journal, office: Office, superuser: asyncpg.Connection, register: FileRegister) -> Scene:
    """A journal, and who signs it."""
    return Scene(journal, office, superuser, register)


@pytest.mark.parametrize(("signed", "size"), [(None, 0), (None, 1), (0, 1), (255, 257)])
async def test_killed_at_any_step_a_notary_recovers_and_never_forks(
    scene: Scene, mortal: "subprocess.Popen[str]", signed: int | None, size: int
) -> None:
    journal, office, superuser, register = scene
    if signed is not None:
        async with office() as first:
            if signed:
                await write(journal, signed)
            assert (await (first.cover(signed - 1) if signed else first.ready())).size == signed
    before = Before(register.read(), await superuser.fetch("select * from journal.checkpoint"))
    if size > (signed or 0):
        await write(journal, size - (signed or 0))
    leaves = await leaves_of(journal)
    true = {(n, root(leaves[:n])) for n in (0, signed or 0, size)}
    steps = 0

    while is_killed(mortal, steps := steps + 1, size):
        seen = await signed_anywhere(superuser, register)
        async with office() as after:
            last = await (after.cover(size - 1) if size else after.ready())
        seen |= await signed_anywhere(superuser, register)

        assert opened(last).size == size
        assert seen <= true
        await back(superuser, register, before)

    assert steps > 15, "a notary takes more steps than that"
