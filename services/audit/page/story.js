/** What was played, to be told to a reader: the shoe's facts, and one line for each coup. */

import { totalOf } from "./cards.js";

export class Story {
  constructor() {
    this.committed = null;
    this.ended = null;
    this.coups = [];
    this.coup = null;
    this.contributions = [];
    this.burned = 0;
    this.drawn = 0; // for the first deal
    this.entries = 0;
    this.isCut = false; // a line could not be read, and what stands behind it is not told
    this.firstAt = null;
    this.lastAt = null;
  }

  take({ version, at, event }) {
    this.entries++;
    this.firstAt ??= at;
    this.lastAt = at;
    TOLD[event.type]?.call(this, event, version);
  }

  get dealt() {
    const hands = this.coups.flatMap(({ player, banker, right, left }) => [player, banker, right, left]);
    return this.drawn + hands.reduce((sum, { length }) => sum + length, 0);
  }
}

const TOLD = {
  "shoe-committed"(event) {
    this.committed ??= event;
  },
  "entropy-contributed"({ source }) {
    this.contributions.push(source);
  },
  "cards-burned"({ count, card }) {
    this.burned += count;
    this.burnCard = card;
  },
  "round-opened"({ round }, version) {
    this.coup = {
      round,
      first: version,
      last: version,
      player: [],
      banker: [],
      right: [],
      left: [],
      bets: 0,
      staked: 0,
      returned: 0,
      how: "open",
      isCut: false,
    };
    this.coups.push(this.coup);
  },
  "cut-card-reached"() {
    if (this.coup) this.coup.isCut = true;
  },
  "card-dealt"({ hand, card }, version) {
    this.coup?.[hand]?.push?.(card);
    if (this.coup) this.coup.last = version;
  },
  "card-drawn"() {
    this.drawn++;
  },
  "lines-settled"({ lines }, version) {
    if (this.coup) tellLines(this.coup, lines, version);
  },
  "round-settled"({ winner, winners, lines }, version) {
    if (!this.coup) return;
    tellLines(this.coup, lines, version);
    Object.assign(this.coup, {
      how: winner ?? `right: ${winners.right}, left: ${winners.left}`,
      playerTotal: totalOf(this.coup.player),
      bankerTotal: totalOf(this.coup.banker),
    });
  },
  "round-voided"({ reason }, version) {
    if (this.coup) Object.assign(this.coup, { how: "void", reason, last: version, bets: 0, staked: 0, returned: 0 });
  },
  "settlement-reversed"(event, version) {
    if (this.coup) Object.assign(this.coup, { how: "reversed", last: version, bets: 0, staked: 0, returned: 0 });
  },
  "shoe-closed": tellEnd,
  "shoe-voided": tellEnd,
};

function tellLines(coup, lines, version) {
  coup.last = version;
  coup.bets += lines.length;
  for (const { stake, returned } of lines) {
    coup.staked += stake;
    coup.returned += returned;
  }
}

function tellEnd(event) {
  this.ended ??= event;
}
