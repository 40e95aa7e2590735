"""What a rule file of a player-banked game need not say: the usual values, written out before anything is logged."""

from copy import deepcopy
from typing import Any, Final

CLOCKS: Final = {"bank": 30, "turn": 20, "decide": 15}
WINNINGS: Final = {"mode": "floor", "unit": 1}
LEVY: Final = {"rate": "1/20", "on": "gross", "mode": "floor", "unit": 1}
CELLS: Final = ["3-9", "5-4"]

DEFAULTS: Final[dict[str, dict[str, Any]]] = {
    "dining-room": {
        "seats": 8,
        "procedure": {"decks": 2, "burn": "one", "cut": 7, "after_cut": "finish"},
        "winnings": WINNINGS,
        "bank": {"high": "king", "unable": "richest"},
        "stakes": {"start": 3, "absent": "out"},
        "clocks": CLOCKS,
    },
    "chemin-de-fer": {
        "seats": 10,
        "procedure": {"decks": 6, "burn": "none", "cut": 7, "after_cut": "finish"},
        "winnings": WINNINGS,
        "levy": LEVY,
        "bank": {"withdraw": True, "add": False},
        "stakes": {"late_banco": True, "suivi": True, "tie": "stay", "bystanders": True},
        "play": {"mode": "options"},
        "clocks": CLOCKS,
    },
    "banque": {
        "seats": 10,
        "procedure": {"decks": 3, "burn": "none", "cut": 14, "after_cut": "finish"},
        "winnings": WINNINGS,
        "levy": LEVY,
        "bank": {"withdraw": False, "add": True},
        "stakes": {"bystanders": True},
        "play": {"mode": "free"},
        "clocks": CLOCKS,
    },
}


def with_defaults(tree: dict[str, Any]) -> dict[str, Any]:
    """Give a rule file's tree with what it leaves out; what is misshapen is left for who gives it its shape."""
    game = tree.get("game")
    if not isinstance(game, str) or game not in DEFAULTS:
        return tree
    whole = dict(tree)
    for part, usual in DEFAULTS[game].items():
        said = tree.get(part)
        if said is None:
            whole[part] = deepcopy(usual)
        elif isinstance(said, dict) and isinstance(usual, dict):
            whole[part] = usual | said
    play = whole.get("play")
    if isinstance(play, dict) and play.get("mode") == "options":
        whole["play"] = {"mode": "options", "cells": CELLS} | play
    return whole
