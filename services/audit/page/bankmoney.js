/** What a coup pays in which a player banks: the bank takes what the others lose, and pays what they win. */

import { factsOf } from "./facts.js";
import { fractionOf, roundedShare } from "./fraction.js";
import { oddsOf } from "./paytable.js";
import { clockwiseAfter, seatOf } from "./seats.js";
import { winnerOf } from "./tableau.js";

const LINES_AN_ENTRY = 200;
const MAIN = ["player", "banker"]; // of the dining-room: what the bank covers
const AMOUNTS = ["patron", "bet", "stake", "won", "commission", "returned", "marked"];

/** The hands of a game, in the order in which they are dealt to. */
export function handsOf({ game }) {
  return game === "banque" ? ["right", "left", "banker"] : ["player", "banker"];
}

/** The winner of a side: `player` when it beats the bank. */
export function winnerAgainst(side, banker) {
  return winnerOf({ player: side, banker });
}

/**
 * `{lines, broken}`: every line that is due, its amounts in BigInt, the bank's first; and what a broken bank owed and
 * paid, or null. Or `{complaint}`: why nothing can be due. `stakes` are `{patron, bet, stake}` in the order placed;
 * `seats` is a map, seat to patron.
 */
export function dueLines({ rules, bets }, { stakes, hands, seats }) {
  const [bank, ...others] = stakes;
  if (bank?.bet !== "bank" || others.some(({ bet }) => bet === "bank")) return { complaint: "nobody banks it first" };
  const stranger = others.find(({ bet }) => !bets.has(bet));
  if (stranger) return { complaint: `${stranger.bet} is no bet of these rules` };
  if (handsOf(rules).some((hand) => ![2, 3].includes(hands[hand].length))) return { complaint: "cards are missing" };
  const facts = factsOfAll(rules, hands);
  const lines = others.map((stake) => lineOf(stake, oddsOf(bets.get(stake.bet), facts), rules));
  const broken = rules.game === "dining-room" ? shareOut({ bank, lines, seats, rules }) : null;
  if (broken?.complaint) return broken;
  return { lines: [bankLine(bank, lines, rules), ...lines], broken };
}

function factsOfAll({ game }, { player, right, left, banker }) {
  if (game !== "banque") return factsOf({ player, banker });
  return { right_winner: winnerAgainst(right, banker), left_winner: winnerAgainst(left, banker) };
}

function lineOf({ patron, bet, stake }, odds, { winnings }) {
  const staked = BigInt(stake);
  const won = odds?.over ? roundedShare(staked, odds, winnings) : 0n;
  return { patron, bet, stake: staked, won, commission: 0n, returned: odds ? staked + won : 0n };
}

/** The bank's line: what it took, what the house levies, and what is left of it all. */
function bankLine({ patron, stake }, lines, { levy }) {
  const took = sumOf(lines.filter(({ returned }) => !returned).map((line) => line.stake));
  const paid = sumOf(lines.map(({ won }) => won));
  const net = took > paid ? took - paid : 0n;
  const commission = levy ? roundedShare(levy.on === "gross" ? took : net, fractionOf(levy.rate), levy) : 0n;
  const returned = BigInt(stake) + took - paid - commission;
  return { patron, bet: "bank", stake: BigInt(stake), won: took, commission, returned };
}

const sumOf = (amounts) => amounts.reduce((sum, amount) => sum + amount, 0n);

/**
 * Pay side bets out of what is there, once main bets are settled and lost stakes are in. When it is too little, a unit
 * each, clockwise from the dealer's left, to whoever has not got his due; what comes fills his lines as they stand.
 */
function shareOut({ bank, lines, seats, rules }) {
  const isMain = ({ bet }) => MAIN.includes(bet);
  const lost = lines.filter(({ returned }) => !returned);
  const taken = BigInt(bank.stake) + sumOf(lost.map(({ stake }) => stake));
  const purse = taken - sumOf(lines.filter(isMain).map(({ won }) => won));
  const winning = lines.filter((line) => !isMain(line) && line.won);
  const due = sumOf(winning.map(({ won }) => won));
  if (purse < 0n) return { complaint: "the bank does not cover what was staked on the hands" };
  if (due <= purse) return null;
  const dealer = seatOf(seats, bank.patron);
  if (dealer === undefined) return { complaint: "who banks has no seat" };
  const wanting = new Map();
  for (const { patron, won } of winning) wanting.set(patron, (wanting.get(patron) ?? 0n) + won);
  const order = clockwiseAfter(seats.keys(), dealer).map((seat) => seats.get(seat));
  const shares = sharesOf(purse, wanting, order, BigInt(rules.stakes.unit));
  for (const line of winning) {
    const share = shares.get(line.patron) ?? 0n;
    const came = line.won < share ? line.won : share;
    shares.set(line.patron, share - came);
    Object.assign(line, { won: came, returned: line.stake + came });
  }
  return { patron: bank.patron, due, paid: purse };
}

/** What comes to each: as many whole rounds at once as nobody is served too much by, then one by one. */
function sharesOf(purse, wanting, order, unit) {
  const shares = new Map();
  const least = (...amounts) => amounts.reduce((one, other) => (other < one ? other : one));
  const lacks = (patron) => wanting.get(patron) - (shares.get(patron) ?? 0n);
  let waiting = order.filter((patron) => wanting.has(patron));
  while (purse > 0n && waiting.length) {
    const rounds = least(...waiting.map((patron) => lacks(patron) / unit), purse / (unit * BigInt(waiting.length)));
    for (const patron of waiting) {
      const came = least(unit * (rounds || 1n), lacks(patron), purse);
      shares.set(patron, (shares.get(patron) ?? 0n) + came);
      purse -= came;
    }
    waiting = waiting.filter((patron) => lacks(patron));
  }
  return shares;
}

/** How many lines each entry of a settlement holds: whole ones first, and the rest with the totals. */
export function entriesOf(lines) {
  const entries = [];
  for (let at = 0; at === 0 || at < lines.length; at += LINES_AN_ENTRY) {
    entries.push(lines.slice(at, at + LINES_AN_ENTRY));
  }
  return entries;
}

/** Settlements in which a player banks: each line against the one that is due, and what was paid in all. */
export class BankedSettlement {
  constructor(rules, bets) {
    this.rules = rules;
    this.bets = bets;
    this.seats = new Map();
    this.open();
  }

  open() {
    this.hands = { player: [], banker: [], right: [], left: [] };
    this.begin();
  }

  /** Settle from the first line on. */
  begin() {
    this.due = null;
    this.next = 0;
    this.paid = new Map();
  }

  deal({ hand, card }) {
    if (this.hands[hand].length < 4) this.hands[hand].push(card);
  }

  seat({ seats }) {
    this.seats = new Map(seats.map(({ seat, patron }) => [seat, patron]));
  }

  /** What is wrong with the next lines; `stakes` are those that lie. */
  *complaints(lines, stakes, isLast) {
    if (!this.due) {
      const { lines: due, complaint } = dueLines(this, { stakes, hands: this.hands, seats: this.seats });
      this.due = due ?? [];
      this.isKnown = Boolean(due);
      if (complaint) yield `a coup is settled, and nothing can be due: ${complaint}`;
    }
    for (const { patron, returned } of lines) this.paid.set(patron, (this.paid.get(patron) ?? 0) + returned);
    if (!this.isKnown) return;
    for (const line of lines) {
      const due = this.due[this.next++];
      if (!due) yield `a line of ${line.patron} on ${line.bet}, where no stake stands`;
      else if (AMOUNTS.some((amount) => said(line[amount]) !== said(due[amount]))) {
        yield `a line says ${inFigures(line)}, where ${inFigures(due)} is due`;
      }
    }
    if (!isLast) return;
    for (const { patron, bet, stake } of this.due.slice(this.next)) yield `no line of ${patron} on ${bet} of ${stake}`;
    this.next = Math.max(this.next, this.due.length);
  }
}

const said = (value) => (value === undefined ? value : String(value));
const inFigures = (line) => AMOUNTS.map((amount) => line[amount] ?? "").join(" ").trim();
