"""Receipts: whoever holds the hash of an entry may have it proved, without a key."""

from litestar.response import Response

from services.table import receipts
from services.table.http import words
from services.table.http.lost import found
from services.table.http.route import PUBLIC, Place, view
from services.table.pit import Pit

TEXT = "text/plain"
A_LEAF = "the SHA-256 of 0x00 and an entry's bytes, in hex"


@view("/receipts/{leaf}", tells=bytes, media_type=TEXT, roles=PUBLIC)
async def prove_receipt(pit: Pit, place: Place) -> Response[bytes]:
    """Prove that the entry with this leaf hash is in the log (a C2SP tlog-proof); a checkpoint is signed if need be."""
    leaf = bytes.fromhex(place.leaf) if words.is_hash(place.leaf) else b""
    return Response(found(await receipts.proved(pit, leaf), "receipt", right=A_LEAF), media_type=TEXT)


ROUTES = (prove_receipt,)
