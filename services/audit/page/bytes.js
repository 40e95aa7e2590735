/** Bytes and the ways they are written: hex, base64, UTF-8; always strict, so that one value has one writing. */

const ENCODER = new TextEncoder();
const DECODER = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const BASE64_VALUES = new Int16Array(128).fill(-1);
for (let value = 0; value < 64; value++) BASE64_VALUES[BASE64.charCodeAt(value)] = value;

export function hexOf(bytes) {
  let text = "";
  for (const byte of bytes) text += HEX[byte];
  return text;
}

/** The bytes of a hex text that is known to be one. */
export function bytesOfHex(text) {
  const bytes = new Uint8Array(text.length / 2);
  for (let at = 0; at < bytes.length; at++) bytes[at] = parseInt(text.slice(2 * at, 2 * at + 2), 16);
  return bytes;
}

export function utf8Of(text) {
  return ENCODER.encode(text);
}

/** The text that UTF-8 bytes spell, or null when they spell none. A byte order mark stays in it. */
export function textOf(bytes) {
  try {
    return DECODER.decode(bytes);
  } catch {
    return null;
  }
}

/** Each byte one character: for texts whose letters are octets. */
export function octetsOf(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length; at += 4096) text += String.fromCharCode(...bytes.subarray(at, at + 4096));
  return text;
}

export function base64Of(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length; at += 3) {
    const three = (bytes[at] << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    for (const shift of [18, 12, 6, 0]) text += BASE64[(three >> shift) & 63];
  }
  const missing = (3 - (bytes.length % 3)) % 3;
  return missing ? text.slice(0, -missing) + "=".repeat(missing) : text;
}

/** The bytes of a base64 text, or null unless encoding them again gives the same text. */
export function bytesOfBase64(text) {
  if (text.length % 4) return null;
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  const letters = text.length - padding;
  const bytes = new Uint8Array((text.length / 4) * 3 - padding);
  let held = 0;
  let bits = 0;
  let at = 0;
  for (let place = 0; place < letters; place++) {
    const code = text.charCodeAt(place);
    const value = code < 128 ? BASE64_VALUES[code] : -1;
    if (value < 0) return null;
    held = ((held << 6) | value) & 0xffff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes[at++] = (held >> bits) & 255;
    }
  }
  return held & ((1 << bits) - 1) ? null : bytes;
}

export function concat(...parts) {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

export function areSame(left, right) {
  return left.length === right.length && left.every((byte, at) => byte === right[at]);
}

export function u8(value) {
  return Uint8Array.of(value);
}

export function u16be(value) {
  return Uint8Array.of(value >> 8, value & 255);
}

export function u32be(value) {
  return Uint8Array.of(value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255);
}

/** lp(x): the length in two bytes, then the bytes. */
export function withLength(bytes) {
  return concat(u16be(bytes.length), bytes);
}

/** The place of an LF at or after `from`, or -1. */
export function lineEnd(bytes, from) {
  return bytes.indexOf(10, from);
}
