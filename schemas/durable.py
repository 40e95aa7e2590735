"""A file put in its place for good: whatever happens, the old one is there or the new one, and it is whole."""

import os
from pathlib import Path


def put(path: Path, content: bytes) -> None:
    """Write a file beside its place, and put it there when the disk has it. One writer at a time. Raises OSError."""
    scratch = path.with_name(f".{path.name}.new")
    with scratch.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    scratch.replace(path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make new names in a folder durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
