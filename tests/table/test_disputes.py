"""A witness that has cosigned more of a log, or another log, stops the service that contradicts it."""

from pathlib import Path

import asyncpg
import pytest

from schemas import note as notes
from schemas import policy as policies
from schemas import submission
from schemas.note import Signer
from schemas.policy import judge
from services.table.journal import Journal
from services.table.shelf import MismatchError
from services.table.witnesses import UnwitnessedError
from tests.table.gallery import Gallery
from tests.table.office import write
from tests.table.stranger import Script, cosign, say
from tests.table.witnessed import NOWHERE, MakeStranger, OpenOffice, TakeBack, eventually, policy_of
from tests.witness.foreign import Foreign

pytestmark = pytest.mark.anyio


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


async def test_an_agreement_on_more_than_the_log_has_is_not_served(
    journal: Journal, open_office: OpenOffice, superuser: asyncpg.Connection, take_back: TakeBack, gallery: Gallery
) -> None:
    log = gallery.log()
    policy = gallery.policy(log)
    await write(journal, 10)
    async with open_office(log, policy) as office:
        await office.witnesses.cosigned(await office.signed(journal))
    [agreement] = await superuser.fetch("select * from journal.agreement")
    await take_back(5)
    await superuser.execute("select journal.keep_agreement($1, $2, $3)", *agreement.values())

    with pytest.raises(MismatchError, match="agreed on 10 entries of this log of 5"):
        async with open_office(log, gallery.policy(log, urls=[NOWHERE] * 3)):
            pass
