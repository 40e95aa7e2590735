/** A rule set, read from the log into something that can be asked: what a bet pays on a coup. */

import { DECK_CARDS } from "./cards.js";
import { FACTS } from "./facts.js";
import { fractionOf } from "./fraction.js";

const LARGEST = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * `{bets, complaints, unreadable}`: bets by name, each `{rate, needs, ladder}`. The complaints say what makes no sense,
 * the unreadable among them what cannot even be reckoned with.
 */
export function readRules(rules) {
  const complaints = [...procedureComplaints(rules.procedure)];
  const unreadable = [];
  const bets = new Map();
  for (const [name, bet] of Object.entries(rules.bets)) {
    const rate = bet.commission === undefined ? null : ratioOf(bet.commission);
    if (bet.commission !== undefined && !(rate?.over > 0n && rate.over < rate.under)) {
      unreadable.push(`the rate ${bet.commission} of ${name} is not between 0 and 1, in lowest terms`);
    }
    const ladder = bet.ladder.map((rung) => readRung(rung, name, unreadable));
    const needs = bet.needs ?? [];
    const stranger = needs.find((need) => need === name || !Object.hasOwn(rules.bets, need));
    if (stranger) unreadable.push(`${name} needs ${stranger}, which is no other bet of these rules`);
    if (new Set(needs).size !== needs.length) unreadable.push(`${name} needs a bet twice`);
    bets.set(name, { rate, needs, ladder });
  }
  const hasRate = [...bets.values()].some(({ rate }) => rate);
  if (hasRate && !rules.commission) complaints.push("a bet has a rate, and nothing says how commission is collected");
  if (!hasRate && rules.commission) complaints.push("commission is collected, and no bet has a rate");
  if (rules.commission) complaints.push(...dearComplaints(rules, bets));
  return { bets, complaints: [...complaints, ...unreadable], unreadable };
}

/** Rounding may not take more commission than was won: no bet may pay less than nothing. */
function* dearComplaints({ commission, winnings }, bets) {
  if (commission.mode === "floor" || winnings.unit % commission.unit === 0) return;
  for (const [name, { rate }] of bets) {
    if (rate && 2n * rate.over > rate.under) yield `${name}: at its rate, rounding may take more than was won`;
  }
}

/** A fraction whose parts can be written as integers, or null. */
function ratioOf(text) {
  const fraction = fractionOf(text);
  return fraction && fraction.over <= LARGEST && fraction.under <= LARGEST ? fraction : null;
}

function* procedureComplaints({ decks, cut }) {
  const most = decks * DECK_CARDS - 12;
  if (cut > most) yield `${cut} cards behind the cut card, where ${most} are the most`;
}

function readRung(rung, name, unreadable) {
  const { pays, ...facts } = rung;
  const odds =
    typeof pays === "string" && /^(0|[1-9][0-9]{0,15})\/[1-9][0-9]{0,15}$/.test(pays) ? ratioOf(pays) : null;
  if (!odds) {
    unreadable.push(
      `a rung of ${name} pays ${JSON.stringify(pays)?.slice(0, 40) ?? "nothing"}, which are no odds in lowest terms`,
    );
  }
  const wanted = Object.entries(facts).map(([fact, value]) => [fact, Array.isArray(value) ? value : [value]]);
  for (const [fact, values] of wanted) {
    const possible = FACTS.get(fact);
    if (!possible) {
      unreadable.push(`a rung of ${name} names ${JSON.stringify(fact.slice(0, 40))}, which is no fact of a coup`);
    } else if (!values.length || !values.every((value) => possible.includes(value))) {
      unreadable.push(`a rung of ${name} asks for a ${fact} that cannot be`);
    } else if (new Set(values).size !== values.length) unreadable.push(`a rung of ${name} names a ${fact} twice`);
  }
  return { wanted, odds };
}

/** The odds that a bet is paid on these facts; null when its stake is lost. */
export function oddsOf({ ladder }, facts) {
  const rung = ladder.find(({ wanted }) => wanted.every(([fact, values]) => values.includes(facts[fact])));
  return rung?.odds ?? null;
}
