"""Entropy: who may add to a shuffle, and whose ingredient is the last."""

from schemas.ingredient import final_message
from schemas.note import UnreadableNoteError, is_signed_bytes, parse_vkey
from services.table.game.refusal import RefusedError
from services.table.game.shoe import mix
from services.table.game.state import ShoeInPlay, Table

MAX_VALUE_BYTES = 256
NOBODY = "none"
SIGNER = "signer:"


def insist_on_a_last_source(final_source: str) -> None:
    """Refuse a last source whose contribution could never be told from others."""
    if not final_source.startswith(SIGNER):
        return
    try:
        parse_vkey(final_source.removeprefix(SIGNER)).name.encode("ascii")
    except (UnreadableNoteError, UnicodeEncodeError) as error:
        raise RefusedError(
            "entropy", str(error), where="final_source", right="none, signer:<vkey>, or drand:<chain hash>:<round>"
        ) from None


def last_source(shoe: ShoeInPlay) -> str | None:
    """Name the last ingredient as its contribution does: `signer:<key name>` or `drand:…`; None when nobody is last."""
    if shoe.final_source == NOBODY:
        return None
    if shoe.final_source.startswith(SIGNER):
        return SIGNER + parse_vkey(shoe.final_source.removeprefix(SIGNER)).name
    return shoe.final_source


def is_complete(shoe: ShoeInPlay) -> bool:
    """Whether the shuffle has all its ingredients: the last one, when one was named."""
    last = last_source(shoe)
    return last is None or any(source == last for source, _ in shoe.contributions)


def insist_on_an_ingredient(table: Table, shoe: ShoeInPlay, source: str, value: bytes) -> None:
    """Refuse an ingredient that is out of size, out of turn, of an uninvited source, or wrongly signed."""
    if not 1 <= len(value) <= MAX_VALUE_BYTES:
        raise RefusedError(
            "entropy",
            f"a contribution has 1 to {MAX_VALUE_BYTES} bytes, this one {len(value)}",
            where="value",
            right=f"hex of 1 to {MAX_VALUE_BYTES} bytes",
        )
    last = last_source(shoe)
    if last is not None and is_complete(shoe):
        raise RefusedError("entropy", f"{last} came last: the shuffle is complete", where="source", right="shuffle")
    if source != last and not source.startswith(("patron:", "staff:")):
        invited = "patron:… or staff:…" if last is None else f"patron:…, staff:…, or in the end {last}"
        raise RefusedError("entropy", f"{source} was not invited to this shuffle", where="source", right=invited)
    if source == last and source.startswith(SIGNER):
        _insist_on_the_signature(table, shoe, value)


def insist_on_the_last(shoe: ShoeInPlay) -> None:
    """Refuse to shuffle before the last ingredient is in."""
    if not is_complete(shoe):
        last = last_source(shoe)
        raise RefusedError("entropy", f"{last} is yet to contribute", where="phase", right=f"a contribution of {last}")


def _insist_on_the_signature(table: Table, shoe: ShoeInPlay, value: bytes) -> None:
    key = parse_vkey(shoe.final_source.removeprefix(SIGNER))
    message = final_message(f"{table.name}/{shoe.number}", bytes.fromhex(shoe.commitment), mix(shoe.contributions))
    if not is_signed_bytes(key.public_key, value, message):
        raise RefusedError(
            "entropy",
            f"this is not {key.name}'s signature over the shuffle as it stands",
            where="value",
            right=f"Ed25519 over {message.hex()}",
        )
