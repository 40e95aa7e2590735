"""A whole shoe through the REST side, and what is read back of it."""

import itertools
from pathlib import Path

from schemas import bundle, checkpoint, note, proof, tree
from schemas.entry import decode, leaf
from tests.table.http.service import Desk, open_table, play_shoe

BETS = itertools.cycle(
    [
        [{"patron": "p1", "bet": "banker", "amount": 500}],
        [[{"patron": "p1", "bet": "player", "amount": 1000}, {"patron": "p2", "bet": "tie", "amount": 100}]],
        [],
    ]
)


def test_a_shoe_is_dealt_to_its_end_and_its_bundle_is_proved_by_the_log(desk: Desk, tmp_path: Path) -> None:
    at = open_table(desk)
    desk.tell(f"{at}/dealer", {"dealer": "dealer:anna"})
    desk.tell(f"{at}/shoes")
    desk.tell(f"{at}/shoes/current/entropy", {"source": "patron:p1", "value": "c0ffee"})
    desk.tell(f"{at}/shoes/current/shuffle")

    coups = play_shoe(desk, at, bets=BETS)

    assert len(coups) > 60
    table = desk.ask(at)
    assert (table["phase"], table["dealer"]) == ("idle", "dealer:anna")
    won = sum(line["returned"] - line["stake"] for coup in coups for line in coup["lines"])
    assert sum(table["stacks"].values()) == 2_000_000 + won
    path = tmp_path / "shoe.zip"
    got = desk.get(f"{at}/shoes/1/bundle")
    assert got.is_success, got.text
    path.write_bytes(got.content)
    told = bundle.open_bundle(path)
    lines = list(told.lines())
    assert told.manifest.complete
    assert len(lines) == told.manifest.entries
    assert decode(lines[0]).version == told.manifest.first_version
    proved = proof.parse(told.proof_text)
    verifier = note.parse_vkey(desk.get("/log/vkey").text.strip())
    signed = checkpoint.open_checkpoint(proved.checkpoint, verifier)
    assert tree.verify_inclusion(
        index=proved.index, size=signed.size, leaf=leaf(lines[-1]), proof=proved.hashes, root=signed.root
    )
