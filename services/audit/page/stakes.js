/** The stakes of a coup: what every patron has on every bet, in the order first placed. */

export class Stakes {
  constructor() {
    this.lines = new Map(); // "patron bet" to {patron, bet, stake}; a Map keeps the order of placing
    this.ofPatron = new Map();
    this.onBet = new Map();
    this.total = 0;
  }

  place(patron, bet, amount) {
    const line = this.lines.get(`${patron} ${bet}`) ?? { patron, bet, stake: 0 };
    this.lines.set(`${patron} ${bet}`, line);
    line.stake += amount;
    this.shift(patron, bet, amount);
  }

  /** Take the whole of a bet back; gives what it was, 0 when there was none. */
  withdraw(patron, bet) {
    const stake = this.on(patron, bet);
    this.lines.delete(`${patron} ${bet}`);
    this.shift(patron, bet, -stake);
    return stake;
  }

  on(patron, bet) {
    return this.lines.get(`${patron} ${bet}`)?.stake ?? 0;
  }

  by(patron) {
    return this.ofPatron.get(patron) ?? 0;
  }

  shift(patron, bet, amount) {
    this.total += amount;
    this.ofPatron.set(patron, this.by(patron) + amount);
    this.onBet.set(bet, (this.onBet.get(bet) ?? 0) + amount);
  }

  get differential() {
    return Math.abs((this.onBet.get("player") ?? 0) - (this.onBet.get("banker") ?? 0));
  }
}

/** What makes no sense in limits. */
export function* limitsComplaints({ bets }, known) {
  for (const [name, { min, max }] of Object.entries(bets)) {
    if (!known.has(name)) yield `the limits name ${name}, which is no bet of these rules`;
    if (min > max) yield `the limits of ${name} leave nothing between ${min} and ${max}`;
  }
}

/** What the limits say against the stakes, now that this patron's bet has changed. */
export function* stakeComplaints(stakes, { patron, bet }, limits, bets) {
  const bounds = Object.hasOwn(limits.bets, bet) ? limits.bets[bet] : null;
  const stake = stakes.on(patron, bet);
  if (stake && !bounds) yield `${bet} is not offered`;
  else if (stake && stake < bounds.min) yield `${stake} on ${bet} is below its minimum of ${bounds.min}`;
  else if (stake && stake > bounds.max) yield `${stake} on ${bet} is above its maximum of ${bounds.max}`;
  if (stakes.by(patron) > limits.patron) yield `${stakes.by(patron)} by one patron is above ${limits.patron}`;
  if (stakes.total > limits.table) yield `${stakes.total} on the table is above ${limits.table}`;
  if (stakes.differential > limits.differential) {
    yield `the difference of ${stakes.differential} between Player and Banker is above ${limits.differential}`;
  }
  for (const [name, { needs }] of bets) {
    if (needs.length && stakes.on(patron, name) && !needs.some((need) => stakes.on(patron, need))) {
      yield `${name} needs a stake on ${needs.join(" or ")}`;
    }
  }
}
