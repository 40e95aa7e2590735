/** Check `money`: every settlement line to the cent, and no stack or debt below nothing. */

import { BankedSettlement } from "./bankmoney.js";
import { factsOf } from "./facts.js";
import { Check } from "./findings.js";
import { roundedShare } from "./fraction.js";
import { oddsOf, readRules } from "./paytable.js";
import { Stakes } from "./stakes.js";
import { nextHand } from "./tableau.js";

const NO_BEGINNING = "the bundle does not begin with shoe-committed";
const MOST_ENDINGS = 100; // each goes over all that lies there, and a hostile log could ask for it with every line
const AMOUNTS = ["stake", "won", "commission", "returned", "marked"];

export class MoneyCheck extends Check {
  constructor() {
    super("money");
    this.rules = null;
    this.bets = null;
    this.banked = null; // where a player banks
    this.patrons = new Map();
    this.hands = { player: [], banker: [] };
    this.stakes = new Stakes();
    this.settled = new Map(); // the lines of the last coup, by their stake
    this.isOpen = false; // a coup is, neither settled nor voided yet
    this.endings = 0;
    this.isSettled = false;
    this.said = []; // those of the settlement that is being read, in its order
    this.carriedLast = "";
    this.bottom = 0n; // what anybody has, and owes, of whom nothing was told
  }

  /** Follow stakes and settlements alone: what anybody has before him is not known, and is high enough. */
  forgetStacks() {
    this.patrons = new Map();
    this.bottom = 1n << 62n;
  }

  take({ version, event }) {
    if (!this.rules && event.type !== "shoe-committed") this.skip(NO_BEGINNING);
    if (this.reason === NO_BEGINNING) return;
    READINGS[event.type]?.call(this, version, event);
  }

  commit(version, event) {
    if (!this.rules) {
      const { bets, unreadable } = readRules(event.rules);
      Object.assign(this, { rules: event.rules, bets });
      if (event.rules.game !== "house") this.banked = new BankedSettlement(event.rules, bets);
      if (unreadable.length) this.skip(`the rules cannot be read: ${unreadable[0]}`);
    }
    this.carry(version, event);
  }

  carry(version, { carried }) {
    for (const { patron, chips, owed } of carried) {
      if (patron <= this.carriedLast) this.fail(version, `${patron} stands twice among the carried, or not in order`);
      if (!chips && !owed) this.fail(version, `${patron} is carried with nothing`);
      this.carriedLast = patron;
      this.patrons.set(patron, { chips: BigInt(chips), owed: BigInt(owed) });
    }
  }

  /** Move a patron's chips and debt; neither may come to lie below nothing. */
  move(version, patron, { chips = 0, owed = 0 }) {
    const account = this.patrons.get(patron) ?? { chips: this.bottom, owed: this.bottom };
    account.chips += BigInt(chips);
    account.owed += BigInt(owed);
    this.patrons.set(patron, account);
    if (chips < 0 && account.chips < 0n) this.fail(version, `leaves ${patron} with a stack of ${account.chips}`);
    if (owed < 0 && account.owed < 0n) this.fail(version, `leaves ${patron} owing ${account.owed}`);
  }

  open() {
    this.banked?.open();
    this.hands = { player: [], banker: [] };
    this.stakes = new Stakes();
    this.settled = new Map();
    this.said = [];
    this.isSettled = false;
    this.isOpen = true;
    this.endings = 0;
  }

  /** Count how often a coup is settled, voided, reversed; beyond what anybody does, it is not followed. */
  endsTooOften() {
    if (++this.endings <= MOST_ENDINGS) return false;
    this.skip(`a coup is settled, voided or reversed more than ${MOST_ENDINGS} times`);
    return true;
  }

  seat(version, event) {
    this.banked?.seat(event);
  }

  placeBet(version, { patron, bet, amount }) {
    this.move(version, patron, { chips: -amount });
    this.stakes.place(patron, bet, amount);
  }

  withdrawBet(version, { patron, bet }) {
    this.move(version, patron, { chips: this.stakes.withdraw(patron, bet) });
  }

  /** A card goes to the hand that the tableau names; that it was called otherwise is for the rules to say. */
  deal(version, event) {
    if (this.banked) return this.banked.deal(event);
    const { card } = event;
    this.hands[nextHand(this.hands)]?.push(card);
  }

  /** Each line pays a stake that stands. */
  settleLines(version, { lines }) {
    if (this.banked) return this.settleBanked(version, lines, false);
    if (nextHand(this.hands)) this.fail(version, "settles a coup whose cards are not complete, so nothing can be due");
    const facts = nextHand(this.hands) ? null : factsOf(this.hands);
    for (const line of lines) {
      const { patron, bet, returned, marked = 0 } = line;
      this.move(version, patron, { chips: returned, owed: marked });
      this.payLine(version, line, facts);
    }
  }

  /** Lines where a player banks: paid as they are told, each compared with the one that is due. */
  settleBanked(version, lines, isLast) {
    for (const { patron, returned, marked = 0 } of lines) this.move(version, patron, { chips: returned, owed: marked });
    const stakes = [...this.stakes.lines.values()];
    for (const what of this.banked.complaints(lines, stakes, isLast)) if (!this.reason) this.fail(version, what);
  }

  payLine(version, line, facts) {
    const { patron, bet } = line;
    const key = `${patron} ${bet}`;
    const stood = this.stakes.lines.get(key);
    if (!stood) return this.fail(version, `a line of ${patron} on ${bet}, where no stake stands`);
    if (this.settled.has(key)) return this.fail(version, `a second line of ${patron} on ${bet}`);
    if (facts && !this.reason && !this.bets.has(bet) && this.bets.size) {
      this.fail(version, `${patron}'s ${bet} is settled, and is no bet of these rules`);
    } else if (facts && !this.reason) this.compareLine(version, line, this.lineOf(stood, facts));
    else if (line.stake !== stood.stake)
      this.fail(version, `${patron} on ${bet}: ${line.stake}, where ${stood.stake} stood`);
    this.settled.set(key, line);
    this.said.push(key);
  }

  settle(version, event) {
    if (this.endsTooOften()) return;
    this.isOpen = false;
    if (this.banked) return this.settleBanked(version, event.lines, true);
    this.settleLines(version, event);
    this.checkOrder(version);
    for (const { patron, bet, stake } of this.unsettled()) {
      this.fail(version, `no line of ${patron} on ${bet}, where ${stake} stood`);
    }
  }

  checkOrder(version) {
    const places = new Map([...this.stakes.lines.keys()].map((key, place) => [key, place]));
    const said = this.said.splice(0).map((key) => places.get(key));
    if (said.some((place, at) => at && place <= said[at - 1])) {
      this.fail(version, "the lines do not stand in the order in which the bets were placed");
    }
    if (said.length && this.isSettled) this.fail(version, "settles more of a coup that is settled");
    this.isSettled = true;
  }

  unsettled() {
    return [...this.stakes.lines].filter(([key]) => !this.settled.has(key)).map(([, line]) => line);
  }

  compareLine(version, said, due) {
    for (const amount of AMOUNTS) {
      const told = said[amount] === undefined ? undefined : BigInt(said[amount]);
      if (told === due[amount]) continue;
      const what = `${amount} is ${told ?? "absent"}, where ${due[amount] ?? "nothing"} is due`;
      this.fail(version, `${said.patron} on ${said.bet}: ${what}`);
    }
  }

  /** The line that is due for a stake, in BigInt; `marked` is undefined where it is absent. */
  lineOf({ patron, bet, stake }, facts) {
    const { commission, winnings } = this.rules;
    const staked = BigInt(stake);
    const isMarked = commission?.collect === "marked";
    const line = {
      patron,
      bet,
      stake: staked,
      won: 0n,
      commission: 0n,
      returned: 0n,
      marked: isMarked ? 0n : undefined,
    };
    const known = this.bets.get(bet);
    const rate = commission && known?.rate;
    const odds = known ? oddsOf(known, facts) : null;
    if (!odds) return line;
    if (odds.over) {
      line.won = roundedShare(staked, odds, winnings);
      const share = rate ? roundedShare(line.won, rate, commission) : 0n;
      line[isMarked ? "marked" : "commission"] = share;
    }
    line.returned = staked + line.won - line.commission;
    return line;
  }

  voidRound(version) {
    if (this.endsTooOften()) return;
    this.isOpen = false;
    const back = this.banked ? this.stakes.lines.values() : this.unsettled();
    for (const { patron, stake } of back) this.move(version, patron, { chips: stake });
  }

  reverse(version) {
    if (this.endsTooOften()) return;
    for (const { patron, returned, marked = 0 } of this.settled.values()) {
      this.move(version, patron, { chips: -returned, owed: -marked });
    }
    for (const [patron, paid] of this.banked?.paid ?? []) this.move(version, patron, { chips: -paid });
    this.banked?.begin();
    this.isSettled = false;
    this.settled = new Map();
  }

  /** Chips between the table and the cage: each kind once, the largest first, and together what the slip says. */
  countSlip(version, { slip, amount, chips }) {
    const worth = chips.reduce((sum, [denomination, count]) => sum + BigInt(denomination) * BigInt(count), 0n);
    if (worth !== BigInt(amount)) this.fail(version, `the slip ${slip} says ${amount}, and its chips are ${worth}`);
    if (chips.some(([denomination], at) => at && denomination >= chips[at - 1][0])) {
      this.fail(version, `the chips on the slip ${slip} do not stand from the largest down`);
    }
  }

  end() {
    if (!this.rules) this.skip(NO_BEGINNING);
  }
}

const money = MoneyCheck.prototype;
const READINGS = {
  "shoe-committed": money.commit,
  "chips-carried": money.carry,
  "chips-filled": money.countSlip,
  "chips-credited": money.countSlip,
  "chips-bought"(version, { patron, amount }) {
    this.move(version, patron, { chips: amount });
  },
  "chips-cashed"(version, { patron, amount }) {
    this.move(version, patron, { chips: -amount });
    const { chips, owed } = this.patrons.get(patron);
    const hasStaked = this.isOpen && this.stakes.by(patron) > 0;
    if (chips === 0n && owed > 0n && !hasStaked) this.fail(version, `${patron} leaves, owing ${owed}`);
  },
  "commission-collected"(version, { patron, amount }) {
    this.move(version, patron, { chips: -amount, owed: -amount });
  },
  "commission-waived"(version, { patron, amount }) {
    this.move(version, patron, { owed: -amount });
  },
  "round-opened": money.open,
  "seats-set": money.seat,
  "bet-placed": money.placeBet,
  "bet-withdrawn": money.withdrawBet,
  "card-dealt": money.deal,
  "lines-settled": money.settleLines,
  "round-settled": money.settle,
  "round-voided": money.voidRound,
  "settlement-reversed": money.reverse,
};
