/** What makes no sense in the rules of a game in which a player banks, or in its limits. */

import { fractionOf } from "./fraction.js";

const LARGEST = BigInt(Number.MAX_SAFE_INTEGER);
const OF_A_BANK = ["levy", "bank", "stakes", "play", "clocks"];
const DINING = {
  parts: ["seats", "bank", "stakes", "clocks"],
  bank: ["high", "unable"],
  stakes: ["unit", "start", "absent"],
  needed: ["player", "banker"],
  bets: null, // any, but what is not needed is a side bet
};
const CHEMIN = {
  parts: ["seats", "bank", "stakes", "play", "clocks", "levy?"],
  bank: ["withdraw", "add"],
  stakes: ["late_banco", "suivi", "tie", "bystanders"],
  needed: ["player"],
  bets: ["player", "banco"],
  modes: ["options", "tableau", "free"],
};
const BANQUE = {
  parts: ["seats", "bank", "stakes", "play", "clocks", "levy?"],
  bank: ["withdraw", "add"],
  stakes: ["bystanders"],
  needed: ["right", "left"],
  bets: ["right", "left", "cheval", "banco-right", "banco-left"],
  modes: ["free"],
};
const GAMES = { "dining-room": DINING, "chemin-de-fer": CHEMIN, banque: BANQUE };

export function* gameComplaints(rules) {
  const game = GAMES[rules.game];
  const parts = game?.parts ?? ["seats?", "commission?"];
  for (const part of ["seats", "commission", ...OF_A_BANK]) {
    const isThere = rules[part] !== undefined;
    if (parts.includes(part) && !isThere) yield `${part} is missing from the rules`;
    if (!parts.includes(part) && !parts.includes(`${part}?`) && isThere) yield `${rules.game} has no ${part}`;
  }
  if (!game) return;
  if (rules.seats < 2) yield "fewer than two seats";
  if (rules.game === "banque" && rules.seats % 2) yield "an odd number of seats cannot be halved";
  for (const part of ["bank", "stakes"]) {
    const known = rules[part] && [...game[part]].sort().join(" ");
    if (known !== undefined && Object.keys(rules[part]).sort().join(" ") !== known) yield `${part} is not ${known}`;
  }
  if (rules.levy) yield* levyComplaints(rules.levy);
  if (rules.play && game.modes) yield* playComplaints(rules.play, game);
  yield* betsComplaints(rules, game);
}

function* levyComplaints({ rate }) {
  const fraction = fractionOf(rate);
  const isTooLarge = fraction && (fraction.over > LARGEST || fraction.under > LARGEST);
  if (!fraction || isTooLarge || fraction.over >= fraction.under) yield `the levy's rate ${rate} is none`;
}

function* playComplaints({ mode, cells }, { modes }) {
  if (!modes.includes(mode)) yield `${mode} is no mode of this game`;
  const isNamed = cells !== undefined;
  if (isNamed !== (mode === "options")) yield "cells are named where, and only where, the mode is options";
  if (cells && new Set(cells).size < cells.length) yield "a cell is named twice";
}

function* betsComplaints({ bets }, { needed, bets: known }) {
  const missing = needed.find((name) => !Object.hasOwn(bets, name));
  if (missing) yield `the bet ${missing} is missing`;
  for (const [name, { commission, needs, ladder }] of Object.entries(bets)) {
    if (name === "bank" || (known && !known.includes(name))) yield `there is no bet ${name} in this game`;
    if (commission !== undefined) yield `${name} has a rate, and nobody but the banker pays the house`;
    if (needed.includes(name) || known?.includes(name)) {
      if (needs) yield `${name} needs another bet`;
      if (ladder.some(({ pays }) => isAboveEven(pays))) yield `${name} pays more than the bank covers`;
    } else if (!needs?.every((need) => needed.includes(need))) yield `${name} needs no bet that the bank covers`;
  }
}

function isAboveEven(pays) {
  if (typeof pays !== "string" || !/^[0-9]+\/[0-9]*[1-9][0-9]*$/.test(pays)) return false;
  const fraction = fractionOf(pays);
  return fraction !== null && fraction.over > fraction.under;
}

/** What a player's bank has no use for in limits, or lacks. */
export function* bankLimitsComplaints({ bets, differential }, { game }) {
  if (game === "house") return;
  const isWrong = (game === "dining-room") === Object.hasOwn(bets, "bank");
  if (isWrong) yield "the limits name no bank, or one in the dining-room";
  if (differential !== undefined) yield "there is no differential where a player banks";
}
