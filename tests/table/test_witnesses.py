"""Witnesses put their names under checkpoints while play goes on; one that knows another log stops the service."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import NamedTuple

import asyncpg
import pytest

from schemas import note as notes
from schemas import policy as policies
from schemas import submission
from schemas.note import COSIGNATURE, Signer
from schemas.policy import Policy, judge
from schemas.tree import verify_inclusion
from services.table.journal import Journal
from services.table.notary import Notary
from services.table.register import FileRegister
from services.table.scribe import Signed
from services.table.shelf import MismatchError
from services.table.witnesses import UnwitnessedError, Witnesses
from tests.table import office as offices
from tests.table.conftest import MakeStranger
from tests.table.gallery import Gallery
from tests.table.office import write
from tests.table.stranger import Answer, Script, Stranger, cosign, cosign_when_told, say
from tests.witness.foreign import Foreign

pytestmark = pytest.mark.anyio
OFTEN = 0.01
NOWHERE = "http://127.0.0.1:1"
PATIENCE_SECONDS = 30


class Office(NamedTuple):
    """A notary with the witnesses of a policy."""

    notary: Notary
    witnesses: Witnesses

    async def signed(self, journal: Journal) -> Signed:
        """A checkpoint of all that is written."""
        return await self.notary.cover(await journal.size() - 1)


OpenOffice = Callable[[Signer, Policy], AbstractAsyncContextManager[Office]]


@pytest.fixture
def open_office(pool: asyncpg.Pool, register: FileRegister) -> OpenOffice:
    """`open_office(log, policy)`: an office on the test's journal, from the beginning to the end of a `with`."""

    @asynccontextmanager
    async def opened(log: Signer, policy: Policy) -> AsyncIterator[Office]:
        notary = Notary(pool, log, register, period_seconds=OFTEN)
        witnesses = Witnesses(pool, notary, policy)
        try:
            await notary.ready()
            await witnesses.open()
            yield Office(notary, witnesses)
        finally:
            await witnesses.close()
            await notary.close()

    return opened


TakeBack = Callable[[int], Awaitable[None]]


@pytest.fixture
def take_back(superuser: asyncpg.Connection, register: FileRegister) -> TakeBack:
    """`take_back(size)`: database and register as a backup had them, so that the witnesses alone can tell."""

    async def taken_back(size: int) -> None:
        await offices.take_back(superuser, size)
        await superuser.execute("delete from journal.agreement")
        kept = await superuser.fetchval("select note from journal.checkpoint order by size desc limit 1")
        register.path.unlink()
        if kept is not None:
            register.replace(None, kept.encode())

    return taken_back


def policy_of(log: Signer, stranger: Stranger) -> Policy:
    """The policy that asks one stranger."""
    return policies.parse(f"log {log.verifier.vkey}\nwitness s {stranger.vkey} {stranger.url}\nquorum s\n".encode())


async def eventually(is_true: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not is_true():  # noqa: ASYNC110  # others make it true, in threads and processes
            await asyncio.sleep(0.01)


async def test_a_quorum_cosigns_and_the_checkpoint_shows_it(
    journal: Journal, open_office: OpenOffice, gallery: Gallery
) -> None:
    log = gallery.log()
    policy = gallery.policy(log, "group all all a b c", "quorum all")
    async with open_office(log, policy) as office:
        await write(journal, 300)
        signed = await office.signed(journal)

        shown = await office.witnesses.show()

        verdict = judge(policy, shown.note)
        assert (verdict.findings, verdict.cosigned) == ((), ("a", "b", "c"))
        assert shown.size == signed.size == 300
        assert [witness.sizes[log.verifier.name] for witness in gallery.witnesses] == [300] * 3


async def test_an_entry_is_proved_by_a_checkpoint_that_has_its_quorum(
    journal: Journal, open_office: OpenOffice, gallery: Gallery
) -> None:
    log = gallery.log()
    policy = gallery.policy(log)
    async with open_office(log, policy) as office:
        for size in (1, 2, 256, 257, 700):
            await write(journal, size - await journal.size())
            leaf = (await journal.page(size - 2, 1))[0].leaf

            proof = await office.witnesses.prove(size - 1)

            verdict = judge(policy, proof.checkpoint)
            assert verdict.findings == ()
            assert verdict.checkpoint is not None
            assert verify_inclusion(
                index=size - 1,
                size=verdict.checkpoint.size,
                leaf=leaf,
                proof=proof.hashes,
                root=verdict.checkpoint.root,
            )
        with pytest.raises(LookupError):
            await office.witnesses.prove(700)


async def test_two_of_three_are_a_quorum_while_one_is_away(
    journal: Journal, open_office: OpenOffice, gallery: Gallery
) -> None:
    log = gallery.log()
    policy = gallery.policy(log, urls=[NOWHERE])
    async with open_office(log, policy) as office:
        await write(journal, 10)

        shown = await office.witnesses.cosigned(await office.signed(journal))

        assert judge(policy, shown.note).findings == ()
        assert office.witnesses.standing == {"a": False, "b": True, "c": True}


async def test_a_slow_witness_holds_up_neither_play_nor_the_others(
    journal: Journal, open_office: OpenOffice, gallery: Gallery, make_stranger: MakeStranger
) -> None:
    log, slow = gallery.log(), make_stranger(cosign)
    text = gallery.policy_text(log, f"witness s {slow.vkey} {slow.url}", "group two 2 a b c s", "quorum two")
    policy = policies.parse(text.encode())
    async with open_office(log, policy) as office:
        slow.script = cosign_when_told
        sizes = []
        for _ in range(3):
            await write(journal, 10)
            shown = await office.witnesses.cosigned(await office.signed(journal))
            assert judge(policy, shown.note).findings == ()
            sizes.append(shown.size)

        assert sizes == [10, 20, 30]
        slow.may_answer.set()
        await eventually(lambda: b"\n30\n" in slow.asked[-1])


async def test_a_checkpoint_is_out_at_once_and_cosigned_later(
    journal: Journal, open_office: OpenOffice, gallery: Gallery, make_stranger: MakeStranger
) -> None:
    log, slow = gallery.log(), make_stranger(cosign)
    policy = policy_of(log, slow)
    async with open_office(log, policy) as office:
        slow.script = cosign_when_told
        await write(journal, 10)
        signed = await office.signed(journal)

        assert (await office.witnesses.show()).note == signed.note
        with pytest.raises(UnwitnessedError):
            await office.witnesses.cosigned(signed, patience_seconds=OFTEN)
        slow.may_answer.set()
        assert judge(policy, (await office.witnesses.cosigned(signed)).note).findings == ()


def another_line(_: Stranger, body: bytes) -> Answer:
    """A cosignature, by a key that nobody asked."""
    other = Signer("stranger-0.example/w", b"o" * 32, algorithm=COSIGNATURE)
    shown = submission.parse(body).checkpoint
    return Answer(200, notes.cosign(shown, other, timestamp=1).removeprefix(shown))


def forged(stranger: Stranger, body: bytes) -> Answer:
    """A line in the witness's name, signed over another text."""
    shown = submission.parse(body).checkpoint
    other = shown.replace(b"\n\n", b"\nmore\n\n", 1)
    return Answer(200, notes.cosign(other, stranger.signer, timestamp=1).removeprefix(other))


def a_note(stranger: Stranger, body: bytes) -> Answer:
    """A whole note in place of a line."""
    return Answer(200, notes.cosign(submission.parse(body).checkpoint, stranger.signer, timestamp=1))


def higher_and_higher(stranger: Stranger, body: bytes) -> Answer:
    """Another size each time, never one that is above the checkpoint's."""
    return Answer(409, b"%d\n" % (len(stranger.asked) % 9 + 1 if b"\n10\n" in body else 0), submission.SIZE_MEDIA_TYPE)


def more_text(stranger: Stranger, body: bytes) -> Answer:
    """A cosignature that holds for a longer text, which the answer would make of the note."""
    shown = submission.parse(body).checkpoint
    longer = notes.parse(shown).text + b"\nmore\n\n"
    line = notes.cosign(longer + shown.rpartition(b"\n\n")[2], stranger.signer, timestamp=1).splitlines()[-1]
    return Answer(200, b"more\n\n" + line + b"\n")


LIES: dict[str, Script] = {
    "nothing": say(200),
    "garbage": say(200, b"\xff\x00 not a line"),
    "another key's line": another_line,
    "a forged line": forged,
    "a whole note": a_note,
    "a longer text": more_text,
    "no end": say(200, b"\n" * (1 << 20)),
    "a page": say(200, b"<html>", "text/html"),
    "elsewhere": say(302),
    "an error": say(500),
    "unknown log": say(404),
    "a conflict without a size": say(409, b"no"),
    "a conflict with a number too large": say(409, b"99999999999999999999\n"),
    "another size each time": higher_and_higher,
}


@pytest.mark.parametrize("lie", LIES.values(), ids=LIES.keys())
async def test_what_is_no_cosignature_comes_under_no_checkpoint_and_stops_nothing(
    journal: Journal, open_office: OpenOffice, make_stranger: MakeStranger, lie: Script
) -> None:
    log, liar = Signer("casino.example/log/1", b"l" * 32), make_stranger(lie)
    await write(journal, 10)
    async with open_office(log, policy_of(log, liar)) as office:
        signed = await office.signed(journal)

        assert (await office.witnesses.show()).note == signed.note
        assert (await office.witnesses.prove(9)).checkpoint == signed.note
        assert office.notary.refusal is None
        assert office.witnesses.standing == {"s": False}
        liar.script = cosign
        assert judge(office.witnesses.policy, (await office.witnesses.cosigned(signed)).note).findings == ()


async def test_a_service_that_starts_again_asks_from_the_size_that_the_witness_has(
    journal: Journal, open_office: OpenOffice, gallery: Gallery
) -> None:
    log = gallery.log()
    policy = gallery.policy(log, "quorum a")
    for size in (10, 300, 300, 700):
        await write(journal, size - await journal.size()) if size > await journal.size() else None
        async with open_office(log, policy) as office:
            shown = await office.witnesses.cosigned(await office.signed(journal))

            assert (shown.size, judge(policy, shown.note).findings) == (size, ())


async def test_two_services_on_one_log_ask_the_same_witnesses(
    journal: Journal, open_office: OpenOffice, gallery: Gallery
) -> None:
    log = gallery.log()
    policy = gallery.policy(log)
    async with open_office(log, policy) as one, open_office(log, policy) as other:
        for _ in range(5):
            await write(journal, 100)
            for office in (one, other):
                shown = await office.witnesses.cosigned(await office.signed(journal), patience_seconds=PATIENCE_SECONDS)
                assert judge(policy, shown.note).findings == ()
        assert (one.notary.refusal, other.notary.refusal) == (None, None)


async def test_what_had_its_quorum_proves_while_the_witnesses_are_away(
    journal: Journal, open_office: OpenOffice, gallery: Gallery
) -> None:
    log = gallery.log()
    policy = gallery.policy(log)
    await write(journal, 10)
    async with open_office(log, policy) as office:
        await office.witnesses.cosigned(await office.signed(journal))
    away = gallery.policy(log, urls=[NOWHERE] * 3)
    await write(journal, 10)

    async with open_office(log, away) as office:
        assert judge(policy, (await office.witnesses.prove(9)).checkpoint).findings == ()
        assert judge(policy, (await office.witnesses.prove(10)).checkpoint).cosigned == ()


async def test_a_log_that_was_brought_back_is_not_served(
    journal: Journal, open_office: OpenOffice, take_back: TakeBack, gallery: Gallery
) -> None:
    log = gallery.log()
    policy = gallery.policy(log)
    await write(journal, 10)
    async with open_office(log, policy) as office:
        await office.witnesses.cosigned(await office.signed(journal))
    await take_back(5)

    with pytest.raises(MismatchError, match=r"has cosigned 10 entries of this log\. Entries were lost"):
        async with open_office(log, policy):
            pass

    [case] = [each for each in gallery.witnesses[0].cases if each["origin"] == log.verifier.name]
    assert (case["kind"], case["cosigned_size"], case["shown_size"]) == ("rollback", 10, 5)


@pytest.mark.parametrize(("more", "kind"), [(5, "fork"), (9, "unproved")])
async def test_a_log_that_was_brought_back_and_went_on_otherwise_is_not_served(  # noqa: PLR0913, PLR0917  # fixtures
    journal: Journal, open_office: OpenOffice, take_back: TakeBack, gallery: Gallery, more: int, kind: str
) -> None:
    log = gallery.log()
    policy = gallery.policy(log)
    await write(journal, 10)
    async with open_office(log, policy) as office:
        await office.witnesses.cosigned(await office.signed(journal))
    await take_back(5)
    await write(journal, more, stream="table/b2")

    with pytest.raises(MismatchError, match="contradicts this log"):
        async with open_office(log, policy):
            pass

    [case] = [each for each in gallery.witnesses[0].cases if each["origin"] == log.verifier.name]
    assert (case["kind"], case["cosigned_size"], case["shown_size"]) == (kind, 10, 5 + more)
    pair = [notes.open_note(case[each].encode(), [log.verifier]).text for each in ("cosigned", "shown")]
    assert pair[0] != pair[1]


async def test_a_witness_that_was_away_at_the_start_is_compared_with_when_it_comes(
    journal: Journal, open_office: OpenOffice, make_stranger: MakeStranger
) -> None:
    log, late = Signer("casino.example/log/1", b"l" * 32), make_stranger(say(503))
    await write(journal, 5)
    async with open_office(log, policy_of(log, late)) as office:
        assert office.notary.refusal is None

        late.script = say(409, b"10\n", submission.SIZE_MEDIA_TYPE)
        await eventually(lambda: office.notary.refusal is not None)

        with pytest.raises(MismatchError, match="take it out of the policy file"):
            await office.witnesses.show()


@pytest.mark.parametrize("dispute", [say(422), say(409, b"10\n", submission.SIZE_MEDIA_TYPE)])
async def test_once_it_has_agreed_a_witness_that_turns_is_an_alarm_and_play_goes_on(
    journal: Journal, open_office: OpenOffice, make_stranger: MakeStranger, dispute: Script
) -> None:
    log, turncoat = Signer("casino.example/log/1", b"l" * 32), make_stranger(cosign)
    async with open_office(log, policy_of(log, turncoat)) as office:
        await write(journal, 10)
        await office.witnesses.cosigned(await office.signed(journal))
        turncoat.script = dispute
        await write(journal, 10)
        signed = await office.signed(journal)

        with pytest.raises(UnwitnessedError):
            await office.witnesses.cosigned(signed, patience_seconds=0.5)
        assert office.notary.refusal is None
        assert office.witnesses.standing == {"s": False}


async def test_without_a_quorum_lines_come_as_they_come(
    journal: Journal, open_office: OpenOffice, gallery: Gallery
) -> None:
    log = gallery.log()
    policy = gallery.policy(log, "quorum none", urls=[NOWHERE])
    async with open_office(log, policy) as office:
        await write(journal, 10)
        signed = await office.signed(journal)

        shown = await office.witnesses.show()

        assert shown.size == signed.size
        assert (judge(policy, shown.note).cosigned, judge(policy, shown.note).findings) == (("b", "c"), ())


async def test_a_witness_by_other_hands_cosigns_and_stops_a_log_that_was_brought_back(
    journal: Journal, open_office: OpenOffice, take_back: TakeBack, foreign_environment: Path, tmp_path: Path
) -> None:
    log = Signer("casino.example/log/1", b"l" * 32)
    foreign = Foreign(foreign_environment, tmp_path, log.verifier.vkey)
    text = f"log {log.verifier.vkey}\nwitness f {foreign.vkey} {foreign.url}\nquorum f\n"
    policy = policies.parse(text.encode())
    try:
        for size in (1, 256, 257, 700):
            await write(journal, size - await journal.size())
            async with open_office(log, policy) as office:
                proof = await office.witnesses.prove(size - 1)
                assert judge(policy, proof.checkpoint).findings == ()
        await take_back(600)
        await write(journal, 100, stream="table/b2")

        with pytest.raises(MismatchError, match="contradicts this log of 700"):
            async with open_office(log, policy):
                pass

        assert "same tree size" in foreign.evidence()
    finally:
        foreign.stop()
