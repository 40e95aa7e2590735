/** What may be said of a complete coup: the facts that a rung of a pay table names. */

import { rankOf, totalOf } from "./cards.js";
import { naturalOf, winnerOf } from "./tableau.js";

const TOTALS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
const WINNERS = ["player", "banker", "tie"];
const PAIRS = ["none", "mixed", "suited"];

/** Every fact of a game with two hands, and the values that it has. */
export const FACTS = new Map([
  ["winner", WINNERS],
  ["player", TOTALS],
  ["banker", TOTALS],
  ["player_cards", [2, 3]],
  ["banker_cards", [2, 3]],
  ["cards", [4, 5, 6]],
  ["margin", TOTALS],
  ["natural", ["none", "player", "banker", "both"]],
  ["player_pair", PAIRS],
  ["banker_pair", PAIRS],
  ["pairs", ["none", "one", "two", "alike"]],
]);

/** Those of a game with two hands against the bank, which has no others. */
export const FACTS_AT_TWO = new Map([
  ["right_winner", WINNERS],
  ["left_winner", WINNERS],
]);

export function factsOf(hands) {
  const { player, banker } = hands;
  const [ofPlayer, ofBanker] = [totalOf(player), totalOf(banker)];
  return {
    winner: winnerOf(hands),
    player: ofPlayer,
    banker: ofBanker,
    player_cards: player.length,
    banker_cards: banker.length,
    cards: player.length + banker.length,
    margin: Math.abs(ofPlayer - ofBanker),
    natural: naturalOf(hands),
    player_pair: pairOf(player),
    banker_pair: pairOf(banker),
    pairs: pairsOf(player, banker),
  };
}

function pairOf([first, second]) {
  if (rankOf(first) !== rankOf(second)) return "none";
  return first === second ? "suited" : "mixed";
}

function pairsOf(player, banker) {
  const paired = [player, banker].filter((cards) => pairOf(cards) !== "none").length;
  return paired === 2 && rankOf(player[0]) === rankOf(banker[0]) ? "alike" : ["none", "one", "two"][paired];
}
