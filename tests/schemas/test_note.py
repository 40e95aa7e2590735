"""Signed notes: known keys bind, unknown keys are passed over, and there is one way to write either."""

import base64
import copy
import pickle

import pytest

from schemas import note

# The published example of Go's sumdb/note: key, text and signature.
PETER = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
PETER_PRIVATE = base64.b64decode("AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz")[1:]
TEXT = b"If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
LINE = "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
NOTE = TEXT + b"\n" + LINE.encode()

# A checkpoint of a public Certificate Transparency log, with the cosignature of one public witness.
CHECKPOINT = """\
arche2025h1.staging.ct.transparency.dev
1432088532
U7WM79jrzyhGZ5/GUBTpM7NzwdyfFx61t3RovgcC4Ro=

— arche2025h1.staging.ct.transparency.dev ui8GwCF1+kWqZrxGdhj4aX3gcw7XUlXQQabg/27lefwhUkzbC3NygNI75MdhL1bfTW9g8Ei59RA23oHP7Ry1k3ZFWwQ=
— remora.n621.de 2net5wAAAABqEiEgPlfF3V06o0Y+fHM+J5J9s27wgxxcOVSpZ/2g/KSiXCg9DEZI+aVCIobWX9sXTynk5XeU/zZ0WBxtqB0DrAWfBw==
""".encode()  # noqa: E501
LOG = "arche2025h1.staging.ct.transparency.dev+ba2f06c0+AU0vHmlGCS/PdN8b2OaGmKprLI8HKM+dJ472xgFYh15f"
WITNESS = "remora.n621.de+da77ade7+BOvN63jn/bLvkieywe8R6UYAtVtNbZpXh34x7onlmtw2"

ANNA = note.Signer("anna.example", b"a" * 32)
BRUNO = note.Signer("bruno.example", b"b" * 32)
CARLA = note.Signer("carla.example/w", b"c" * 32, algorithm=note.COSIGNATURE)


def test_the_published_note_is_signed_byte_for_byte() -> None:
    signer = note.Signer("PeterNeumann", PETER_PRIVATE)

    assert signer.verifier.vkey == PETER
    assert note.sign(TEXT, signer) == NOTE


def test_the_published_note_opens() -> None:
    opened = note.open_note(NOTE, [note.parse_vkey(PETER)])

    assert opened.text == TEXT
    assert [key.name for key in opened.signed_by] == ["PeterNeumann"]


def test_a_public_logs_checkpoint_opens_with_its_key_and_its_witnesss() -> None:
    log, witness = note.parse_vkey(LOG), note.parse_vkey(WITNESS)

    opened = note.open_note(CHECKPOINT, [witness, log])

    assert opened.signed_by == (log, witness)
    assert note.time_of(note.parse(CHECKPOINT).signatures[1]) == 0x6A122120


@pytest.mark.parametrize("vkey", [PETER, LOG, WITNESS])
def test_a_vkey_reads_and_writes_as_the_same_text(vkey: str) -> None:
    assert note.parse_vkey(vkey).vkey == vkey


@pytest.mark.parametrize(
    "vkey",
    [
        "",
        "PeterNeumann",
        PETER[:-1],
        PETER[:-4],
        PETER + "\n",
        " " + PETER,
        PETER.replace("c74f20a3", "C74F20A3"),
        PETER.replace("c74f20a3", "c74f20a4"),
        PETER.replace("PeterNeumann", ""),
        PETER.replace("PeterNeumann", "Peter Neumann"),
        PETER.replace("PeterNeumann", "Peter\u2003Neumann"),
        PETER.replace("PeterNeumann", "Peter\ud800Neumann"),
        PETER.replace("10TW", "10TX"),
        PETER.replace("+ARpc", "+ahpc"),
        PETER.replace("+ARpc", "+\nARpc"),
        "PeterNeumann+c74f20a3+",
        "PeterNeumann+c74f20a3+AQ==",
    ],
)
def test_a_text_that_is_almost_a_vkey_is_refused(vkey: str) -> None:
    with pytest.raises(note.UnreadableNoteError, match="not a vkey"):
        note.parse_vkey(vkey)


def test_base64_that_would_be_written_otherwise_is_refused() -> None:
    assert note.from_base64("QQ==") == b"A"

    for text in ("QR==", "QQ", "QQ=", "QQ== ", "Q\nQ==", "QQ==QQ==", "Q-==", "é"):
        with pytest.raises(ValueError, match="base64"):
            note.from_base64(text)


def test_signatures_by_unknown_keys_are_passed_over() -> None:
    signed = note.sign(TEXT, ANNA, BRUNO)

    assert note.open_note(signed, [BRUNO.verifier]).signed_by == (BRUNO.verifier,)


def test_a_bad_signature_by_an_unknown_key_is_passed_over_too() -> None:
    forged = note.sign(b"another text\n", ANNA).split(b"\n\n")[1]

    signed = note.sign(TEXT, BRUNO) + forged

    assert note.open_note(signed, [BRUNO.verifier]).text == TEXT


def test_a_bad_signature_by_a_known_key_condemns_the_note() -> None:
    forged = note.sign(b"another text\n", ANNA).split(b"\n\n")[1]

    signed = note.sign(TEXT, BRUNO) + forged

    with pytest.raises(note.ForgedNoteError, match=r"anna\.example"):
        note.open_note(signed, [BRUNO.verifier, ANNA.verifier])


def test_a_note_signed_by_no_known_key_is_refused() -> None:
    with pytest.raises(note.UnsignedNoteError):
        note.open_note(note.sign(TEXT, ANNA), [BRUNO.verifier])
    with pytest.raises(note.UnsignedNoteError):
        note.open_note(note.sign(TEXT, ANNA), [])


def test_a_key_with_the_same_name_is_another_key() -> None:
    namesake = note.Signer("anna.example", b"x" * 32)

    with pytest.raises(note.UnsignedNoteError):
        note.open_note(note.sign(TEXT, ANNA), [namesake.verifier])


def test_every_change_of_a_signed_text_is_found() -> None:
    for place in range(len(TEXT) - 1):
        spoiled = NOTE[:place] + bytes([NOTE[place] ^ 1]) + NOTE[place + 1 :]

        with pytest.raises(note.NoteError):
            note.open_note(spoiled, [note.parse_vkey(PETER)])


def test_a_signature_that_is_too_short_is_a_bad_one() -> None:
    short = "— PeterNeumann " + base64.b64encode(note.parse_vkey(PETER).key_id + b"x").decode() + "\n"

    with pytest.raises(note.ForgedNoteError):
        note.open_note(TEXT + b"\n" + short.encode(), [note.parse_vkey(PETER)])


@pytest.mark.parametrize(
    "spoiled",
    [
        b"",
        TEXT,
        TEXT + b"\n",
        TEXT + LINE.encode(),
        NOTE[:-1],
        NOTE + b"\n",
        NOTE + b"more\n",
        NOTE.replace("—".encode(), b"-"),
        NOTE.replace("— ".encode(), "—  ".encode()),
        NOTE.replace(b"PeterNeumann ", b"PeterNeumann  "),
        NOTE.replace(b"PeterNeumann ", b"Peter+Neumann "),
        NOTE.replace(b"PeterNeumann ", b" "),
        NOTE.replace(b"nAM=", b"nAN="),
        NOTE.replace(b"nAM=", b"nAM"),
        NOTE.replace(b"problem,", b"problem,\r"),
        NOTE.replace(b"problem,", b"problem,\t"),
        NOTE.replace(b"problem,", b"problem,\0"),
        NOTE.replace(b"problem,", b"problem,\xff"),
        "x\n\n— PeterNeumann xw==\n".encode(),
        TEXT + b"\n" + LINE.encode() * 101,
        b"x" * note.MAX_BYTES + NOTE,
    ],
)
def test_bytes_that_are_almost_a_note_are_refused(spoiled: bytes) -> None:
    with pytest.raises(note.UnreadableNoteError):
        note.open_note(spoiled, [note.parse_vkey(PETER)])


def test_the_text_ends_at_the_last_blank_line() -> None:
    text = b"one\n\n\ntwo\n\n"

    assert note.open_note(note.sign(text, ANNA), [ANNA.verifier]).text == text


def test_sixteen_signatures_and_more_are_read() -> None:
    signers = [note.Signer(f"w{number}.example", bytes([number]) * 32) for number in range(100)]

    opened = note.open_note(note.sign(TEXT, *signers), [signer.verifier for signer in signers])

    assert len(opened.signed_by) == 100


@pytest.mark.parametrize("text", [b"", b"no line feed", b"a tab\t\n", b"\xff\n"])
def test_a_text_that_no_note_can_have_is_not_signed(text: bytes) -> None:
    with pytest.raises(ValueError, match="note"):
        note.sign(text, ANNA)


def test_a_note_without_a_signer_is_not_made() -> None:
    with pytest.raises(note.UnreadableNoteError):
        note.sign(TEXT)


def test_a_cosignature_binds_the_text_and_its_time() -> None:
    cosigned = note.cosign(note.sign(TEXT, ANNA), CARLA, timestamp=1679315147)
    opened = note.open_note(cosigned, [ANNA.verifier, CARLA.verifier])
    signature = note.parse(cosigned).signatures[1]
    later = (1679315148).to_bytes(8, "big") + signature.signature[8:]

    assert opened.signed_by == (ANNA.verifier, CARLA.verifier)
    assert note.time_of(signature) == 1679315147
    assert note.is_signed(TEXT, signature, CARLA.verifier)
    assert not note.is_signed(TEXT + b"\n", signature, CARLA.verifier)
    assert not note.is_signed(
        TEXT, note.Signature(name=signature.name, key_id=signature.key_id, signature=later), CARLA.verifier
    )


def test_a_cosignature_from_beyond_all_time_is_a_bad_one() -> None:
    time = 2**63
    message = b"cosignature/v1\ntime %d\n" % time + TEXT
    signature = note.Signature(
        name=CARLA.verifier.name,
        key_id=CARLA.verifier.key_id,
        signature=time.to_bytes(8, "big") + CARLA.sign_bytes(message),
    )

    assert not note.is_signed(TEXT, signature, CARLA.verifier)


def test_a_log_signs_and_a_witness_cosigns() -> None:
    with pytest.raises(ValueError, match="cosigns"):
        note.sign(TEXT, CARLA)
    with pytest.raises(ValueError, match="does not cosign"):
        note.cosign(note.sign(TEXT, ANNA), BRUNO, timestamp=1)


def test_two_known_keys_with_one_name_and_id_are_refused() -> None:
    class Namesake(note.Verifier, frozen=True, kw_only=True):
        @property
        def key_id(self) -> bytes:
            return ANNA.verifier.key_id

    namesake = Namesake(name="anna.example", algorithm=note.ED25519, public_key=b"\1" * 32)

    with pytest.raises(ValueError, match="share the name"):
        note.open_note(note.sign(TEXT, ANNA), [ANNA.verifier, namesake])


@pytest.mark.parametrize("name", ["", "a b", "a+b", "a\n", "a\u00a0b", "\ud800"])
def test_a_name_that_no_key_can_have_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"name|surrogates"):
        note.Signer(name, b"a" * 32)


def test_a_signer_never_shows_or_hands_out_its_private_key() -> None:
    shown = repr(ANNA) + str(ANNA) + f"{[ANNA]}"

    assert ANNA.verifier.vkey in shown
    assert (b"a" * 32).hex() not in shown
    assert "aaaaaaaa" not in shown
    for take in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError):
            take(ANNA)
