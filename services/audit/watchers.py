"""How a check is told of entries: it names the kinds of event that it watches."""

from collections.abc import Callable
from typing import Any

# Takes an entry's version, its event (of the kind watched) and its leaf.
Watcher = Callable[[int, Any, bytes], None]
