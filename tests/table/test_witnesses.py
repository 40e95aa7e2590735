"""Witnesses put their names under checkpoints while play goes on, and hold nothing up."""

import pytest

from schemas import note as notes
from schemas import policy as policies
from schemas import submission
from schemas.note import COSIGNATURE, Signer
from schemas.policy import judge
from schemas.tree import verify_inclusion
from services.table.journal import Journal
from services.table.witnesses import UnwitnessedError
from tests.table.gallery import Gallery
from tests.table.office import OFTEN, write
from tests.table.stranger import Answer, Script, Stranger, cosign, cosign_when_told, say
from tests.table.witnessed import NOWHERE, PATIENCE_SECONDS, MakeStranger, OpenOffice, eventually, policy_of

pytestmark = pytest.mark.anyio


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
