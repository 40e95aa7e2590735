/** SHA-256 and HMAC (FIPS 180-4, 198-1), at once: WebCrypto's digest costs a turn of the event loop for each leaf. */

const PRIMES = primes(64);
const ROUND = new Int32Array(PRIMES.map((prime) => fractionBits(Math.cbrt(prime))));
const START = new Int32Array(PRIMES.slice(0, 8).map((prime) => fractionBits(Math.sqrt(prime))));
const SCHEDULE = new Int32Array(64);
const BLOCK_BYTES = 64;

/** H(part || part || …) */
export function sha256(...parts) {
  const hash = new Sha256();
  for (const part of parts) hash.update(part);
  return hash.digest();
}

export function hmac(key, ...parts) {
  const short = key.length > BLOCK_BYTES ? sha256(key) : key;
  const inner = new Uint8Array(BLOCK_BYTES).fill(0x36);
  const outer = new Uint8Array(BLOCK_BYTES).fill(0x5c);
  short.forEach((byte, at) => {
    inner[at] ^= byte;
    outer[at] ^= byte;
  });
  return sha256(outer, sha256(inner, ...parts));
}

export class Sha256 {
  constructor() {
    this.state = Int32Array.from(START);
    this.block = new Uint8Array(BLOCK_BYTES);
    this.held = 0;
    this.length = 0;
  }

  update(bytes) {
    this.length += bytes.length;
    let at = 0;
    if (this.held) {
      at = Math.min(BLOCK_BYTES - this.held, bytes.length);
      this.block.set(bytes.subarray(0, at), this.held);
      this.held += at;
      if (this.held < BLOCK_BYTES) return this;
      compress(this.state, this.block, 0);
      this.held = 0;
    }
    for (; at + BLOCK_BYTES <= bytes.length; at += BLOCK_BYTES) compress(this.state, bytes, at);
    this.block.set(bytes.subarray(at), 0);
    this.held = bytes.length - at;
    return this;
  }

  digest() {
    const padded = new Uint8Array(this.held < 56 ? BLOCK_BYTES : 2 * BLOCK_BYTES);
    padded.set(this.block.subarray(0, this.held));
    padded[this.held] = 0x80;
    const end = new DataView(padded.buffer, padded.length - 8);
    end.setUint32(0, Math.floor(this.length / 2 ** 29));
    end.setUint32(4, (this.length << 3) >>> 0);
    for (let at = 0; at < padded.length; at += BLOCK_BYTES) compress(this.state, padded, at);
    const digest = new DataView(new ArrayBuffer(32));
    this.state.forEach((word, at) => digest.setInt32(4 * at, word));
    return new Uint8Array(digest.buffer);
  }
}

function compress(state, bytes, start) {
  const w = SCHEDULE;
  for (let at = 0, from = start; at < 16; at++, from += 4) {
    w[at] = (bytes[from] << 24) | (bytes[from + 1] << 16) | (bytes[from + 2] << 8) | bytes[from + 3];
  }
  for (let at = 16; at < 64; at++) {
    const x = w[at - 15];
    const y = w[at - 2];
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    w[at] = (w[at - 16] + s0 + w[at - 7] + s1) | 0;
  }
  let a = state[0]; // one by one: taking the array apart would walk an iterator for each block
  let b = state[1];
  let c = state[2];
  let d = state[3];
  let e = state[4];
  let f = state[5];
  let g = state[6];
  let h = state[7];
  for (let at = 0; at < 64; at++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + ROUND[at] + w[at]) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
  state[4] += e;
  state[5] += f;
  state[6] += g;
  state[7] += h;
}

/** The constants are the first bits of the roots of the first primes, exact enough in a double's 53 bits. */
function fractionBits(root) {
  return Math.floor((root - Math.floor(root)) * 2 ** 32) | 0;
}

function primes(count) {
  const found = [];
  for (let number = 2; found.length < count; number++) {
    if (found.every((prime) => number % prime)) found.push(number);
  }
  return found;
}
