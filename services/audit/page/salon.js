/**
 * The table at which players bank, followed entry by entry: what may be said by whom, what must follow, whose card is
 * next, and what a settlement leaves to the next coup. It is followed as far as the first entry that is not as it must.
 */

import { totalOf } from "./cards.js";
import { dueLines, entriesOf, handsOf, winnerAgainst } from "./bankmoney.js";
import { inWords, isSame } from "./sameness.js";
import { Stakes } from "./stakes.js";
import { seatOf, statedComplaint } from "./seats.js";
import { winnerOf } from "./tableau.js";
import { banque } from "./banque.js";
import { chemin } from "./chemin.js";
import { dining } from "./dining.js";

const GAMES = { "chemin-de-fer": chemin, "dining-room": dining, banque };
const FEWEST_SEATED = 2;
const SAID = ["bet-placed", "bet-withdrawn", "turn-passed", "bet-asked", "bet-agreed", "bet-refused"];
const STOPS_WHERE_SUSPENDED = [...SAID, "round-opened", "bets-closed"];

export class Salon {
  constructor(rules, bets) {
    this.rules = rules;
    this.bets = bets;
    this.game = GAMES[rules.game];
    this.stacks = new Map();
    this.isBottomless = false; // a round alone: what anybody has before him is not known
    this.seats = new Map();
    this.areSeatsKnown = false; // a bundle's first are taken as stated
    this.drawn = []; // cards for the first deal, before that
    this.hasLeft = new Map(); // who has left his seat after such a draw
    this.heard = new Map(); // who sat down where before that, or null for a seat that was left
    this.standing = {}; // what the last coup leaves to the next, as `seats-set` will say it
    this.limits = null;
    this.isSuspended = false;
    this.coup = null;
    this.last = null; // the coup that was settled last, until the next is opened
    this.due = []; // entries that must follow, in the same command
    this.command = null;
    this.version = 0;
    this.isLost = false;
  }

  stack(patron) {
    return this.isBottomless ? Infinity : (this.stacks.get(patron) ?? 0);
  }

  /** Whether a patron has ever had anything at this table. */
  knows(patron) {
    return this.isBottomless || this.stacks.has(patron);
  }

  move(patron, amount) {
    this.stacks.set(patron, (this.stacks.get(patron) ?? 0) + amount);
  }

  /** Follow an entry; gives `{version, what}` of what is wrong, after which nothing is followed any more, or null. */
  follow({ version, event, actor, command }) {
    if (this.isLost) return null;
    const isBySystem = actor.startsWith("system:");
    const complaint = this.complaintOf(event, { isBySystem, command });
    const at = this.isMissed ? this.version : version;
    [this.command, this.version] = [command, version];
    if (complaint) return this.lose(at, complaint);
    const due = this.due.shift();
    const next = APPLY[event.type]?.call(this, event, due) ?? [];
    this.due = due ? [...next, ...this.due] : next;
    return null;
  }

  /** Go on with a round alone: what anybody has before him is not known, nor what went before. */
  takeUp() {
    this.isBottomless = true;
    if (this.rules.game === "dining-room") this.isLost = true;
  }

  /** What is missing at the end of the log. */
  end() {
    return this.due.length && !this.isLost ? this.lose(this.version, `${inWords(this.due[0].event)} is missing`) : null;
  }

  lose(version, what) {
    this.isLost = true;
    return { version, what };
  }

  complaintOf(event, { isBySystem, command }) {
    const [due] = this.due;
    this.isMissed = Boolean(due) && command !== this.command;
    if (this.isMissed) return `its command lacks ${inWords(due.event)}`;
    if (due && !due.isJudged) return mismatch(due, event, isBySystem);
    if (due && Object.entries(due.event).some(([key, value]) => event[key] !== value)) {
      return `${inWords(event)} stands where ${inWords(due.event)} must follow`;
    }
    if (this.isSuspended && STOPS_WHERE_SUSPENDED.includes(event.type)) return "play is suspended";
    const judge = SAID.includes(event.type) ? judgeSaid : JUDGES[event.type];
    const refusal = judge?.call(this, event, isBySystem);
    return refusal ? `${event.type}: ${refusal}` : null;
  }

  vacate(seat) {
    const { banker, suivi } = this.standing;
    if (banker === seat) {
      Object.assign(this.standing, { banker: undefined, standing: undefined, suivi: undefined, tied: undefined });
    }
    if (suivi === seat) this.standing.suivi = undefined;
    this.game.vacated?.(this, seat);
  }

  /** Keep what a coup leaves, as far as those it is about still sit where they sat. */
  leave(coup, standing) {
    this.standing = standing;
    for (const [seat, patron] of coup.seats) if (this.seats.get(seat) !== patron) this.vacate(seat);
  }

  /** The entries that a settlement must come to. */
  settlement() {
    const { round, hands, stakes, seats, rules } = this.coup;
    const { lines, broken, complaint } = dueLines(this, { stakes: [...stakes.lines.values()], hands, seats });
    if (complaint) return { complaint };
    const entries = entriesOf(lines);
    const events = entries.slice(0, -1).map((some) => ({ type: "lines-settled", round, lines: some }));
    const last = { type: "round-settled", round, ...totalsOf(rules, hands), lines: entries.at(-1) };
    const due = [...events, last].map((event) => ({ event, areLinesNamed: true }));
    return { due: [...due, ...(this.game.afterSettling?.(this, lines, broken) ?? [])] };
  }

  seatsDue(round) {
    const seats = [...this.seats].sort(([one], [other]) => one - other).map(([seat, patron]) => ({ seat, patron }));
    return { type: "seats-set", round, seats, ...this.game.next(this) };
  }
}

function totalsOf({ game }, { player, banker, right, left }) {
  if (game !== "banque") {
    return { player: totalOf(player), banker: totalOf(banker), winner: winnerOf({ player, banker }) };
  }
  const winners = { left: winnerAgainst(left, banker), right: winnerAgainst(right, banker) };
  return { left: totalOf(left), right: totalOf(right), banker: totalOf(banker), winners };
}

/** How an entry is not the one that must follow; null when it is. What its lines pay is for the money to say. */
function mismatch({ event: due, isBySystem, areLinesNamed, isAnySeats }, event, isTheSystems) {
  if (event.type !== due.type || (isBySystem && !isTheSystems)) {
    return `${event.type} stands where ${isBySystem ? "the system's " : ""}${inWords(due)} must follow`;
  }
  if (isAnySeats || due.type === "bets-closed") return null;
  const [one, other] = areLinesNamed ? [named(due), named(event)] : [due, event];
  return isSame(one, other) ? null : `${inWords(other)} stands where it must be ${inWords(one)}`;
}

function named({ lines, ...event }) {
  return { ...event, lines: lines.map(({ patron, bet }) => `${patron} ${bet}`) };
}

function judgeSaid(event, isBySystem) {
  if (!this.coup || this.coup.isClosed) return "no bets are taken";
  if (event.round !== this.coup.round) return "of another round";
  return this.game.refusal(this, this.coup, event, isBySystem);
}

function judgeSettlement(event) {
  if (!this.coup?.isClosed) return "no coup is to be settled";
  if (!this.coup.isReversed && this.game.step(this.coup)) return "the coup is not complete";
  const { due, complaint } = this.settlement();
  if (complaint) return complaint;
  this.settling = due.slice(1);
  return mismatch(due[0], event, false);
}

/** What a patron may not cash: his bank, until he has named it anew or passed. */
function heldBack({ coup, game, standing, seats }, patron) {
  if (coup && !coup.isReversed) return coup.isClosed ? 0 : game.held(coup, patron);
  return standing.banker !== undefined && seats.get(standing.banker) === patron ? (standing.standing ?? 0) : 0;
}

function judgeCash({ patron, amount }) {
  const held = this.areSeatsKnown ? heldBack(this, patron) : 0;
  return held && amount > this.stack(patron) - held ? "a standing bank cannot be cashed" : null;
}

/** Why an entry may not stand here: the table's part of it, beside the order of all shoes. */
const JUDGES = {
  "seat-taken"({ seat, patron }) {
    if (!this.areSeatsKnown) return null;
    if (this.coup) return "nobody sits down during a round";
    if (seat > this.rules.seats) return `the table has ${this.rules.seats} seats`;
    if (this.seats.has(seat)) return "the seat is taken";
    return seatOf(this.seats, patron) === undefined ? (this.game.seatingRefusal?.(this) ?? null) : "he has a seat";
  },
  "seat-left"({ seat, patron, reason }) {
    if (!this.areSeatsKnown) return null;
    if (this.coup) return "nobody stands up during a round";
    if (this.seats.get(seat) !== patron) return "he does not sit there";
    return reason === "left" ? null : "nothing eliminates him";
  },
  "chips-bought"(event) {
    return this.game.chipsRefusal?.(this, event) ?? null;
  },
  "chips-cashed"(event) {
    return this.game.chipsRefusal?.(this, event) ?? judgeCash.call(this, event);
  },
  "round-opened"({ free }) {
    if (free) return "every coup has bets where players bank";
    if (this.coup) return "a coup is open";
    if (this.areSeatsKnown && this.seats.size < FEWEST_SEATED) return "too few sit at the table";
    return (this.areSeatsKnown && this.game.openingRefusal?.(this)) || null;
  },
  "bank-broken": () => "no bank is broken",
  "bets-closed"() {
    if (!this.coup || this.coup.isClosed) return "no bets are taken";
    if (!this.game.mayClose(this.coup)) return "somebody is still asked";
    const reason = this.game.voidReason(this.coup, true);
    if (reason) return `the coup is void: ${reason}`;
    return this.game.closing(this.coup).length ? "what is over is not trimmed" : null;
  },
  "card-drawn"(event) {
    return this.game.drawRefusal ? this.game.drawRefusal(this, event) : "nobody draws for the deal in this game";
  },
  "cut-card-reached"() {
    return this.coup?.isClosed || this.game.draws ? null : "no card is to come";
  },
  "card-dealt"({ hand, card }) {
    if (!this.coup?.isClosed || this.coup.isReversed) return "no cards are dealt";
    const step = this.game.step(this.coup);
    if (step?.hand === hand && !step.isFree) return null;
    const due = step ? `${step.hand} ${step.isFree ? "has a choice" : "is next"}` : "none is due";
    return `${card} for ${hand}, where ${due}`;
  },
  "decision-made"({ hand, choice }, isBySystem) {
    if (!this.coup?.isClosed || this.coup.isReversed) return "nothing is to be decided";
    const step = this.game.step(this.coup);
    if (!step?.isFree || step.hand !== hand) return `no choice is free for ${hand}`;
    const isAsTableau = choice === this.game.advice(hand, this.coup.hands);
    return isBySystem && !isAsTableau ? "the system decides as the tableau would" : null;
  },
  "lines-settled": judgeSettlement,
  "round-settled": judgeSettlement,
  "round-voided"({ reason, approved_by: approvers }, isBySystem) {
    if (!this.coup || approvers.length || !isBySystem) return this.coup ? null : "no coup is open";
    if (!this.coup.isClosed) {
      const isRight = this.game.mayClose(this.coup) && this.game.voidReason(this.coup, true) === reason;
      return isRight && !this.isSuspended ? null : "no rule voids the coup here";
    }
    const step = this.coup.isReversed ? null : this.game.step(this.coup);
    return reason === "out-of-cards" && step && !step.isFree ? null : "no rule voids the coup here";
  },
  "shoe-closed"(event) {
    return this.game.endRefusal?.(this, event) ?? null;
  },
  "settlement-reversed"() {
    return this.last && !this.coup ? null : "no settlement can be reversed";
  },
};

function carry({ carried }) {
  for (const { patron, chips } of carried) this.stacks.set(patron, chips);
}

function settle({ lines }, due) {
  for (const { patron, returned } of lines) this.move(patron, returned);
  this.coup.told.push(...lines);
  return due ? [] : this.settling;
}

/** What an entry makes of the table; gives what must follow it at once. */
const APPLY = {
  "shoe-committed"(event) {
    this.limits = event.limits;
    carry.call(this, event);
  },
  "chips-carried": carry,
  "limits-changed"({ limits }) {
    this.limits = limits;
  },
  "table-suspended"() {
    this.isSuspended = true;
  },
  "table-resumed"() {
    this.isSuspended = false;
  },
  "chips-bought"({ patron, amount }) {
    this.move(patron, amount);
  },
  "chips-cashed"({ patron, amount }) {
    this.move(patron, -amount);
  },
  "commission-collected"({ patron, amount }) {
    this.move(patron, -amount);
  },
  "seat-taken"({ seat, patron }) {
    if (this.areSeatsKnown) this.seats.set(seat, patron);
    else this.heard.set(seat, patron);
  },
  "seat-left"({ seat, patron, reason }) {
    if (!this.areSeatsKnown) {
      if (this.drawn.length) this.hasLeft.set(seat, patron);
      this.heard.set(seat, null);
      return;
    }
    this.seats.delete(seat);
    this.vacate(seat);
    if (reason === "eliminated") this.last?.eliminated.push([seat, patron]);
  },
  "card-drawn"(event) {
    this.drawn.push(event);
  },
  "round-opened"({ round }) {
    if (this.areSeatsKnown) return [{ event: this.seatsDue(round) }];
    return [{ event: { type: "seats-set", round }, isJudged: true }];
  },
  "seats-set": setSeats,
  "bet-placed"(event) {
    this.move(event.patron, -event.amount);
    this.coup.stakes.place(event.patron, event.bet, event.amount);
    return this.game.said(this, this.coup, event);
  },
  "bet-withdrawn"(event) {
    const rest = this.game.afterWithdrawing?.(this.coup) ?? [];
    this.move(event.patron, this.coup.stakes.withdraw(event.patron, event.bet));
    return [...this.game.said(this, this.coup, event), ...rest];
  },
  ...Object.fromEntries(SAID.slice(2).map((type) => [type, say])),
  "bets-closed"() {
    this.coup.isClosed = true;
  },
  "card-dealt"({ hand, card }) {
    this.coup.hands[hand].push(card);
  },
  "decision-made"({ hand, choice }) {
    this.coup.choices[hand] = choice;
  },
  "lines-settled": settle,
  "round-settled"(event, due) {
    const next = settle.call(this, event, due);
    const { coup } = this;
    [this.last, this.coup] = [coup, null];
    this.leave(coup, this.game.left(coup, coup.told));
    return next;
  },
  "round-voided"() {
    const { coup } = this;
    for (const { patron, stake } of coup.stakes.lines.values()) this.move(patron, stake);
    [this.last, this.coup] = [null, null];
    this.leave(coup, this.game.leftByAVoid(coup));
  },
  "settlement-reversed"() {
    const { last } = this;
    for (const { patron, returned } of last.told) this.move(patron, -returned);
    [this.last, this.coup] = [null, { ...last, told: [], isReversed: true }];
    for (const [seat, patron] of last.eliminated.splice(0)) this.seats.set(seat, patron);
  },
  "shoe-frozen"() {
    this.isLost = true; // people decide, and what they do is no play
  },
};

function say(event) {
  return this.game.said(this, this.coup, event);
}

/** Take who sits, and what the coup starts from, as stated; the coup begins. */
function setSeats(event) {
  const { type, round, seats, ...before } = event;
  this.seats = new Map(seats.map(({ seat, patron }) => [seat, patron]));
  this.standing = before;
  this.areSeatsKnown = true;
  const hands = Object.fromEntries(handsOf(this.rules).map((hand) => [hand, []]));
  const coup = { round, rules: this.rules, limits: this.limits, seats: new Map(this.seats), before, hands };
  Object.assign(coup, { stakes: new Stakes(), choices: {}, told: [], eliminated: [], bank: null, isClosed: false });
  this.coup = coup;
  const due = this.game.open(this, coup);
  this.last = null;
  return due;
}

/** A bundle's first `seats-set` is taken as stated, if it can be: of a new shoe, with no bank that stands. */
JUDGES["seats-set"] = function judgeSeats(event) {
  if (!this.due.length) return "it does not follow round-opened";
  const { type, round, seats, ...before } = event;
  const isStanding = ["banker", "standing", "suivi", "tied"].some((key) => before[key] !== undefined);
  if (isStanding && !this.isBottomless) return "no bank stands when a shoe begins";
  const complaint = statedComplaint(event, this.rules.seats);
  if (complaint) return complaint;
  const sitting = new Map(seats.map(({ seat, patron }) => [seat, patron]));
  const refusal = this.game.firstRefusal?.(this, sitting, before);
  if (refusal) return refusal;
  const odd = [...this.heard].find(([seat, patron]) => (sitting.get(seat) ?? null) !== patron);
  if (odd) return `seat ${odd[0]} is not as it was taken, or left`;
  const due = this.game.next({ ...this, standing: before, seats: sitting, rules: this.rules, stacks: this.stacks });
  return isSame({ ...due }, { ...before }) ? null : "it is not what a round may start from";
};
