/**
 * Baccarat banque until its last call, and its hands: the auction of the bank, banco on either side, stakes, who plays.
 *
 * The low half of the seats is the right side, the high half the left; outward goes from the nearest seat and wraps.
 */

import { totalOf } from "./cards.js";
import { seatOf } from "./seats.js";
import { winnerOf } from "./tableau.js";
import { asTableau, isNatural } from "./thirds.js";

const SIDES = ["right", "left"];
const STAKES = [...SIDES, "cheval"];
const HANDS = [...SIDES, "banker"];
const SIDES_CHOICE = 5;

const sideOf = (rules, seat) => (seat <= rules.seats / 2 ? "right" : "left");
const isFarther = (side, seat, other) => (side === "right" ? seat > other : seat < other);

/** The occupied seats of a side from the nearest outward; the banker's is set aside. */
function outward(rules, seats, side, banker) {
  const there = [...seats.keys()].filter((seat) => sideOf(rules, seat) === side && seat !== banker);
  return there.sort((one, other) => (isFarther(side, one, other) ? 1 : -1));
}

/** Outward from beyond a seat, wrapping; the seat itself, if it is among them, last. */
function beyond(order, side, seat) {
  const farther = order.filter((other) => isFarther(side, other, seat));
  return [...farther, ...order.filter((other) => !farther.includes(other))];
}

/** Whose hand a side's is: the seat named, else the next outward; the nearest when none is named. */
function activeOf({ rules, seats }, side, banker, named) {
  const order = outward(rules, seats, side, banker);
  if (named === undefined || order.includes(named)) return named ?? order[0];
  return beyond(order, side, named)[0];
}

function next({ standing: before, seats, rules }) {
  const { banker, standing, right, left } = before;
  const of = (side, named) => activeOf({ rules, seats }, side, banker, named);
  return { banker, standing, right: of("right", right), left: of("left", left) };
}

function open(table, coup) {
  const { banker, standing = 0 } = coup.before;
  if (banker === undefined) coup.stage = bidding(coup);
  else if (standing < coup.limits.bets.bank?.min) coup.stage = bidding(coup, banker);
  else coup.stage = { name: "holding", order: [banker], standing };
  return [];
}

/** An auction among all who sit but for one who has just given the bank up. */
function bidding({ seats }, without) {
  return { name: "bidding", bidders: [...seats.keys()].filter((seat) => seat !== without), highest: null };
}

function isAsked({ stage, seats }, patron) {
  const seat = seatOf(seats, patron);
  if (seat === undefined) return false;
  if (stage.name === "bidding") return stage.bidders.includes(seat) && stage.highest?.seat !== seat;
  return ["holding", "offering"].includes(stage.name) && stage.order[0] === seat;
}

function refusal(table, coup, event, isBySystem) {
  const { type, patron, bet, amount } = event;
  if (type === "turn-passed") return isAsked(coup, patron) ? null : "is not asked";
  if (type === "bet-withdrawn") return withdrawal(coup, event, isBySystem);
  if (type !== "bet-placed" && type !== "bet-asked") return "no consent is asked for here";
  const bounds = type === "bet-asked" ? bidBounds(table, coup, event) : boundsOf(table, coup, event);
  if (!bounds) return `${patron} cannot stake on ${bet} now`;
  const { least, most } = bounds;
  return least <= amount && amount <= most ? null : `${amount} is not within ${least} to ${most}`;
}

function withdrawal({ stage, stakes }, { patron, bet }, isBySystem) {
  const isThere = stage.name === "punting" && bet !== "bank" && stakes.on(patron, bet) > 0;
  return isThere && !isBySystem ? null : "there is nothing to take back";
}

function bidBounds(table, coup, { patron, bet }) {
  const { stage, limits } = coup;
  const span = limits.bets.bank;
  if (bet !== "bank" || stage.name !== "bidding" || !isAsked(coup, patron) || !span) return null;
  return { least: stage.highest ? stage.highest.amount + 1 : span.min, most: Math.min(span.max, table.stack(patron)) };
}

function boundsOf(table, coup, event) {
  const { patron, bet } = event;
  if (bet === "bank") return bankBounds(table, coup, patron);
  return STAKES.includes(bet) ? stakeBounds(table, coup, event) : bancoBounds(table, coup, event);
}

/** A standing bank is named again: for more, or less, if it may be; above the table's most at that. */
function bankBounds(table, coup, patron) {
  const { stage, rules, limits } = coup;
  const span = limits.bets.bank;
  if (stage.name !== "holding" || !isAsked(coup, patron) || !span) return null;
  const standing = Math.min(stage.standing, span.max);
  const most = rules.bank.add ? span.max : standing;
  return { least: rules.bank.withdraw ? span.min : standing, most: Math.min(most, table.stack(patron)) };
}

function bancoBounds(table, coup, { patron, bet }) {
  const { stage, rules, limits, bank, seats } = coup;
  const span = limits.bets[bet];
  const isOwnSide = bet === `banco-${sideOf(rules, seatOf(seats, patron) ?? 0)}`;
  if (stage.name !== "offering" || !isAsked(coup, patron) || !span || !isOwnSide) return null;
  const most = Math.min(table.stack(patron), span.max, limits.patron ?? Infinity, limits.table ?? Infinity);
  return span.min <= bank.amount && bank.amount <= most ? { least: bank.amount, most: bank.amount } : null;
}

/** Any who sits but the banker, and bystanders, on either side or both; never more than the bank in all. */
function stakeBounds(table, { stage, rules, limits, bank, seats, stakes }, { patron, bet }) {
  const seat = seatOf(seats, patron);
  const isHere = seat === undefined ? rules.stakes.bystanders && table.knows(patron) : seat !== bank?.seat;
  const span = limits.bets[bet];
  if (stage.name !== "punting" || !isHere || !span || !rules.bets[bet]) return null;
  const [on, staked] = [stakes.on(patron, bet), stakes.total - bank.amount];
  const ofPatron = (limits.patron ?? Infinity) - stakes.by(patron);
  const room = Math.min(limits.table ?? Infinity, bank.amount) - staked;
  return { least: Math.max(span.min - on, 1), most: Math.min(span.max - on, table.stack(patron), ofPatron, room) };
}

function said(table, coup, event) {
  const { stage, seats } = coup;
  const seat = seatOf(seats, event.patron);
  if (event.type === "bet-asked") coup.stage = { ...stage, highest: { seat, amount: event.amount } };
  else if (event.type === "turn-passed") pass(coup, seat);
  else if (event.bet === "bank") placeBank(coup, { seat, amount: event.amount });
  else if (stage.name === "offering") coup.stage = { name: "faced" };
  return following(coup);
}

function pass(coup, seat) {
  const { stage, bank } = coup;
  if (stage.name === "holding") coup.stage = bidding(coup, seat);
  else if (stage.name === "offering") offer(coup, bank, stage.order.slice(1));
  else coup.stage = { ...stage, bidders: stage.bidders.filter((bidder) => bidder !== seat) };
}

/** What an auction that is over comes to, by the system: the bank of the highest bid, or a void. */
function following(coup) {
  const { round, seats, stage } = coup;
  if (stage.name !== "bidding") return [];
  const { bidders, highest } = stage;
  if (!bidders.length) {
    coup.stage = { name: "unbidden" };
    const event = { type: "round-voided", round, reason: "no-bank", approved_by: [] };
    return [{ isBySystem: true, event }];
  }
  if (!highest || bidders.length > 1) return [];
  const patron = seats.get(highest.seat);
  const event = { type: "bet-placed", round, patron, bet: "bank", amount: highest.amount };
  return [{ isBySystem: true, event }];
}

function placeBank(coup, bank) {
  const { limits, rules, seats } = coup;
  coup.bank = bank;
  const isOffered = (side) => limits.bets[`banco-${side}`] && rules.bets[`banco-${side}`];
  const sides = SIDES.map((side) => (isOffered(side) ? outward(rules, seats, side, bank.seat) : []));
  const longest = Math.max(...sides.map(({ length }) => length));
  const order = Array.from({ length: longest }, (_, at) => sides.map((side) => side[at])).flat();
  const asked = order.filter((seat) => seat !== undefined);
  offer(coup, bank, asked);
}

function offer(coup, bank, order) {
  coup.stage = order.length ? { name: "offering", order } : { name: "punting" };
}

/** What a patron may not cash: a bank he has not been asked about yet, or what he has bid. */
function held({ stage, before, seats }, patron) {
  if (stage.name === "holding" && seats.get(before.banker) === patron) return before.standing ?? 0;
  return stage.highest && seats.get(stage.highest.seat) === patron ? stage.highest.amount : 0;
}

function mayClose({ stage }) {
  return ["punting", "faced"].includes(stage.name);
}

function voidReason({ stage, stakes, bank }, isClosing) {
  if (stage.name === "unbidden") return "no-bank";
  return isClosing && stage.name === "punting" && stakes.total === bank.amount ? "no-stakes" : null;
}

/** Who plays a side: banco's caller, the active seat or the next outward with a stake there, a bystander, or null. */
function playerOf(coup, side) {
  const { rules, seats, bank, before } = coup;
  const staked = [...coup.stakes.lines.values()];
  const caller = staked.find(({ bet }) => bet === `banco-${side}`);
  if (caller) return caller.patron;
  const there = staked.filter(({ bet }) => bet === side || bet === "cheval").map(({ patron }) => patron);
  const first = activeOf(coup, side, bank.seat, before[side]);
  const order = first === undefined ? [] : [first, ...beyond(outward(rules, seats, side, bank.seat), side, first)];
  const seated = order.map((seat) => seats.get(seat)).find((patron) => there.includes(patron));
  return seated ?? there.find((patron) => seatOf(seats, patron) === undefined) ?? null;
}

function step(coup) {
  const { hands } = coup;
  if (hands.banker.length < 2) {
    const fewest = Math.min(...HANDS.map((hand) => hands[hand].length));
    return { hand: HANDS.find((hand) => hands[hand].length === fewest) };
  }
  const playing = SIDES.filter((side) => !isNatural(hands[side]));
  if (isNatural(hands.banker) || !playing.length) return null;
  return playing.map((side) => stepOfASide(coup, side)).find(Boolean) ?? chosen(coup, "banker");
}

function stepOfASide(coup, side) {
  const cards = coup.hands[side];
  if (cards.length === 3) return null;
  if (totalOf(cards) === SIDES_CHOICE && playerOf(coup, side) !== null) return chosen(coup, side);
  return asTableau(cards) === "draw" ? { hand: side } : null;
}

function chosen({ hands, choices }, hand) {
  if (choices[hand] === undefined) return { hand, isFree: true };
  return choices[hand] === "draw" && hands[hand].length < 3 ? { hand } : null;
}

function advice(hand, hands) {
  return asTableau(hands[hand]);
}

/** What a settled coup leaves: the bank with what is left of it; a side that played and lost goes one outward. */
function left(coup, lines) {
  const { bank } = coup;
  const after = Object.fromEntries(SIDES.map((side) => [side, activeAfter(coup, side)]));
  return { banker: bank.seat, standing: lines[0].returned || undefined, ...after };
}

function activeAfter(coup, side) {
  const { bank, hands, seats, rules, before, stakes } = coup;
  const seat = activeOf(coup, side, bank.seat, before[side]);
  const isBanco = [...stakes.lines.values()].some(({ bet }) => bet.startsWith("banco-"));
  const hasLost = winnerOf({ player: hands[side], banker: hands.banker }) === "banker";
  if (seat === undefined || isBanco || !hasLost || playerOf(coup, side) !== seats.get(seat)) return seat;
  return beyond(outward(rules, seats, side, bank.seat), side, seat)[0];
}

function leftByAVoid(coup) {
  const { stage, before, bank } = coup;
  if (stage.name === "holding") return before;
  if (!bank) return { right: before.right, left: before.left };
  const [right, left] = SIDES.map((side) => activeOf(coup, side, bank.seat, before[side]));
  return { banker: bank.seat, standing: bank.amount, right, left };
}

/** A seat is left: if it was its side's, the next outward is. */
function vacated({ standing, seats, rules }, seat) {
  const side = SIDES.find((one) => standing[one] === seat);
  if (side) standing[side] = beyond(outward(rules, seats, side, standing.banker), side, seat)[0];
}

export const banque = {
  next,
  open,
  refusal,
  said,
  held,
  mayClose,
  closing: () => [],
  voidReason,
  step,
  advice,
  left,
  leftByAVoid,
  vacated,
};
