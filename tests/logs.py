"""A whole log as files, made from its lines by other hands than the service's: `checkpoint`, `policy`, `tile/…`."""

from collections.abc import Sequence
from pathlib import Path

from schemas import policy, tile, tree
from schemas.checkpoint import Checkpoint, sign
from schemas.entry import leaf
from schemas.note import Signer
from schemas.tile import ENTRIES, WIDTH


def files_of(lines: Sequence[bytes], signer: Signer) -> dict[str, bytes]:
    """Give every file of a log of these entries, by its path below the prefix."""
    size = len(lines)
    row = [leaf(line) for line in lines]
    checkpoint = Checkpoint(origin=signer.verifier.name, size=size, root=tree.root(row))
    files = {"policy": policy.encode(policy.of_log(signer.verifier)), "checkpoint": sign(checkpoint, signer)}
    for each in tile.tiles_of(size, level=ENTRIES):
        files[each.path] = tile.pack(lines[each.start : each.end])
    level = 0
    while row:
        for each in tile.tiles_of(size, level=level):
            files[each.path] = b"".join(row[each.start : each.end])
        row = [tree.root(row[at : at + WIDTH]) for at in range(0, len(row) // WIDTH * WIDTH, WIDTH)]
        level += 1
    return files


def lay_out(folder: Path, lines: Sequence[bytes], signer: Signer) -> Path:
    """Write a log of these entries into a folder, `entries.jsonl` included."""
    for path, content in (
        files_of(lines, signer) | {"entries.jsonl": b"".join(line + b"\n" for line in lines)}
    ).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    return folder
