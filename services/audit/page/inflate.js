/**
 * Inflate (RFC 1951), strict: what is no deflated data is refused, and so is anything behind its end.
 *
 * Browsers differ in what their DecompressionStream says of bytes behind the end, and a verdict may not hang on that.
 */

const MAX_BITS = 15;
const LENGTH_BASE = [
  3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258,
];
const LENGTH_EXTRA = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const DISTANCE_BASE = [
  1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145,
  8193, 12289, 16385, 24577,
];
const DISTANCE_EXTRA = [
  0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13,
];
const CODE_LENGTH_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
const END_OF_BLOCK = 256;

export class NotDeflated extends Error {}

/** The content, exactly `size` bytes. Throws NotDeflated. */
export function inflate(packed, size) {
  const reader = new BitReader(packed);
  const out = { bytes: new Uint8Array(size), length: 0 };
  for (let isLast = false; !isLast;) {
    isLast = reader.take(1) === 1;
    inflateBlock(reader, out, reader.take(2));
  }
  if (reader.bytesLeft()) throw new NotDeflated("something stands behind its end");
  if (out.length !== size) throw new NotDeflated("it is shorter than it declares");
  return out.bytes;
}

function inflateBlock(reader, out, kind) {
  if (kind === 0) copyStored(reader, out);
  else if (kind === 1) inflateCodes(reader, out, FIXED_CODES);
  else if (kind === 2) inflateCodes(reader, out, readCodes(reader));
  else throw new NotDeflated("a block of no known kind");
}

function copyStored(reader, out) {
  reader.toByte();
  const length = reader.take(16);
  if (reader.take(16) !== (~length & 0xffff)) throw new NotDeflated("a stored block says two lengths");
  const bytes = reader.bytes(length);
  makeRoom(out, length);
  out.bytes.set(bytes, out.length);
  out.length += length;
}

function inflateCodes(reader, out, { lengths, distances }) {
  for (;;) {
    const symbol = reader.symbol(lengths);
    if (symbol === END_OF_BLOCK) return;
    if (symbol < END_OF_BLOCK) {
      makeRoom(out, 1);
      out.bytes[out.length++] = symbol;
    } else {
      copyBack(reader, out, symbol - 257, distances);
    }
  }
}

function copyBack(reader, out, code, distances) {
  if (code >= LENGTH_BASE.length) throw new NotDeflated("a length that there is not");
  const length = LENGTH_BASE[code] + reader.take(LENGTH_EXTRA[code]);
  const far = reader.symbol(distances);
  if (far >= DISTANCE_BASE.length) throw new NotDeflated("a distance that there is not");
  const distance = DISTANCE_BASE[far] + reader.take(DISTANCE_EXTRA[far]);
  if (distance > out.length) throw new NotDeflated("it refers to before its beginning");
  makeRoom(out, length);
  for (let from = out.length - distance, end = from + length; from < end; from++) {
    out.bytes[out.length++] = out.bytes[from];
  }
}

function makeRoom(out, length) {
  if (out.length + length > out.bytes.length) throw new NotDeflated("it holds more than it declares");
}

function readCodes(reader) {
  const literals = reader.take(5) + 257;
  const distances = reader.take(5) + 1;
  const codeLengths = new Uint8Array(19);
  const given = reader.take(4) + 4;
  if (literals > 286 || distances > 30) throw new NotDeflated("more codes than there are");
  for (let at = 0; at < given; at++) codeLengths[CODE_LENGTH_ORDER[at]] = reader.take(3);
  const lengths = readLengths(reader, codeOf(codeLengths, false), literals + distances);
  if (!lengths[END_OF_BLOCK]) throw new NotDeflated("a block that cannot end");
  return { lengths: codeOf(lengths.subarray(0, literals), true), distances: codeOf(lengths.subarray(literals), true) };
}

function readLengths(reader, code, count) {
  const lengths = new Uint8Array(count);
  for (let at = 0; at < count;) {
    const symbol = reader.symbol(code);
    if (symbol < 16) {
      lengths[at++] = symbol;
      continue;
    }
    if (symbol === 16 && !at) throw new NotDeflated("a repetition of nothing");
    const value = symbol === 16 ? lengths[at - 1] : 0;
    const times = symbol === 16 ? 3 + reader.take(2) : symbol === 17 ? 3 + reader.take(3) : 11 + reader.take(7);
    if (at + times > count) throw new NotDeflated("a repetition beyond the end");
    lengths.fill(value, at, at + times);
    at += times;
  }
  return lengths;
}

/** A Huffman code as one table: the next `width` bits, as they lie in the stream, give symbol * 16 + length. */
function codeOf(lengths, mayBeSingle) {
  const counts = new Uint16Array(MAX_BITS + 1);
  for (const length of lengths) counts[length]++;
  const used = lengths.length - counts[0];
  let room = 1;
  const next = new Uint16Array(MAX_BITS + 2);
  for (let length = 1; length <= MAX_BITS; length++) {
    room = 2 * room - counts[length];
    if (room < 0) throw new NotDeflated("a code with too many words");
    next[length + 1] = (next[length] + counts[length]) << 1;
  }
  const isSingle = mayBeSingle && (used === 0 || (used === 1 && counts[1] === 1));
  if (room && !isSingle) throw new NotDeflated("a code with too few words");
  const width = Math.max(
    1,
    lengths.reduce((most, length) => Math.max(most, length), 0),
  );
  const table = new Int32Array(1 << width).fill(-1);
  lengths.forEach((length, symbol) => {
    if (!length) return;
    for (let at = reversed(next[length]++, length); at < table.length; at += 1 << length) {
      table[at] = symbol * 16 + length;
    }
  });
  return { table, width };
}

function reversed(word, length) {
  let turned = 0;
  for (let bit = 0; bit < length; bit++) turned |= ((word >> bit) & 1) << (length - 1 - bit);
  return turned;
}

class BitReader {
  constructor(bytes) {
    this.packed = bytes;
    this.at = 0;
    this.held = 0;
    this.bits = 0;
  }

  /** The next bits as a number, the first of them lowest. */
  take(count) {
    this.fill(count);
    if (this.bits < count) throw new NotDeflated("it is cut short");
    const value = this.held & ((1 << count) - 1);
    this.held >>>= count;
    this.bits -= count;
    return value;
  }

  symbol({ table, width }) {
    this.fill(width);
    const found = table[this.held & ((1 << width) - 1)];
    if (found < 0) throw new NotDeflated("a word that is not in its code");
    const length = found & 15;
    if (length > this.bits) throw new NotDeflated("it is cut short");
    this.held >>>= length;
    this.bits -= length;
    return found >> 4;
  }

  fill(count) {
    while (this.bits < count && this.at < this.packed.length) {
      this.held |= this.packed[this.at++] << this.bits;
      this.bits += 8;
    }
  }

  toByte() {
    this.take(this.bits & 7);
  }

  /** Whole bytes; the reader stands at a byte's border, and holds less than a word. */
  bytes(count) {
    const start = this.at - this.bits / 8;
    if (start + count > this.packed.length) throw new NotDeflated("it is cut short");
    this.at = start + count;
    this.held = this.bits = 0;
    return this.packed.subarray(start, this.at);
  }

  bytesLeft() {
    return this.packed.length - this.at + (this.bits >> 3);
  }
}

const FIXED_CODES = {
  lengths: codeOf(
    Uint8Array.from({ length: 288 }, (_, at) => (at < 144 ? 8 : at < 256 ? 9 : at < 280 ? 7 : 8)),
    false,
  ),
  distances: codeOf(new Uint8Array(32).fill(5), false),
};
