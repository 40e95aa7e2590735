/**
 * Chemin de fer until its last call, and its hands: who is asked for what, what a yes or a no leads to, who plays.
 *
 * A coup has a `stage`, which names who is asked; `bank` is what has been named. See the format page, section 8.
 */

import { totalOf } from "./cards.js";
import { inTurnAfter, nextSeat, roundFrom, seatOf } from "./seats.js";
import { winnerOf } from "./tableau.js";
import { asTableau, isNatural, thirdOf } from "./thirds.js";

const BANKERS_CHOICE = [3, 4, 5, 6]; // in mode `free`
const PLAYERS_CHOICE = 5;

/** What the next round starts from. */
function next({ standing, seats }) {
  const { turn = Math.min(...seats.keys()), banker, standing: amount, suivi, tied } = standing;
  return { turn: seats.has(turn) ? turn : nextSeat(seats.keys(), turn), banker, standing: amount, suivi, tied };
}

/** Begin a coup; gives what the system places at once. */
function open({ last, stacks, isBottomless }, coup) {
  const { banker, standing, turn, tied } = coup.before;
  if (banker === undefined) coup.stage = { name: "naming", order: roundFrom(coup.seats.keys(), turn) };
  else if (!tied) coup.stage = { name: "keeping", order: [banker], standing };
  else {
    coup.bank = { seat: banker, amount: 0, turn };
    coup.stage = { name: "ready", order: [], isAgain: isBottomless };
    return isBottomless ? [] : again(last, stacks, coup);
  }
  return [];
}

/** The stakes of a tie, of those who still have the chips. */
function again(last, stacks, { round }) {
  const left = new Map(stacks);
  const placed = [];
  for (const { patron, bet, stake } of last?.stakes.lines.values() ?? []) {
    if ((left.get(patron) ?? 0) < stake) continue;
    left.set(patron, left.get(patron) - stake);
    placed.push({ isBySystem: true, event: { type: "bet-placed", round, patron, bet, amount: stake } });
  }
  return placed;
}

/** All that is staked against the bank. */
function against({ stakes, bank }) {
  return stakes.total - bank.amount;
}

/** Why this may not be said now, or null. */
function refusal(table, coup, event, isBySystem) {
  const { stage } = coup;
  if (event.type === "turn-passed") return isAsked(coup, event.patron) ? null : "is not asked";
  if (event.type === "bet-withdrawn") return isBySystem ? withdrawal(coup, event) : "nothing is withdrawn";
  if (event.type !== "bet-placed") return "no consent is asked for here";
  if (stage.name === "ready" && stage.isAgain && isBySystem) return null;
  const { least, most } = boundsOf(table, coup, event) ?? {};
  if (least === undefined) return `${event.patron} cannot stake on ${event.bet} now`;
  return least <= event.amount && event.amount <= most ? null : `${event.amount} is not within ${least} to ${most}`;
}

function isAsked({ stage, seats }, patron) {
  const seat = seatOf(seats, patron);
  return seat !== undefined && stage.order[0] === seat;
}

/** The system takes stakes back for a late banco, each in its order, or the last of them to be trimmed. */
function withdrawal(coup, { patron, bet }) {
  const due = coup.stage.name === "ready" ? closing(coup)[0]?.event : displaced(coup)[0];
  const isDue = due?.patron === patron && due.bet === bet;
  return isDue ? null : "nothing is to be withdrawn but for a late banco, or trimmed";
}

function displaced({ stage, stakes, rules }) {
  const isOpen = ["covering", "completing", "displacing"].includes(stage.name) && rules.stakes.late_banco;
  return isOpen ? [...stakes.lines.values()].filter(({ bet }) => bet !== "bank") : [];
}

function boundsOf(table, coup, { patron, bet }) {
  const { stage } = coup;
  if (bet === "bank") return isAsked(coup, patron) ? bankBounds(table, coup, patron) : null;
  if (bet === "banco") return bancoBounds(table, coup, patron);
  if (bet !== "player") return null;
  const isBystander = seatOf(coup.seats, patron) === undefined && table.knows(patron);
  const completes = stage.name === "completing" && isBystander && !coup.stakes.on(patron, "player");
  const covers = stage.name === "covering" && isAsked(coup, patron);
  return covers || completes ? stakeBounds(table, coup, patron) : null;
}

function bankBounds(table, coup, patron) {
  const { stage, rules, limits, bank } = coup;
  const span = limits.bets.bank;
  const stack = table.stack(patron);
  if (!span) return null;
  if (stage.name === "keeping") {
    const least = rules.bank.withdraw ? span.min : Math.max(stage.standing, span.min);
    const most = rules.bank.add ? span.max : Math.min(stage.standing, span.max);
    return { least, most: Math.min(most, stack) };
  }
  if (stage.name === "taking") {
    const fits = span.min <= stage.standing && stage.standing <= span.max;
    return fits ? { least: stage.standing, most: Math.min(stage.standing, stack) } : null;
  }
  if (stage.name === "naming") return { least: span.min, most: Math.min(span.max, stack) };
  if (stage.name !== "over") return null;
  return { least: 1, most: Math.min(against(coup) - bank.amount, stack, span.max - bank.amount) };
}

/** Banco: while it is offered who is asked; while stakes are made any seat but the banker's, if it may come late. */
function bancoBounds(table, coup, patron) {
  const { stage, limits, bank, rules } = coup;
  const seat = seatOf(coup.seats, patron);
  const isOffered = stage.name === "calling" && isAsked(coup, patron);
  const isOpen = ["covering", "completing"].includes(stage.name) && !displaced(coup).length;
  const isLate = (isOpen || stage.name === "displacing") && rules.stakes.late_banco;
  const span = limits.bets.banco;
  if (!span || seat === undefined || seat === bank?.seat || !(isOffered || isLate)) return null;
  const own = stage.name === "displacing" ? 0 : coup.stakes.on(patron, "player");
  const most = Math.min(table.stack(patron) + own, span.max, limits.patron ?? Infinity, limits.table ?? Infinity);
  return span.min <= bank.amount && bank.amount <= most ? { least: bank.amount, most: bank.amount } : null;
}

/** A stake may be above what is left to cover: that is trimmed. */
function stakeBounds(table, coup, patron) {
  const { limits } = coup;
  const span = limits.bets.player;
  if (!span) return null;
  const room = (limits.table ?? Infinity) - against(coup);
  return { least: span.min, most: Math.min(span.max, table.stack(patron), limits.patron ?? Infinity, room) };
}

/** Go on after something was said; the stakes are as they lie now. Gives what must follow at once. */
function said(table, coup, event) {
  const { stage } = coup;
  if (event.type === "bet-withdrawn") return withdrawn(coup);
  if (event.type === "turn-passed") pass(coup);
  else if (event.bet === "bank") nameBank(coup, event);
  else if (event.bet === "banco") coup.stage = { name: "ready", order: [] };
  else if (stage.name === "covering" || stage.name === "completing") cover(coup);
  const reason = voidReason(coup, false);
  return reason ? [{ isBySystem: true, event: voided(coup, reason) }] : [];
}

function voided({ round }, reason) {
  return { type: "round-voided", round, reason, approved_by: [] };
}

/** After a stake is taken back: trimmed, it is placed anew; for a late banco the next one goes, then banco comes. */
function withdrawn(coup) {
  if (coup.stage.name === "ready") return []; // the rest of closing is due already
  coup.stage = { name: "displacing", order: [] };
  const others = displaced(coup).map(({ patron, bet }) => ({
    isBySystem: true,
    event: { type: "bet-withdrawn", round: coup.round, patron, bet },
  }));
  if (coup.isDisplaced) return [];
  coup.isDisplaced = true;
  return [...others, { isJudged: true, event: { type: "bet-placed", bet: "banco" } }];
}

function nameBank(coup, { patron, amount }) {
  const { stage, before } = coup;
  const seat = seatOf(coup.seats, patron);
  if (coup.bank) {
    coup.bank.amount += amount; // what is over is added; the bank of a tie is placed anew
    coup.stage = { ...stage, name: "ready", order: [] };
    return;
  }
  coup.bank = { seat, amount, turn: stage.name === "naming" ? seat : before.turn };
  const order = inTurnAfter(coup.seats.keys(), seat);
  const { suivi, banker } = before;
  if (!coup.limits.bets.banco || !coup.rules.bets.banco) coup.stage = { name: "covering", order };
  else if (suivi !== undefined && banker === seat && order.includes(suivi)) {
    coup.stage = { name: "calling", order: [suivi, ...order.filter((other) => other !== suivi)] };
  } else coup.stage = { name: "calling", order };
}

function pass(coup) {
  const { stage, before, bank } = coup;
  const rest = stage.order.slice(1);
  const seats = coup.seats.keys();
  if (stage.name === "keeping") {
    coup.stage = { ...stage, name: "taking", giver: stage.order[0], order: inTurnAfter(seats, stage.order[0]) };
  } else if (stage.name === "taking" && !rest.length) {
    coup.stage = namingBy(inTurnAfter(seats, before.turn).filter((seat) => seat !== stage.giver));
  } else if (stage.name === "naming") coup.stage = namingBy(rest);
  else if (stage.name === "calling" && !rest.length) {
    coup.stage = { name: "covering", order: inTurnAfter(seats, bank.seat) };
  } else if (stage.name === "covering") cover(coup);
  else if (stage.name === "over") coup.stage = { name: "ready", order: [] };
  else coup.stage = { ...stage, order: rest };
}

function namingBy(order) {
  return { name: order.length ? "naming" : "unbanked", order };
}

/** Ask the next seat, until the bank is covered; after the last one bystanders, if there may be any. */
function cover(coup) {
  const { stage, bank, rules } = coup;
  const covered = against(coup);
  const order = stage.order.slice(1);
  if (covered > bank.amount) coup.stage = { name: "over", order: [bank.seat] };
  else if (covered === bank.amount) coup.stage = { name: "ready", order: [] };
  else if (order.length) coup.stage = { name: "covering", order };
  else coup.stage = { name: rules.stakes.bystanders ? "completing" : "ready", order: [] };
}

function mayClose({ stage }) {
  return ["completing", "ready"].includes(stage.name);
}

/** What closing does before the bets are closed: what is over is taken off the last stake. */
function closing(coup) {
  const { round, stakes, bank } = coup;
  const excess = against(coup) - bank.amount;
  if (excess <= 0) return [];
  const { patron, bet, stake } = [...stakes.lines.values()].at(-1);
  return [
    { isBySystem: true, event: { type: "bet-withdrawn", round, patron, bet } },
    { isBySystem: true, event: { type: "bet-placed", round, patron, bet, amount: stake - excess } },
  ];
}

/** What must follow when the system takes back the last stake, the bets being about to close. */
function afterWithdrawing(coup) {
  if (coup.stage.name !== "ready") return [];
  const closed = { isBySystem: false, event: { type: "bets-closed", round: coup.round } };
  return [...closing(coup).slice(1), closed];
}

/** What a patron may not cash: a bank that he has not been asked about yet. */
function held({ stage, before, seats }, patron) {
  const isHis = before.banker !== undefined && seats.get(before.banker) === patron;
  return isHis && stage.name === "keeping" ? (before.standing ?? 0) : 0;
}

/** Why the rules void the coup as it is, if they do; `isClosing`: the bets would be closed. */
function voidReason(coup, isClosing) {
  const { stage, bank, before } = coup;
  if (stage.name === "unbanked") return "no-bank";
  const isOver = isClosing || (stage.name === "ready" && bank.amount > 0 && !before.tied);
  return isOver && mayClose(coup) && against(coup) === 0 ? "no-stakes" : null;
}

/** The next step: `{hand, isFree}`, a card for a hand or a choice for it; null when the coup is complete. */
function step({ hands, choices, rules }) {
  const { player, banker } = hands;
  if (banker.length < 2) return { hand: player.length === banker.length ? "player" : "banker" };
  if (isNatural(player) || isNatural(banker) || banker.length === 3) return null;
  return (player.length < 3 && stepOf("player", hands, choices, rules)) || stepOf("banker", hands, choices, rules);
}

function stepOf(hand, hands, choices, rules) {
  const isFree = hand === "player" ? isPlayerFree(hands, rules) : isBankerFree(hands, rules);
  if (isFree && choices[hand] === undefined) return { hand, isFree };
  return (isFree ? choices[hand] : advice(hand, hands)) === "draw" ? { hand } : null;
}

function isPlayerFree({ player }, { play }) {
  return play.mode !== "tableau" && totalOf(player.slice(0, 2)) === PLAYERS_CHOICE;
}

function isBankerFree({ player, banker }, { play }) {
  const total = totalOf(banker.slice(0, 2));
  if (play.mode === "free") return BANKERS_CHOICE.includes(total);
  return play.mode === "options" && play.cells.includes(`${total}-${thirdOf(player) ?? "stand"}`);
}

/** What the tableau would do: what the system decides for who is silent. */
function advice(hand, { player, banker }) {
  return hand === "player" ? asTableau(player) : asTableau(banker, thirdOf(player));
}

/** What a settled coup leaves to the next: a bank that won or tied stands, one that lost has passed. */
function left(coup, lines) {
  const { bank, hands, rules, stakes } = coup;
  const winner = winnerOf(hands);
  if (winner === "player") return { turn: nextSeat(coup.seats.keys(), bank.turn) };
  const standing = { turn: bank.turn, banker: bank.seat, standing: lines[0].returned || undefined };
  if (winner === "tie") return { ...standing, tied: rules.stakes.tie === "stay" || undefined };
  const caller = [...stakes.lines.values()].find(({ bet }) => bet === "banco")?.patron;
  return { ...standing, suivi: rules.stakes.suivi && caller ? seatOf(coup.seats, caller) : undefined };
}

/** What a void coup leaves to the next: the bank that was named, or the one nobody was asked about yet. */
function leftByAVoid({ bank, stage, before }) {
  if (bank?.amount) return { turn: bank.turn, banker: bank.seat, standing: bank.amount };
  if (["keeping", "ready"].includes(stage.name)) return { ...before, suivi: undefined, tied: undefined };
  return { turn: before.turn };
}

export const chemin = {
  next,
  open,
  refusal,
  said,
  afterWithdrawing,
  held,
  mayClose,
  closing,
  voidReason,
  step,
  advice,
  left,
  leftByAVoid,
};
