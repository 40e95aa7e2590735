"""The salon: what is done at a table where a player banks: seats, the bank, turns, consent, and choices."""

from services.table import answers
from services.table import salon as views
from services.table.croupier import About
from services.table.game import salon
from services.table.http.asked import (
    Answering,
    Asking,
    Banco,
    BankNamed,
    Decision,
    Nothing,
    SeatLeaving,
    SeatTaking,
    Turn,
)
from services.table.http.lost import found
from services.table.http.route import Asked, Deed, Place, command, view
from services.table.pit import Pit
from services.table.turns import ActionsView, DrawDone, HandView, SeatDone, TurnDone

CURRENT = "/tables/{table}/rounds/current"


@view("/tables/{table}/actions", tells=ActionsView)
async def show_actions(pit: Pit, place: Place) -> ActionsView:
    """Show what each may do now, and between which amounts; an action without a patron is the dealer's."""
    return await pit.croupier.view(About(table=place.table), lambda at: views.actions_view(at.table))


@view(CURRENT + "/hands/{patron}", tells=HandView, roles=("operator", "auditor"))
async def show_hands(pit: Pit, place: Place) -> HandView:
    """Show a patron the cards of the hands that he plays, face down or not: they are for him and for surveillance."""
    shown = await pit.croupier.view(About(table=place.table), lambda at: views.hands_view(at.table, place.patron))
    return found(shown, "hand", right="a patron who plays one, while the hands are played")


@command("/tables/{table}/seats", takes=SeatTaking, tells=SeatDone, status=201)
def take_seat(asked: Asked[SeatTaking]) -> Deed:
    """Let a patron sit down, between rounds."""
    said = asked.body
    return Deed(
        About(table=asked.table),
        lambda at: salon.take_seat(at.table.here, seat=said.seat, patron=said.patron),
        answers.seat_done,
    )


@command("/tables/{table}/seats/leave", takes=SeatLeaving, tells=SeatDone)
def leave_seat(asked: Asked[SeatLeaving]) -> Deed:
    """Let a patron stand up, between rounds; a bank of his that stands is passed by it."""
    return Deed(
        About(table=asked.table),
        lambda at: salon.leave_seat(at.table.here, patron=asked.body.patron),
        answers.seat_done,
    )


@command("/tables/{table}/shoes/current/draw", tells=DrawDone)
def draw_for_deal(asked: Asked[Nothing]) -> Deed:
    """Draw for the first deal of the dining-room: a card each, the highest deals, those tied highest draw again."""
    return Deed(
        About(table=asked.table, shoe="cards"), lambda at: salon.draw(at.table.here, at.cards), answers.draw_done
    )


@command(CURRENT + "/bank", takes=BankNamed, tells=TurnDone)
def name_bank(asked: Asked[BankNamed]) -> Deed:
    """Name a bank, take one, keep it, or add to it."""
    said = asked.body
    return Deed(
        About(table=asked.table),
        lambda at: salon.place(at.table.here, patron=said.patron, bet="bank", amount=said.amount),
        answers.turn_done,
    )


@command(CURRENT + "/banco", takes=Banco, tells=TurnDone)
def call_banco(asked: Asked[Banco]) -> Deed:
    """Face the whole bank alone."""
    said = asked.body
    return Deed(
        About(table=asked.table),
        lambda at: salon.call_banco(at.table.here, patron=said.patron, bet=said.bet),
        answers.turn_done,
    )


@command(CURRENT + "/pass", takes=Turn, tells=TurnDone)
def pass_turn(asked: Asked[Turn]) -> Deed:
    """Say no to what is asked."""
    return Deed(
        About(table=asked.table),
        lambda at: salon.pass_turn(at.table.here, patron=asked.body.patron),
        answers.turn_done,
    )


@command(CURRENT + "/ask", takes=Asking, tells=TurnDone)
def ask_for_bet(asked: Asked[Asking]) -> Deed:
    """Ask the dealer of the round for a bet that needs his consent, or bid for the bank."""
    said = asked.body
    return Deed(
        About(table=asked.table),
        lambda at: salon.ask(at.table.here, patron=said.patron, bet=said.bet, amount=said.amount),
        answers.turn_done,
    )


@command(CURRENT + "/agree", takes=Answering, tells=TurnDone)
def agree_to_bet(asked: Asked[Answering]) -> Deed:
    """Consent to what somebody asks, which is placed by it."""
    return _answered(asked, agrees=True)


@command(CURRENT + "/refuse", takes=Answering, tells=TurnDone)
def refuse_bet(asked: Asked[Answering]) -> Deed:
    """Refuse what somebody asks."""
    return _answered(asked, agrees=False)


def _answered(asked: Asked[Answering], *, agrees: bool) -> Deed:
    said = asked.body
    return Deed(
        About(table=asked.table),
        lambda at: salon.answer(at.table.here, patron=said.patron, of=said.of, bet=said.bet, agrees=agrees),
        answers.turn_done,
    )


@command(CURRENT + "/decide", takes=Decision, tells=TurnDone)
def decide(asked: Asked[Decision]) -> Deed:
    """Draw or stand, where the choice is free."""
    said = asked.body
    return Deed(
        About(table=asked.table),
        lambda at: salon.decide(at.table.here, patron=said.patron, hand=said.hand, choice=said.choice),
        answers.turn_done,
    )


@command(CURRENT + "/silence", tells=TurnDone)
def answer_for_silent(asked: Asked[Nothing]) -> Deed:
    """Let the system pass, or decide as the tableau, for who is asked and silent when his clock has run out."""
    return Deed(About(table=asked.table), lambda at: salon.silence(at.table.here), answers.turn_done)


ROUTES = (
    show_actions,
    show_hands,
    take_seat,
    leave_seat,
    draw_for_deal,
    name_bank,
    call_banco,
    pass_turn,
    ask_for_bet,
    agree_to_bet,
    refuse_bet,
    decide,
    answer_for_silent,
)
