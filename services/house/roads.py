"""`shoelog roads`: the five roads of a shoe, from its coups' winners or from its bundle, as JSON or drawn."""

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from services.audit.coups import Coup
    from services.table.game.roads import Roads

UNREAD = 3  # as `verify` and `replay` say it
BRIEF = ("big_eye_boy", "small_road", "cockroach_pig", "big_road")


@click.command(short_help="The five roads of a shoe, drawn or as JSON.")
@click.argument("outcomes", metavar="[BPT…]", required=False)
@click.option("--bundle", metavar="FILE", type=click.Path(path_type=Path), help="Take the coups from a shoe's bundle.")
@click.option("--json", "wants_json", is_flag=True, help="Print one line of JSON: the big road and the derived roads.")
@click.option("--full", is_flag=True, help="In JSON, the bead plate, drawn places and ask marks too.")
def roads(*, outcomes: str | None, bundle: Path | None, wants_json: bool, full: bool) -> None:
    """The five roads of a shoe whose coups were won by B (Banker), P (Player) or T (a tie), in capitals or not.

    Drawn as at the table, six rows deep, with what Banker or Player would add next. From a bundle: a coup that is
    void, or whose settlement is undone, is left out; nothing is verified.

    \b
      shoelog roads BPPTBBBPB
      shoelog roads --bundle b1-shoe-1.zip --json
    """  # noqa: D301
    from services.table.game.roads import Roads

    if (outcomes is None) == (bundle is None):
        raise click.UsageError("say who won, such as BPPTB, or name a --bundle")
    if full and not wants_json:
        raise click.UsageError("--full is of --json")
    found = Roads(letters(outcomes) if bundle is None else letters_of(bundle))
    click.echo(as_json(found, full=full) if wants_json else drawn(found))


def letters(text: str | None) -> str:
    """Read who won; wrong usage when a letter is none of the three."""
    from services.table.game.roads import OUTCOMES

    said = (text or "").upper()
    for place, letter in enumerate(said, 1):
        if letter not in OUTCOMES:
            raise click.BadParameter(
                f"{letter!r} in place {place} is no winner: write B for Banker, P for Player or T for a tie",
                param_hint="BPT…",
            )
    return said


def letters_of(path: Path) -> list[str]:
    """Take the winners from a bundle, as far as their coups count; ends with 3 when it cannot be read."""
    from schemas.bundle import UnreadableBundleError, open_bundle
    from services.audit.coups import coups

    try:
        return [letter for coup in coups(open_bundle(path)) if (letter := winner_of(coup))]
    except UnreadableBundleError as error:
        click.echo(f"{path}: could not be read: {error}", err=True)
        raise SystemExit(UNREAD) from None


def winner_of(coup: "Coup") -> str:
    """Give the letter of who won a coup in the end; nothing when it does not count, or is not over."""
    if not coup.endings or coup.endings[-1].deed != "settled":
        return ""
    return {"banker": "B", "player": "P", "tie": "T"}.get(str(coup.endings[-1].winner), "")


def as_json(found: "Roads", *, full: bool) -> str:
    """One line of JSON: four roads, or all there is."""
    import msgspec

    from services.table.game.scoreboard import told

    everything: dict[str, Any] = msgspec.to_builtins(told(found))
    said = everything if full else {name: everything[name] for name in BRIEF}
    return msgspec.json.encode(said).decode()


def drawn(found: "Roads") -> str:
    """The boards for whoever looks: in colour on a terminal, as wide as it is; in letters alone elsewhere."""
    from services.house.boards import Ink, drawing

    is_screen = sys.stdout.isatty()
    ink = Ink(
        in_colour=is_screen and not os.environ.get("NO_COLOR"),
        with_boxes=can_print("┌─┐│└┘○●"),
        width=shutil.get_terminal_size().columns if is_screen else None,
    )
    return drawing(found, ink)


def can_print(text: str) -> bool:
    """Whether the output knows these signs."""
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except (LookupError, UnicodeEncodeError):
        return False
    return True
