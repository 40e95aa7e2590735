/** Third cards where a hand is played by somebody: naturals, and what the tableau would do. */

import { totalOf, valueOf } from "./cards.js";
import { bankerDraws } from "./tableau.js";

/** Whether the first two cards are 8 or 9. */
export function isNatural(cards) {
  return totalOf(cards.slice(0, 2)) >= 8;
}

/** The value of a hand's third card, 0 to 9; undefined when it stood. */
export function thirdOf(cards) {
  return cards.length === 3 ? valueOf(cards[2]) % 10 : undefined;
}

/** `draw` or `stand`, as the tableau has it for a hand of two cards, or for Banker against a third card. */
export function asTableau(cards, third) {
  return bankerDraws(totalOf(cards.slice(0, 2)), third) ? "draw" : "stand";
}
