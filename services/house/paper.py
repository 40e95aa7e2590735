"""What can be worked out on paper: what the tableau makes of a coup's cards, and which shoe a seed makes."""

from string import hexdigits
from typing import TYPE_CHECKING, Any

import click

from services.house.ruling import chosen

if TYPE_CHECKING:
    from services.table.game.rules import Rules
    from services.table.game.tableau import Coup

SEED_BYTES = 32
VALUE_BYTES = range(1, 257)
SOURCE_BYTES = range(1, 1 << 16)


def as_json(answer: dict[str, Any]) -> str:
    """One line of JSON."""
    import msgspec

    return msgspec.json.encode(answer).decode()


@click.command(short_help="What the tableau makes of cards in the order dealt.")
@click.argument("cards", metavar="CARDS")
@click.option("--rules", "name", default="punto-banco", show_default=True, metavar="NAME|FILE", help="A rule set.")
@click.option("--json", "wants_json", is_flag=True, help="Print one line of JSON.")
def coup(*, cards: str, name: str, wants_json: bool) -> None:
    """What the tableau makes of CARDS in the order dealt, and the net odds that each bet is paid.

    A card is rank then suit: As, Td, 9h, Kc. The first goes to Player, the second to Banker, and so on.
    Ends with 1, and the reason, when the cards are not a whole coup. Free choices are as the tableau has them.

    \b
      shoelog coup 5d,Kd,5s,Ac,9s,5c
      shoelog coup 9h,Ks,Td,7c --rules ez --json
    """  # noqa: D301
    from services.table.game.tableau import IllegalCoup, deal

    rules = chosen(name)
    if rules.game == "banque":
        raise click.BadParameter(f"{name!r} is played at two tableaux; this is one", param_hint="--rules")
    try:
        dealt = deal(card.strip() for card in cards.split(","))
    except IllegalCoup as reason:
        raise click.ClickException(str(reason)) from None
    answer = facts_of_coup(dealt, rules)
    click.echo(as_json(answer) if wants_json else told(dealt, answer, rules))


def facts_of_coup(dealt: "Coup", rules: "Rules") -> dict[str, Any]:
    """Totals, winner, hands, and each bet's net odds, in the order of the rules."""
    from services.table.game.bank import net_odds
    from services.table.game.rules import ratio_text

    facts = dealt.facts
    return {
        "player": facts.player,
        "banker": facts.banker,
        "winner": facts.winner,
        "natural": facts.natural,
        "hands": {"player": dealt.player, "banker": dealt.banker},
        "bets": {bet: ratio_text(net_odds(rules, bet, facts)) for bet in rules.bets},
    }


def told(dealt: "Coup", answer: dict[str, Any], rules: "Rules") -> str:
    """The coup as a dealer tells it."""
    from services.table.game.cards import total
    from services.table.game.rulings import rulings

    hands = {"Player": dealt.player, "Banker": dealt.banker}
    lines = [f"{hand}  {' '.join(cards[:2])}   {total(cards[:2])}" for hand, cards in hands.items()]
    for ruling in rulings(dealt.player, dealt.banker):
        cards = hands[ruling.split()[0]]
        lines += [f"{ruling}: {cards[2]} makes {total(cards)}." if " draws on " in ruling else f"{ruling}."]
    lines += ["", called(answer), "", f"{rules.name} pays"]
    width = max(map(len, answer["bets"]))
    lines += [f"  {bet:<{width}}  {paid(odds)}" for bet, odds in answer["bets"].items()]
    return "\n".join(lines)


def called(answer: dict[str, Any]) -> str:
    """What the dealer calls out."""
    higher, lower = max(answer["player"], answer["banker"]), min(answer["player"], answer["banker"])
    if answer["winner"] == "tie":
        return f"Tie, {higher} all."
    return f"{answer['winner'].title()} wins, {higher} to {lower}."


def paid(odds: str) -> str:
    """Net odds in words: `19/20` is 19 to 20."""
    return {"-1/1": "lost", "0/1": "a push"}.get(odds) or odds.replace("/", " to ")


def hexadecimal(*, name: str, text: str, sizes: range) -> bytes:
    """Bytes written in hex, in lower or upper case; wrong usage if they are not, or are too many or too few."""
    wanted = f"{sizes[0]}" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
    if len(text) % 2 or not set(text) <= set(hexdigits):
        raise click.BadParameter(f"{text!r} is not hex: {wanted} bytes, two digits each", param_hint=name)
    value = bytes.fromhex(text)
    if len(value) not in sizes:
        raise click.BadParameter(f"{len(value)} bytes given, {wanted} wanted", param_hint=name)
    return value


def contribution(text: str) -> tuple[str, bytes]:
    """An ingredient of the shuffle, from `SOURCE=HEX`."""
    source, equals, value = text.rpartition("=")
    if not equals or not source.isascii() or len(source) not in SOURCE_BYTES:
        raise click.BadParameter(f"{text!r} is not SOURCE=HEX with a source in ASCII", param_hint="--contribution")
    return source, hexadecimal(name="--contribution", text=value, sizes=VALUE_BYTES)


@click.command(short_help="Derive a committed shoe from its seed.")
@click.option("--seed", required=True, metavar="HEX", help="The seed that was revealed: 32 bytes.")
@click.option("--shoe-id", required=True, metavar="ID", help="TABLE/NUMBER, such as b1/12.")
@click.option("--decks", required=True, type=click.IntRange(1, 12), help="1 to 12.")
@click.option(
    "--contribution", "contributions", multiple=True, metavar="SOURCE=HEX", help="Each ingredient, in order of the log."
)
@click.option("--json", "wants_json", is_flag=True, help="Print one line of JSON.")
def shoe(*, seed: str, shoe_id: str, decks: int, contributions: tuple[str, ...], wants_json: bool) -> None:
    """Derive a committed shoe from its seed: what was published before, and every card in the order it left.

    \b
      shoelog shoe --seed 0001…1e1f --shoe-id b1/12 --decks 8 --contribution patron:7f3a=c0ffee
    """  # noqa: D301
    from services.table.game.shoe import derive, mix, seed_commitment

    if not shoe_id.isascii() or len(shoe_id) not in SOURCE_BYTES:
        raise click.BadParameter(f"{shoe_id!r} is not ASCII, such as b1/12", param_hint="--shoe-id")
    secret = hexadecimal(name="--seed", text=seed, sizes=range(SEED_BYTES, SEED_BYTES + 1))
    mixed = mix([contribution(text) for text in contributions])
    derived = derive(seed=secret, shoe_id=shoe_id, decks=decks, mix=mixed)
    answer = {
        "seed_commitment": seed_commitment(shoe_id, secret).hex(),
        "mix": mixed.hex(),
        "root": derived.root.hex(),
        "cards": derived.cards,
    }
    click.echo(as_json(answer) if wants_json else laid_out(answer))


def laid_out(answer: dict[str, Any]) -> str:
    """The shoe for people: thirteen cards a row."""
    cards = answer["cards"]
    rows = [f"{start:>5}  {' '.join(cards[start : start + 13])}" for start in range(0, len(cards), 13)]
    published = [f"{name:<16} {answer[name]}" for name in ("seed_commitment", "mix", "root")]
    return "\n".join([*published, "", *rows])
