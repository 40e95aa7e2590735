/** Ed25519 signatures (RFC 8032), checked only: by WebCrypto where the browser can, else by the arithmetic below. */

import { bytesOfHex, concat } from "./bytes.js";
import { sha512 } from "./sha512.js";

const P = 2n ** 255n - 19n;
const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;
const D = modulo(-121665n * inverse(121666n));
const ROOT_OF_MINUS_ONE = power(2n, (P - 1n) / 4n);
const IDENTITY = [0n, 1n, 1n, 0n];
const BASE = pointOf(bytesOfHex("5866666666666666666666666666666666666666666666666666666666666666"));

/** Whether the signature is by the key over the message. Never throws. */
export async function isSignedBy(key, message, signature) {
  const told = await askBrowser(key, message, signature);
  return told ?? isSignedByArithmetic(key, message, signature);
}

async function askBrowser(key, message, signature) {
  const subtle = globalThis.crypto?.subtle;
  if (!subtle) return null;
  try {
    const imported = await subtle.importKey("raw", key, { name: "Ed25519" }, false, ["verify"]);
    return await subtle.verify({ name: "Ed25519" }, imported, signature, message);
  } catch {
    return null;
  }
}

/** The same without WebCrypto: [S]B = R + [k]A, the encodings canonical, S below the order. */
export function isSignedByArithmetic(key, message, signature) {
  if (key.length !== 32 || signature.length !== 64) return false;
  const r = signature.subarray(0, 32);
  const s = numberOf(signature.subarray(32));
  const [a, point] = [pointOf(key), pointOf(r)];
  if (!a || !point || s >= ORDER) return false;
  const k = numberOf(sha512(concat(r, key, message))) % ORDER;
  return areEqual(times(s, BASE), add(point, times(k, a)));
}

function numberOf(bytes) {
  return bytes.reduceRight((number, byte) => (number << 8n) | BigInt(byte), 0n);
}

/** The point that 32 bytes encode, in extended coordinates, or null when they encode none. */
function pointOf(bytes) {
  const encoded = numberOf(bytes);
  const y = encoded & (2n ** 255n - 1n);
  if (y >= P) return null;
  const u = modulo(y * y - 1n);
  const v = modulo(D * y * y + 1n);
  let x = modulo(u * v ** 3n * power(modulo(u * v ** 7n), (P - 5n) / 8n));
  if (modulo(v * x * x) === modulo(-u)) x = modulo(x * ROOT_OF_MINUS_ONE);
  if (modulo(v * x * x) !== u) return null;
  const sign = encoded >> 255n;
  if (x === 0n && sign) return null;
  if ((x & 1n) !== sign) x = P - x;
  return [x, y, 1n, modulo(x * y)];
}

function add([x1, y1, z1, t1], [x2, y2, z2, t2]) {
  const a = (y1 - x1) * (y2 - x2);
  const b = (y1 + x1) * (y2 + x2);
  const c = 2n * D * modulo(t1 * t2);
  const d = 2n * z1 * z2;
  const [e, f, g, h] = [modulo(b - a), modulo(d - c), modulo(d + c), modulo(b + a)];
  return [modulo(e * f), modulo(g * h), modulo(f * g), modulo(e * h)];
}

function times(factor, point) {
  let sum = IDENTITY;
  let doubled = point;
  for (let left = factor; left; left >>= 1n) {
    if (left & 1n) sum = add(sum, doubled);
    doubled = add(doubled, doubled);
  }
  return sum;
}

function areEqual([x1, y1, z1], [x2, y2, z2]) {
  return modulo(x1 * z2 - x2 * z1) === 0n && modulo(y1 * z2 - y2 * z1) === 0n;
}

function modulo(number) {
  const rest = number % P;
  return rest < 0n ? rest + P : rest;
}

function power(number, exponent) {
  let product = 1n;
  let squared = modulo(number);
  for (let left = exponent; left; left >>= 1n) {
    if (left & 1n) product = modulo(product * squared);
    squared = modulo(squared * squared);
  }
  return product;
}

function inverse(number) {
  return power(number, P - 2n);
}
