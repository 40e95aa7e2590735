/** SHA-512 (FIPS 180-4) in plain BigInt: slow, and needed for a handful of signatures at most. */

const MASK = 2n ** 64n - 1n;
const FIRST_PRIMES = firstPrimes(80).map(BigInt);
const ROUND_WORDS = FIRST_PRIMES.map((prime) => root(prime << 192n, 3n) & MASK);
const START_WORDS = FIRST_PRIMES.slice(0, 8).map((prime) => root(prime << 128n, 2n) & MASK);

export function sha512(message) {
  const length = Math.ceil((message.length + 17) / 128) * 128;
  const padded = new Uint8Array(length);
  padded.set(message);
  padded[message.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setBigUint64(length - 8, BigInt(message.length) * 8n);
  let state = START_WORDS;
  for (let at = 0; at < length; at += 128) state = compressWords(state, view, at);
  const digest = new DataView(new ArrayBuffer(64));
  state.forEach((word, at) => digest.setBigUint64(8 * at, word));
  return new Uint8Array(digest.buffer);
}

function compressWords(state, view, start) {
  const w = Array.from({ length: 16 }, (_, at) => view.getBigUint64(start + 8 * at));
  for (let at = 16; at < 80; at++) {
    const [x, y] = [w[at - 15], w[at - 2]];
    const s0 = turn(x, 1n) ^ turn(x, 8n) ^ (x >> 7n);
    const s1 = turn(y, 19n) ^ turn(y, 61n) ^ (y >> 6n);
    w.push((w[at - 16] + s0 + w[at - 7] + s1) & MASK);
  }
  let [a, b, c, d, e, f, g, h] = state;
  for (let at = 0; at < 80; at++) {
    const s1 = turn(e, 14n) ^ turn(e, 18n) ^ turn(e, 41n);
    const t1 = h + s1 + ((e & f) ^ (~e & MASK & g)) + ROUND_WORDS[at] + w[at];
    const s0 = turn(a, 28n) ^ turn(a, 34n) ^ turn(a, 39n);
    const t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) & MASK, c, b, a, (t1 + t2) & MASK];
  }
  return [a, b, c, d, e, f, g, h].map((word, at) => (word + state[at]) & MASK);
}

function turn(word, by) {
  return (word >> by) | ((word << (64n - by)) & MASK);
}

/** The largest whole number whose `degree`th power is at most `number` (Newton, from above). */
function root(number, degree) {
  let guess = 1n << (BigInt(number.toString(2).length) / degree + 1n);
  for (;;) {
    const next = ((degree - 1n) * guess + number / guess ** (degree - 1n)) / degree;
    if (next >= guess) return guess;
    guess = next;
  }
}

function firstPrimes(count) {
  const found = [];
  for (let number = 2; found.length < count; number++) {
    if (found.every((prime) => number % prime)) found.push(number);
  }
  return found;
}
