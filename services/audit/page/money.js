/** Check `money`: every settlement line to the cent, and no stack or debt below nothing. */

import { factsOf } from "./facts.js";
import { Check } from "./findings.js";
import { roundedShare } from "./fraction.js";
import { oddsOf, readRules } from "./paytable.js";
import { Stakes } from "./stakes.js";
import { nextHand } from "./tableau.js";

const AMOUNTS = ["stake", "won", "commission", "returned", "marked"];

export class MoneyCheck extends Check {
  constructor() {
    super("money");
    this.rules = null;
    this.bets = null;
    this.patrons = new Map();
    this.coup = null;
    this.carriedLast = "";
  }

  take({ version, event }) {
    if (event.type !== "shoe-committed" && !this.rules) return;
    READINGS[event.type]?.call(this, version, event);
  }

  commit(version, event) {
    if (!this.rules) {
      const { bets, unreadable } = readRules(event.rules);
      Object.assign(this, { rules: event.rules, bets });
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
    const account = this.patrons.get(patron) ?? { chips: 0n, owed: 0n };
    account.chips += BigInt(chips);
    account.owed += BigInt(owed);
    this.patrons.set(patron, account);
    if (chips < 0 && account.chips < 0n) this.fail(version, `leaves ${patron} with a stack of ${account.chips}`);
    if (owed < 0 && account.owed < 0n) this.fail(version, `leaves ${patron} owing ${account.owed}`);
  }

  open(version, { round }) {
    this.coup = { round, hands: { player: [], banker: [] }, stakes: new Stakes(), lines: [], settled: null };
  }

  placeBet(version, { patron, bet, amount }) {
    this.move(version, patron, { chips: -amount });
    this.coup?.stakes.place(patron, bet, amount);
  }

  withdrawBet(version, { patron, bet }) {
    this.move(version, patron, { chips: this.coup?.stakes.withdraw(patron, bet) ?? 0 });
  }

  /** A card goes to the hand that the tableau names; that it was called otherwise is for the rules to say. */
  deal(version, { card }) {
    if (this.coup) this.coup.hands[nextHand(this.coup.hands)]?.push(card);
  }

  settleLines(version, { lines }) {
    this.coup?.lines.push(...lines);
  }

  settle(version, { lines }) {
    const { coup } = this;
    if (!coup) return;
    const said = [...coup.lines, ...lines];
    if (coup.settled) this.fail(version, "settles a coup that is settled");
    Object.assign(coup, { lines: [], settled: said });
    for (const { patron, returned, marked = 0 } of said) this.move(version, patron, { chips: returned, owed: marked });
    if (this.reason) return;
    if (nextHand(coup.hands)) this.fail(version, "settles a coup whose cards are not complete, so nothing can be due");
    else this.compare(version, said);
  }

  /** Each stake has its line, and each line its stake; their order is for the rules to say. */
  compare(version, said) {
    const facts = factsOf(this.coup.hands);
    const due = new Map(this.coup.stakes.lines);
    for (const line of said) {
      const key = `${line.patron} ${line.bet}`;
      if (due.has(key)) this.compareLine(version, line, this.lineOf(due.get(key), facts));
      else this.fail(version, `a line of ${line.patron} on ${line.bet}, where no stake stands, or none any more`);
      due.delete(key);
    }
    for (const { patron, bet, stake } of due.values()) this.fail(version, `no line of ${patron} on ${bet}, where ${stake} stood`);
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
    const line = { patron, bet, stake: staked, won: 0n, commission: 0n, returned: 0n, marked: isMarked ? 0n : undefined };
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
    if (!this.coup) return;
    for (const { patron, stake } of this.coup.stakes.lines.values()) this.move(version, patron, { chips: stake });
    this.coup = null;
  }

  reverse(version) {
    for (const { patron, returned, marked = 0 } of this.coup?.settled ?? []) {
      this.move(version, patron, { chips: -returned, owed: -marked });
    }
    if (this.coup) this.coup.settled = null;
  }

  end() {
    if (!this.rules) this.skip("no shoe-committed that can be read");
  }
}

const money = MoneyCheck.prototype;
const READINGS = {
  "shoe-committed": money.commit,
  "chips-carried": money.carry,
  "chips-bought"(version, { patron, amount }) {
    this.move(version, patron, { chips: amount });
  },
  "chips-cashed"(version, { patron, amount }) {
    this.move(version, patron, { chips: -amount });
  },
  "commission-collected"(version, { patron, amount }) {
    this.move(version, patron, { chips: -amount, owed: -amount });
  },
  "commission-waived"(version, { patron, amount }) {
    this.move(version, patron, { owed: -amount });
  },
  "round-opened": money.open,
  "bet-placed": money.placeBet,
  "bet-withdrawn": money.withdrawBet,
  "card-dealt": money.deal,
  "lines-settled": money.settleLines,
  "round-settled": money.settle,
  "round-voided": money.voidRound,
  "settlement-reversed": money.reverse,
};
