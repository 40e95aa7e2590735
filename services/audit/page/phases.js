/** Check `rules`: everything stands where it may, and the coups are played as the tableau and the procedure say. */

import { hexOf } from "./bytes.js";
import { DECK_CARDS, totalOf, valueOf } from "./cards.js";
import { Check } from "./findings.js";
import { readRules } from "./paytable.js";
import { Sha256 } from "./sha256.js";
import { isTableEvent } from "./shapes.js";
import { Stakes, limitsComplaints, stakeComplaints } from "./stakes.js";
import { nextHand, winnerOf } from "./tableau.js";

// Where each event may stand. What is in no row may stand anywhere.
const PLACES = {
  "shoe-committed": "before",
  "chips-carried": "carrying",
  "entropy-contributed": "committed",
  "shoe-shuffled": "committed",
  "cards-burned": "sealed",
  "round-opened": "between settled",
  "bet-placed": "betting",
  "bet-withdrawn": "betting",
  "bets-closed": "betting",
  "card-dealt": "dealing",
  "cut-card-reached": "dealing",
  "decision-made": "",
  "lines-settled": "dealing reversed",
  "round-settled": "dealing reversed",
  "round-voided": "betting dealing reversed",
  "settlement-reversed": "settled",
  "shoe-frozen": "committed sealed between settled betting dealing reversed",
  "shoe-closed": "between settled",
  "shoe-voided": "committed sealed between settled",
  "table-opened": "",
  "table-closed": "",
};
const WHEN_FROZEN = ["round-voided", "shoe-voided"];
const WORDS = {
  before: "before shoe-committed",
  carrying: "directly after shoe-committed",
  committed: "while the shoe is committed and not shuffled",
  sealed: "before the burn",
  between: "between coups",
  settled: "after a settlement",
  betting: "while bets are taken",
  dealing: "after bets are closed",
  reversed: "after a reversal",
  ended: "after the shoe's end",
};
const MOST_ENDINGS = 100; // as for the money
const OUT_OF_CARDS = "out-of-cards";
const SHOE_ENTRIES = ["shoe-committed", "chips-carried"];

export class RulesCheck extends Check {
  constructor() {
    super("rules");
    this.phase = "before";
    this.isFrozen = false;
    this.committed = null;
    this.limits = null;
    this.bets = new Map();
    this.coup = null;
    this.lastRound = 0;
    this.out = 0; // cards out of the shoe, burned ones too
    this.coupsLeft = Infinity;
    this.before = null;
    this.commands = new Set();
    this.lastCommand = null;
    this.isKnown = true; // how many cards are out
    this.endings = 0; // how often the coup was settled, voided, reversed
    this.unvouched = null; // the version of a coup's end that nobody has vouched for yet
  }

  take(entry) {
    const { version, event } = entry;
    if (!isTableEvent(event.type)) this.fail(version, `${event.type} does not belong on a table's stream`);
    else if (!this.committed && event.type !== "shoe-committed") {
      this.fail(version, `${event.type} stands before any shoe-committed`);
    } else {
      this.checkVouched(event.type);
      if (this.phase === "carrying" && !SHOE_ENTRIES.includes(event.type)) this.phase = this.afterCarrying();
      this.checkPlace(version, event);
      this.checkNeighbours(version, entry);
      this.checkNumbers(version, event);
      READINGS[event.type]?.call(this, version, event, entry);
    }
    this.before = entry;
  }

  /** Go on before a coup in the middle of a shoe of which so many cards are out, if it is known how many. */
  takeUp({ round, out }) {
    this.phase = "between";
    this.lastRound = round - 1;
    this.coup = null;
    this.isKnown = out !== null;
    this.out = out ?? 0;
  }

  /** All entries of one command stand together. */
  takeCommand(version, { actor, command }) {
    const name = `${actor} ${command}`;
    if (this.commands.has(name) && name !== this.lastCommand) {
      this.fail(version, "its command made entries before, and another stands between them");
    }
    this.commands.add(name);
    this.lastCommand = name;
  }

  /** A coup that nobody vouches for is void only with its whole shoe, which then is the next to be said. */
  checkVouched(type) {
    if (this.unvouched === null || (type && PLACES[type] === undefined)) return;
    if (type !== "shoe-voided") this.fail(this.unvouched, "nobody voids this coup, and no rule does");
    this.unvouched = null;
  }

  checkPlace(version, { type }) {
    if (this.phase === "ended") this.fail(version, `${type} stands after the shoe's end`);
    else if (this.isFrozen && PLACES[type] !== undefined && !WHEN_FROZEN.includes(type)) {
      this.fail(version, `${type} stands after shoe-frozen`);
    } else if (PLACES[type] !== undefined && !PLACES[type].split(" ").includes(this.phase)) {
      this.fail(version, `${type} may not stand ${WORDS[this.phase]}`);
    }
  }

  /** Entries that must have another directly before or behind them, of the same command. */
  checkNeighbours(version, { event, actor, command }) {
    const { before } = this;
    const isSame = before?.actor === actor && before.command === command;
    const beforeType = before?.event?.type;
    if (event.type === "chips-carried" && !(isSame && SHOE_ENTRIES.includes(beforeType))) {
      this.fail(version, "chips-carried goes on with another list than the one before it");
    }
    if (beforeType === "lines-settled" && !(isSame && ["lines-settled", "round-settled"].includes(event.type))) {
      this.fail(version, "round-settled does not follow lines-settled in the same command");
    }
    const isAnnounced = beforeType === "cut-card-reached";
    const isCutHere = this.isKnown ? this.committed && this.out === this.cutPosition : isAnnounced;
    const isCutCard = event.type === "card-dealt" && isCutHere;
    if (isAnnounced && !(isSame && isCutCard)) this.fail(version, "does not follow the cut card in the same command");
    if (isCutCard && !isAnnounced) this.fail(version, "the cut card should have come out before this card");
  }

  checkNumbers(version, { type, shoe, round }) {
    if (this.committed && shoe !== undefined && shoe !== this.committed.shoe) {
      this.fail(version, `speaks of shoe ${shoe}, where it is shoe ${this.committed.shoe}`);
    }
    if (round === undefined || type === "round-opened" || !this.coup) return;
    if (round !== this.coup.round) this.fail(version, `speaks of round ${round}, where it is round ${this.coup.round}`);
  }

  get cutPosition() {
    const { decks, rules } = this.committed;
    return decks * DECK_CARDS - rules.procedure.cut;
  }

  commit(version, event) {
    if (this.committed) return;
    this.committed = event;
    this.phase = "carrying";
    const { bets, complaints } = readRules(event.rules);
    this.bets = bets;
    for (const complaint of complaints) this.fail(version, complaint);
    this.changeLimits(version, event);
    if (event.decks !== event.rules.procedure.decks) {
      this.fail(version, `${event.decks} decks, where the procedure says ${event.rules.procedure.decks}`);
    }
  }

  changeLimits(version, { limits }) {
    this.limits = limits;
    for (const complaint of limitsComplaints(limits, this.bets)) this.fail(version, complaint);
  }

  afterCarrying() {
    return this.committed.source === "scanned" ? this.afterSealing() : "committed";
  }

  afterSealing() {
    return this.committed.rules.procedure.burn === "none" ? "between" : "sealed";
  }

  shuffle(version) {
    if (this.committed.source === "scanned") this.fail(version, "a scanned shoe is not shuffled");
    this.phase = this.afterSealing();
  }

  burn(version, { count, card }) {
    const { burn, decks } = this.committed.rules.procedure;
    const due = { none: 0, one: 1, "first-card": 1 + valueOf(card), decks }[burn];
    if (count !== due) this.fail(version, `${count} cards burned, where the procedure says ${due}`);
    this.out += count;
    if (this.phase === "sealed") this.phase = "between";
  }

  open(version, { round, free }) {
    if (round !== this.lastRound + 1) this.fail(version, `round ${round} follows round ${this.lastRound}`);
    if (this.coupsLeft <= 0) this.fail(version, "a coup after the last one, for the cut card is out");
    this.lastRound = round;
    this.endings = 0;
    this.coupsLeft--;
    this.coup = {
      round,
      isFree: free === true,
      hands: { player: [], banker: [] },
      stakes: new Stakes(),
      lines: [],
      digest: new Sha256(),
      count: 0,
      limits: this.limits,
    };
    this.phase = "betting";
  }

  placeBet(version, { patron, bet, amount }, { leaf }) {
    if (!this.coup) return;
    if (this.phase === "betting") this.count(leaf);
    if (this.coup.isFree) this.fail(version, "a bet in a coup without bets");
    if (!this.bets.has(bet)) this.fail(version, `${bet} is no bet of these rules`);
    this.coup.stakes.place(patron, bet, amount);
    this.checkLimits(version, { patron, bet });
  }

  withdrawBet(version, { patron, bet }, { leaf }) {
    if (!this.coup) return;
    if (this.phase === "betting") this.count(leaf);
    if (!this.coup.stakes.withdraw(patron, bet)) this.fail(version, `${patron} has no stake on ${bet}`);
    this.checkLimits(version, { patron, bet });
  }

  count(leaf) {
    this.coup.digest.update(leaf);
    this.coup.count++;
  }

  checkLimits(version, changed) {
    const { stakes, limits } = this.coup;
    for (const what of stakeComplaints(stakes, changed, limits, this.bets)) this.fail(version, what);
  }

  closeBets(version, { count, digest }) {
    if (this.phase !== "betting") return;
    const counted = this.coup.count;
    if (count !== counted) this.fail(version, `says ${count} entries of bets, and there are ${counted}`);
    if (digest !== hexOf(this.coup.digest.digest())) this.fail(version, "the digest is not that of the bets");
    this.phase = "dealing";
  }

  reachCut(version, { position }) {
    if (position !== this.cutPosition)
      this.fail(version, `the cut card lies before ${this.cutPosition}, not ${position}`);
    const isFirst = this.coup && !this.coup.hands.player.length && !this.coup.hands.banker.length;
    const isLast = isFirst || this.committed.rules.procedure.after_cut === "finish";
    this.coupsLeft = Math.min(this.coupsLeft, isLast ? 0 : 1);
  }

  deal(version, { hand, card }) {
    this.out++;
    if (!this.coup || this.phase !== "dealing") return;
    const due = nextHand(this.coup.hands);
    const instead = due ? `${due} is next` : "the coup is complete";
    if (due !== hand) this.fail(version, `a card for ${hand}, where ${instead}`);
    this.coup.hands[due]?.push(card);
  }

  settle(version, { player, banker, winner, lines }) {
    this.endings++;
    const { hands } = this.coup ?? {};
    if (!hands || !["dealing", "reversed"].includes(this.phase)) return;
    const due = nextHand(hands);
    if (due) this.fail(version, `settled, where ${due} is to have a card`);
    for (const [hand, said] of Object.entries({ player, banker })) {
      const total = totalOf(hands[hand]);
      if (said !== total) this.fail(version, `says ${said} for ${hand}, whose cards make ${total}`);
    }
    if (winner !== winnerOf(hands)) this.fail(version, `says ${winner}, where the cards say ${winnerOf(hands)}`);
    if (this.endings <= MOST_ENDINGS) this.checkOrder(version, lines);
    this.phase = "settled";
  }

  /** The lines stand in the order in which their bets were first placed. That each is there is for the money to say. */
  checkOrder(version, lines) {
    const { coup } = this;
    const said = [...coup.lines, ...lines].map(({ patron, bet }) => `${patron} ${bet}`);
    coup.lines = [];
    const staked = [...coup.stakes.lines.keys()];
    const isWhole = said.length === staked.length && new Set(said).size === staked.length;
    if (isWhole && said.every((key) => coup.stakes.lines.has(key)) && said.some((key, at) => key !== staked[at])) {
      this.fail(version, "the lines do not stand in the order in which the bets were placed");
    }
  }

  settleLines(_, { lines }) {
    this.coup?.lines.push(...lines);
  }

  /** The rules void a coup, and end the shoe, when the cards run out; else somebody must say so. */
  voidRound(version, { reason, approved_by: approvers }, { actor }) {
    this.endings++;
    if (!this.coup) return;
    const isEmpty = !this.isKnown || this.out >= this.committed.decks * DECK_CARDS;
    const isOutOfCards = isEmpty && nextHand(this.coup.hands);
    if (reason === OUT_OF_CARDS) {
      this.coupsLeft = 0;
      if (!isOutOfCards) this.fail(version, "void for want of cards, and there are cards");
    }
    const isByItself = isOutOfCards || this.isFrozen || actor.startsWith("system:");
    if (!approvers.length && !isByItself) this.unvouched = version;
    this.coup = null;
    this.phase = "between";
  }

  reverse(version, { approved_by: approvers }) {
    this.endings++;
    if (!approvers.length) this.fail(version, "nobody says why this settlement is reversed");
    if (this.phase === "settled") this.phase = "reversed";
  }

  end() {
    this.checkVouched(null);
    if (!this.committed && !this.reason) this.fail(0, "no shoe-committed that can be read");
  }
}

const { prototype } = RulesCheck;
const READINGS = {
  "shoe-committed": prototype.commit,
  "shoe-shuffled": prototype.shuffle,
  "cards-burned": prototype.burn,
  "round-opened": prototype.open,
  "bet-placed": prototype.placeBet,
  "bet-withdrawn": prototype.withdrawBet,
  "bets-closed": prototype.closeBets,
  "cut-card-reached": prototype.reachCut,
  "card-dealt": prototype.deal,
  "lines-settled": prototype.settleLines,
  "round-settled": prototype.settle,
  "round-voided": prototype.voidRound,
  "settlement-reversed": prototype.reverse,
  "commission-waived": function waive(version, { approved_by: approvers }) {
    if (new Set(approvers).size < 2) this.fail(version, "commission is waived by two people");
  },
  "limits-changed": prototype.changeLimits,
  "shoe-frozen": function freeze() {
    this.isFrozen = true;
  },
  "shoe-closed": function close() {
    this.phase = "ended";
  },
  "shoe-voided": function give() {
    this.phase = "ended";
  },
};
