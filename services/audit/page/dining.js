/**
 * Dining-room baccarat: the draw for the first deal, the deal offered to the able, stakes matched by consent, the end.
 *
 * Who deals puts all that he has into the bank. A game is on from the draw until its shoe closes for want of players.
 */

import { nextSeat, roundFrom, seatOf } from "./seats.js";
import { nextHand, winnerOf } from "./tableau.js";

const MAIN = ["player", "banker"];
const RANKS = "A23456789TJQK";
const [LAST_PLAYER, NO_DEALER] = ["last-player", "no-dealer"];

function next({ standing: { turn, tied }, seats }) {
  return turn === undefined || seats.has(turn) || !seats.size ? { turn, tied } : { turn: nextSeat(seats.keys(), turn) };
}

const isOn = ({ standing }) => standing.turn !== undefined;
const unitOf = ({ rules }) => rules.stakes.unit;

/** The seats that can match a unit of each other, in the order in which the deal is offered. */
function ableAt(table) {
  const { turn } = next(table);
  const needed = unitOf(table) * (table.seats.size - 1);
  return roundFrom(table.seats.keys(), turn).filter((seat) => table.stack(table.seats.get(seat)) >= needed);
}

function richestAt(table) {
  const order = roundFrom(table.seats.keys(), next(table).turn);
  const stackOn = (seat) => table.stack(table.seats.get(seat));
  return order.reduce((richest, seat) => (stackOn(seat) > stackOn(richest) ? seat : richest));
}

/** Why the game is over, or null. */
function ending(table) {
  if (!isOn(table)) return null;
  if (table.seats.size === 1) return LAST_PLAYER;
  const closes = table.rules.bank.unable === "close";
  return !table.seats.size || (closes && !ableAt(table).length) ? NO_DEALER : null;
}

function openingRefusal(table) {
  const over = ending(table);
  if (over) return `the game is over: ${over}`;
  return isOn(table) ? null : "nobody has been drawn to deal";
}

function seatingRefusal(table) {
  return isOn(table) ? "nobody sits down during a game" : null;
}

function chipsRefusal(table, { patron }) {
  if (!table.areSeatsKnown || !isOn(table) || seatOf(table.seats, patron) === undefined) return null;
  return "who plays neither buys nor cashes during a game";
}

function endRefusal(table, { reason }) {
  const isOfTheGame = [LAST_PLAYER, NO_DEALER].includes(reason);
  const isWrong = table.areSeatsKnown && isOfTheGame && ending(table) !== reason;
  return isWrong ? `the game has not ended with ${reason}` : null;
}

/** A draw comes before the first coup of a game; who then sits is known only when that is opened. */
function drawRefusal(table) {
  return table.areSeatsKnown ? "a game is on" : null;
}

/** Who the draw has made the first dealer, of these seats; undefined when it is not their draw, or not over. */
function firstDealer({ rules, seats, drawn }) {
  let drawing = roundFrom(seats.keys(), 0);
  let rest = drawn;
  while (drawing.length > 1) {
    const go = rest.slice(0, drawing.length);
    rest = rest.slice(drawing.length);
    if (go.length < drawing.length || go.some(({ seat }, at) => seat !== drawing[at])) return undefined;
    const heights = go.map(({ card }) => heightOf(card, rules));
    drawing = drawing.filter((_, at) => heights[at] === Math.max(...heights));
  }
  return rest.length ? undefined : drawing[0];
}

function heightOf([rank], { bank }) {
  return rank === "A" && bank.high === "ace" ? RANKS.length : RANKS.indexOf(rank);
}

/** Why the first seats of a bundle cannot be, after a draw in it. */
function firstRefusal({ rules, drawn, hasLeft }, seats, { turn, tied }) {
  if (turn === undefined) return "nobody has been drawn to deal";
  if (!drawn.length) return null;
  const first = firstDealer({ rules, drawn, seats: new Map([...seats, ...hasLeft]) });
  if (first === undefined) return "the draw was not that of those who sit";
  const due = seats.has(first) ? first : nextSeat(seats.keys(), first);
  return turn === due && !tied ? null : `the draw made seat ${due} the first dealer`;
}

function open(table, coup) {
  const able = ableAt(table);
  const { tied, turn } = coup.before;
  coup.able = able;
  coup.stage = { name: "offering", order: able };
  if (tied && able.includes(turn)) return [bankOf(table, coup, turn)];
  if (!able.length) return [bankOf(table, coup, richestAt(table))];
  return able.length === 1 ? [bankOf(table, coup, able[0])] : [];
}

function bankOf(table, { round, seats }, seat) {
  const patron = seats.get(seat);
  return { isBySystem: true, event: { type: "bet-placed", round, patron, bet: "bank", amount: table.stack(patron) } };
}

function refusal(table, coup, event) {
  const { type, patron } = event;
  const seat = seatOf(coup.seats, patron);
  if (type === "bet-withdrawn") return "nothing is withdrawn";
  if (seat === undefined) return "who has no seat plays no part";
  if (coup.stage.name === "offering") return dealRefusal(table, coup, event, seat);
  const isWaiting = coup.stage.waiting.includes(seat);
  if (type === "turn-passed") return isWaiting ? null : "is not asked";
  if (type === "bet-placed") return isWaiting && isAUnit(table, coup, event) ? null : "is no unit that may be staked";
  if (type === "bet-asked") return askRefusal(table, coup, event, { seat, isWaiting });
  const ask = coup.stage.asks.find(({ bet, patron: asking }) => bet === event.bet && asking === patron);
  if (ask?.amount !== event.amount) return "was not asked for";
  return type === "bet-refused" || event.amount <= consentable(table, coup, event) ? null : "cannot be agreed to";
}

function dealRefusal(table, { stage }, { type, patron, bet, amount }, seat) {
  if (stage.order[0] !== seat) return "is not asked";
  if (type === "turn-passed") return null;
  const isWhole = type === "bet-placed" && bet === "bank" && amount === table.stack(patron);
  return isWhole ? null : "the bank is all that he has, or he passes";
}

const unmatched = ({ stage, stakes }) => MAIN.reduce((rest, bet) => rest - (stakes.onBet.get(bet) ?? 0), stage.bank);
const isOffered = ({ limits, rules }, bet) => Object.hasOwn(limits.bets, bet) && Object.hasOwn(rules.bets, bet);

function isAUnit(table, coup, { patron, bet, amount }) {
  const unit = unitOf(coup);
  if (!MAIN.includes(bet) || amount !== unit || unit > unmatched(coup) || !isOffered(coup, bet)) return false;
  const least = coup.limits.bets[bet].min - coup.stakes.on(patron, bet);
  return least <= amount && amount <= roomOf(table, coup, { patron, bet });
}

/** How much more a patron may stake on a bet, by his stack and every limit; the bank counts in none. */
function roomOf(table, { limits, stakes, stage }, { patron, bet }) {
  const ofPatron = (limits.patron ?? Infinity) - stakes.by(patron);
  const ofTable = (limits.table ?? Infinity) - (stakes.total - stage.bank);
  return Math.min(table.stack(patron), limits.bets[bet].max - stakes.on(patron, bet), ofPatron, ofTable);
}

/** How much the dealer can agree to: of a main bet what leaves a unit for each other who has not answered yet. */
function consentable(table, coup, { patron, bet }) {
  const room = roomOf(table, coup, { patron, bet });
  if (!MAIN.includes(bet)) return room;
  const others = coup.stage.waiting.filter((seat) => coup.seats.get(seat) !== patron).length;
  return Math.min(room, unmatched(coup) - unitOf(coup) * others);
}

function askRefusal(table, coup, event, { seat, isWaiting }) {
  const { patron, bet, amount } = event;
  const { stage, stakes, rules, limits } = coup;
  if (seat === stage.dealer || !isOffered(coup, bet)) return "cannot be asked for";
  if (stage.asks.some((ask) => ask.patron === patron && ask.bet === bet)) return "is asked for already";
  const needs = MAIN.includes(bet) ? [bet] : rules.bets[bet].needs;
  const has = needs.some((need) => stakes.on(patron, need) > 0) || (MAIN.includes(bet) && isWaiting);
  if (!has) return "needs another stake first";
  const unit = unitOf(coup);
  const least = Math.max(isWaiting ? 2 * unit : unit, limits.bets[bet].min - stakes.on(patron, bet));
  const isRight = amount % unit === 0 && least <= amount && amount <= consentable(table, coup, event);
  return isRight ? null : `${amount} cannot be asked for`;
}

function said(table, coup, event) {
  const seat = seatOf(coup.seats, event.patron);
  if (coup.stage.name === "offering") return hearOfTheDeal(table, coup, event, seat);
  const { type, patron, bet, amount, round } = event;
  if (type === "bet-asked") coup.stage.asks.push({ patron, bet, amount });
  const isAnswered = type === "bet-agreed" || type === "bet-refused";
  if (isAnswered) dropAsks(coup, (ask) => ask.patron === patron && ask.bet === bet);
  if (type === "bet-agreed") return [{ event: { type: "bet-placed", round, patron, bet, amount } }];
  if (type === "turn-passed") dropAsks(coup, (ask) => ask.patron === patron);
  const isMain = type === "bet-placed" && MAIN.includes(bet);
  if (isMain) dropAsks(coup, (ask) => ask.patron === patron && MAIN.includes(ask.bet));
  if (isMain || type === "turn-passed") coup.stage.waiting = coup.stage.waiting.filter((other) => other !== seat);
  const reason = voidReason(coup, false);
  return reason ? [{ isBySystem: true, event: { type: "round-voided", round, reason, approved_by: [] } }] : [];
}

function dropAsks({ stage }, isDropped) {
  stage.asks = stage.asks.filter((ask) => !isDropped(ask));
}

/** A yes makes a dealer; when all have passed, the first of the able deals. */
function hearOfTheDeal(table, coup, { type, amount }, seat) {
  if (type === "turn-passed") {
    coup.stage.order = coup.stage.order.slice(1);
    return coup.stage.order.length ? [] : [bankOf(table, coup, coup.able[0])];
  }
  const waiting = [...coup.seats.keys()].filter((other) => other !== seat);
  coup.stage = { name: "matching", dealer: seat, bank: amount, waiting, asks: [] };
  return [];
}

function mayClose(coup) {
  return coup.stage.name === "matching" && (!coup.stage.waiting.length || unitOf(coup) > unmatched(coup));
}

function voidReason(coup, isClosing) {
  const { stage } = coup;
  const isOver = stage.name === "matching" && (isClosing || !stage.waiting.length);
  return isOver && unmatched(coup) === stage.bank ? "no-stakes" : null;
}

function step({ hands }) {
  const hand = nextHand(hands);
  return hand && { hand };
}

/** After the settlement: that the bank is broken, and who has not a unit left. */
function afterSettling(table, lines, broken) {
  const { round, rules, seats } = table.coup;
  const due = broken ? [{ event: { type: "bank-broken", round, ...broken } }] : [];
  const returned = (patron) => lines.filter((line) => line.patron === patron).map((line) => line.returned);
  const stackOf = (patron) => returned(patron).reduce((sum, amount) => sum + amount, BigInt(table.stack(patron)));
  const out = roundFrom(seats.keys(), 0).filter((seat) => stackOf(seats.get(seat)) < BigInt(rules.stakes.unit));
  const leaving = out.map((seat) => ({ type: "seat-left", seat, patron: seats.get(seat), reason: "eliminated" }));
  return [...due, ...leaving.map((event) => ({ isBySystem: true, event }))];
}

function left({ stage, seats, hands }) {
  if (winnerOf(hands) === "tie") return { turn: stage.dealer, tied: true };
  return { turn: nextSeat(seats.keys(), stage.dealer) };
}

function leftByAVoid({ stage, before }) {
  return stage.name === "matching" ? { turn: stage.dealer, tied: true } : before;
}

export const dining = {
  next,
  openingRefusal,
  seatingRefusal,
  chipsRefusal,
  endRefusal,
  drawRefusal,
  firstRefusal,
  draws: true,
  open,
  refusal,
  said,
  held: () => 0,
  mayClose,
  closing: () => [],
  voidReason,
  step,
  advice: () => null,
  afterSettling,
  left,
  leftByAVoid,
};
