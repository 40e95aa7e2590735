"""Rounds: opened, bet on, dealt, settled, voided, and read back."""

from services.table import answers, recall, views
from services.table.croupier import About, Answer
from services.table.done import BetDone, BetsDone, CoupDone, RoundDone
from services.table.game import play, rounds
from services.table.http.asked import Coup, Nothing, Reversal, Stake, Voiding, Wager, Wagers, wagers_in
from services.table.http.lost import found
from services.table.http.route import Asked, Deed, Place, command, view
from services.table.pit import Pit
from services.table.told import RoundView

PLACED: dict[type, Answer] = {Wager: answers.bet_done, tuple: answers.bets_done}
ANOTHER_ROUND = "a round that was opened in this shoe"


@command("/tables/{table}/rounds", takes=Coup, tells=RoundDone, status=201)
def open_round(asked: Asked[Coup]) -> Deed:
    """Open the shoe's next round, with bets or free of them."""
    return Deed(
        About(table=asked.table), lambda at: rounds.open_round(at.table.here, free=asked.body.free), answers.round_done
    )


@command(
    "/tables/{table}/rounds/current/bets", takes=Wager | Wagers, tells=BetDone | BetsDone, status=201, has_receipts=True
)
def place_bets(asked: Asked[Wager | tuple[Wager, ...]]) -> Deed:
    """Place a bet, or a list of bets: all of them or none; where a player banks, each in its turn."""
    placed = wagers_in(asked.body)
    return Deed(About(table=asked.table), lambda at: rounds.place_bets(at.table.here, placed), PLACED[type(asked.body)])


@command("/tables/{table}/rounds/current/bets/withdraw", takes=Stake, tells=BetDone, has_receipts=True)
def withdraw_bet(asked: Asked[Stake]) -> Deed:
    """Take back the whole of a bet."""
    said = asked.body
    return Deed(
        About(table=asked.table),
        lambda at: rounds.withdraw_bet(at.table.here, patron=said.patron, bet=said.bet),
        answers.bet_done,
    )


@command("/tables/{table}/rounds/current/close", tells=RoundDone)
def close_bets(asked: Asked[Nothing]) -> Deed:
    """Close the bets: from here on none is taken or given back."""
    return Deed(
        About(table=asked.table),
        lambda at: rounds.close_bets(at.table.here, count=at.table.bets, digest=at.table.digest.hexdigest()),
        answers.round_done,
    )


@command("/tables/{table}/rounds/current/deal", tells=CoupDone)
def deal_coup(asked: Asked[Nothing]) -> Deed:
    """Deal the rest of the coup and settle it."""
    return Deed(
        About(table=asked.table, shoe="cards"), lambda at: rounds.deal(at.table.here, at.cards), answers.coup_done
    )


@command("/tables/{table}/rounds/current/card", tells=CoupDone)
def deal_card(asked: Asked[Nothing]) -> Deed:
    """Deal one card; the last one settles the coup."""
    return Deed(
        About(table=asked.table, shoe="cards"),
        lambda at: rounds.deal(at.table.here, at.cards, whole=False),
        answers.coup_done,
    )


@command("/tables/{table}/rounds/current/coup", tells=CoupDone)
def play_coup(asked: Asked[Nothing]) -> Deed:
    """Close the bets if they are open, deal the coup and settle it, in one command."""
    return Deed(
        About(table=asked.table, shoe="cards"),
        lambda at: rounds.play_coup(at.table.here, at.cards, count=at.table.bets, digest=at.table.digest.hexdigest()),
        answers.coup_done,
    )


@command("/tables/{table}/rounds/current/void", takes=Voiding, tells=RoundDone)
def void_round(asked: Asked[Voiding]) -> Deed:
    """Give up the open round; every stake returns."""
    said = asked.body
    return Deed(
        About(table=asked.table),
        lambda at: play.void_round(at.table.here, reason=said.reason, approved_by=said.approved_by or (asked.actor,)),
        answers.round_done,
    )


@command("/tables/{table}/rounds/current/reverse", takes=Reversal, tells=CoupDone)
def reverse_settlement(asked: Asked[Reversal]) -> Deed:
    """Undo the last settlement by the word of two people, then settle the round again, or void it."""
    said = asked.body
    return Deed(
        About(table=asked.table),
        lambda at: rounds.reverse_settlement(
            at.table.here,
            reason=said.reason,
            approved_by=said.approved_by,
            settle_again=said.then == "settle",
        ),
        answers.coup_done,
    )


@view("/tables/{table}/rounds/current", tells=RoundView)
async def show_current_round(pit: Pit, place: Place) -> RoundView:
    """Show the open round, or the one that was settled last."""
    shown = await pit.croupier.view(About(table=place.table), lambda at: views.round_view(at.table))
    return found(shown, "round", right="open one by POST /v1/tables/{table}/rounds")


@view("/tables/{table}/shoes/{shoe}/rounds/{round}", tells=RoundView)
async def show_round(pit: Pit, place: Place) -> RoundView:
    """Show a round as the log tells it: its stakes, cards, result and settlement, line by line."""
    return found(await recall.round_of(pit, place.table, place.shoe, place.round), "round", right=ANOTHER_ROUND)


ROUTES = (
    open_round,
    place_bets,
    withdraw_bet,
    close_bets,
    deal_coup,
    deal_card,
    play_coup,
    void_round,
    reverse_settlement,
    show_current_round,
    show_round,
)
