/** What check `rules` reads otherwise where a player banks: more entries, and play that the salon follows. */

import { Salon } from "./salon.js";

const BETWEEN = "carrying committed sealed between settled";
export const BANKED_PLACES = {
  "seat-taken": BETWEEN,
  "seat-left": BETWEEN,
  "card-drawn": "between settled",
  "cut-card-reached": "dealing between settled",
  "seats-set": "betting",
  "turn-passed": "betting",
  "bet-asked": "betting",
  "bet-agreed": "betting",
  "bet-refused": "betting",
  "decision-made": "dealing",
  "bank-broken": "settled",
};

/** Begin to follow the play, unless the rules make no sense. */
export function salonOf({ rules }, { bets, complaints }) {
  const salon = new Salon(rules, bets);
  salon.isLost = complaints.length > 0;
  return salon;
}

/** Readings of check `rules`, each with the check as `this`. */
export const BANKED_READINGS = {
  "bet-placed"(version, event, { leaf }) {
    if (this.coup && this.phase === "betting") this.count(leaf);
  },
  "bet-withdrawn"(version, event, { leaf }) {
    if (this.coup && this.phase === "betting") this.count(leaf);
  },
  "card-dealt"() {
    this.out++;
    if (this.coup) this.coup.hands.banker.push(""); // that one has fallen; whose it is, the salon says
  },
  "card-drawn"() {
    this.out++;
  },
  "lines-settled"() {},
  "round-settled"() {
    if (["dealing", "reversed"].includes(this.phase)) this.phase = "settled";
  },
  "round-voided"(version, { reason, approved_by: approvers }, { actor }) {
    if (!this.coup) return;
    if (reason === "out-of-cards") {
      this.coupsLeft = 0;
      const isEmpty = !this.isKnown || this.out >= this.committed.decks * 52;
      if (!isEmpty) this.fail(version, "void for want of cards, and there are cards");
    }
    if (!approvers.length && !this.isFrozen && !actor.startsWith("system:")) this.unvouched = version;
    this.coup = null;
    this.phase = "between";
  },
};
