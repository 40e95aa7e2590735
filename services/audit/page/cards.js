/** Cards: rank and suit in two letters, a code from 0 to 51, and what they are worth. */

const RANKS = "A23456789TJQK";
const SUITS = "cdhs";
export const DECK_CARDS = 52;

export function codeOf(card) {
  return SUITS.indexOf(card[1]) * 13 + RANKS.indexOf(card[0]);
}

export function cardOf(code) {
  return RANKS[code % 13] + SUITS[Math.floor(code / 13)];
}

export function rankOf(card) {
  return card[0];
}

/** Ace 1, two to nine as they say, ten and faces 10: what a burn counts. A coup's totals count tens as nothing. */
export function valueOf(card) {
  return Math.min(RANKS.indexOf(card[0]) + 1, 10);
}

export function totalOf(cards) {
  return cards.reduce((total, card) => total + valueOf(card), 0) % 10;
}
