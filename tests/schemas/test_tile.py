"""Tiles: their paths, which of them a tree has, and entries in a bundle; as C2SP tlog-tiles says."""

import pytest

from schemas.tile import ENTRIES, Tile, pack, parse, tiles_of, unpack


@pytest.mark.parametrize(
    ("tile", "path"),
    [
        (Tile(level=0, index=0), "tile/0/000"),
        (Tile(level=1, index=67, width=5), "tile/1/067.p/5"),
        (Tile(level=0, index=999), "tile/0/999"),
        (Tile(level=0, index=1000), "tile/0/x001/000"),
        (Tile(level=63, index=1_234_067, width=255), "tile/63/x001/x234/067.p/255"),
        (Tile(level=ENTRIES, index=70_000), "tile/entries/x070/000"),
    ],
)
def test_a_tile_is_known_by_one_path(tile: Tile, path: str) -> None:
    assert tile.path == path
    assert parse(*path.removeprefix("tile/").split("/", 1)) == tile


@pytest.mark.parametrize(
    "path",
    [
        *(
            "0/00",
            "0/0000",
            "0/x001",
            "0/001/000",
            "0/x000/001",
            "0/x001/x000",
            "0/000/",
            "0//000",
            "0/-01",
            "0/\u0660\u0660\u0660",
        ),
        *("0/000.p/0", "0/000.p/256", "0/000.p/300", "0/000.p/05", "0/000.p/", "0/000.p", "0/x000.p/1/000"),
        *("00/000", "64/000", "-1/000", "data/000", "Entries/000", "1.0/000"),
    ],
)
def test_every_other_path_names_no_tile(path: str) -> None:
    with pytest.raises(ValueError, match="a tile's"):
        parse(*path.split("/", 1))


def test_a_tree_of_70000_has_the_tiles_that_the_specification_counts() -> None:
    by_level = [list(tiles_of(70_000, level=level)) for level in range(3)]

    assert [(len(tiles), tiles[-1].width) for tiles in by_level] == [(274, 112), (2, 17), (1, 1)]
    assert list(tiles_of(70_000)) == [tile for tiles in by_level for tile in tiles]
    assert len(list(tiles_of(70_000, level=ENTRIES))) == 274


@pytest.mark.parametrize("size", [0, 1, 255, 256, 257, 511, 65_535, 65_536, 65_537])
def test_a_tree_fills_the_tiles_that_it_has_and_no_wider_ones(size: int) -> None:
    for tile in [*tiles_of(size), *tiles_of(size, level=ENTRIES)]:
        assert tile.is_covered(size)
        assert not tile.is_covered(size - 1) or tile.width == 256 or tile.level > 0
        if tile.width < 256:
            assert not Tile(level=tile.level, index=tile.index, width=tile.width + 1).is_covered(size)


def test_what_was_packed_is_unpacked() -> None:
    entries = [b"", b"x", b"y" * 65_535]

    assert pack(entries)[:3] == b"\x00\x00\x00"
    assert unpack(pack(entries)) == entries
    with pytest.raises(OverflowError):
        pack([b"y" * 65_536])


@pytest.mark.parametrize("rest", [b"\x00", b"\x00\x01", b"\x00\x05abcd"])
def test_a_bundle_that_breaks_off_is_refused(rest: bytes) -> None:
    with pytest.raises(ValueError, match="breaks off"):
        unpack(pack([b"abc"]) + rest)
