/** Exact odds and rates, and rounding to a unit. */

/** `{over, under}` of a text `a/b`, as BigInt, or null unless it is in lowest terms. */
export function fractionOf(text) {
  const [over, under] = text.split("/").map(BigInt);
  return under > 0n && divisorOf(over, under) === 1n ? { over, under } : null;
}

function divisorOf(left, right) {
  return right ? divisorOf(right, left % right) : left;
}

/** `amount` (BigInt) times a fraction, rounded to a multiple of `unit` as the mode says. */
export function roundedShare(amount, { over, under }, { mode, unit }) {
  const step = BigInt(unit);
  const [share, whole] = [amount * over, under * step]; // share / whole units
  const down = share / whole;
  const twiceRest = 2n * (share % whole);
  if (mode === "floor" || twiceRest < whole) return down * step;
  if (twiceRest > whole || mode === "half-up") return (down + 1n) * step;
  return (down + (down & 1n)) * step;
}
