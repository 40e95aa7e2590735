/** The tableau: who draws, and when a coup is over. */

import { totalOf, valueOf } from "./cards.js";

// Banker, by his own total down and the value of Player's third card across, 0 to 9: D draws, S stands.
const BANKER_AGAINST = [
  "DDDDDDDDDD",
  "DDDDDDDDDD",
  "DDDDDDDDDD",
  "DDDDDDDDSD",
  "SSDDDDDDSS",
  "SSSSDDDDSS",
  "SSSSSSDDSS",
  "SSSSSSSSSS",
];
const ON_HIS_OWN = "DDDDDDSS"; // either hand, when there is no third card to look at
const FIRST_FOUR = ["player", "banker", "player", "banker"];

/** The hand that the next card goes to, or null when the coup is complete. */
export function nextHand({ player, banker }) {
  const dealt = player.length + banker.length;
  if (dealt < 4) return FIRST_FOUR[dealt];
  if (naturalOf({ player, banker }) !== "none") return null;
  if (player.length === 2 && banker.length === 2 && ON_HIS_OWN[totalOf(player)] === "D") return "player";
  const third = player.length === 3 ? valueOf(player[2]) % 10 : undefined;
  return banker.length === 2 && bankerDraws(totalOf(banker), third) ? "banker" : null;
}

/** Whether Banker draws on a total of his, against the value of Player's third card; undefined when Player stood. */
export function bankerDraws(total, third) {
  return (third === undefined ? ON_HIS_OWN[total] : BANKER_AGAINST[total][third]) === "D";
}

/** Which hands show 8 or 9 with their first two cards, when both have them. */
export function naturalOf({ player, banker }) {
  const [ofPlayer, ofBanker] = [player, banker].map((cards) => totalOf(cards.slice(0, 2)) >= 8);
  return ofPlayer && ofBanker ? "both" : ofPlayer ? "player" : ofBanker ? "banker" : "none";
}

export function winnerOf({ player, banker }) {
  const ahead = totalOf(player) - totalOf(banker);
  return ahead > 0 ? "player" : ahead < 0 ? "banker" : "tie";
}
