/**
 * JSON read the one way that an entry may be written.
 *
 * Reading and writing again must give the same bytes, so the reader takes nothing but what the writer would write: no
 * white space, the shortest escapes, integers in shortest form, no key twice; no fractions, no nulls.
 */

const MAX_DEPTH = 64;
const MAX_INTEGER_DIGITS = 16;
const INTEGER = /-?(?:0|[1-9][0-9]*)/y;
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const ESCAPE = /\\(?:(["\\bfnrt])|u(00[01][0-9a-f]))/y;
const NAMED = { '"': '"', "\\": "\\", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };
const NAMED_CODES = new Set(["0008", "0009", "000a", "000c", "000d"]);
const WHITE_SPACE = /[ \t\n\r]*/y;
const ANY_STRING = /"(?:[^"\\\u0000-\u001f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"/y;

/** A text that is not written so; the message says why. */
export class NotWrittenSo extends Error {}

/** The value; objects have no prototype, and their keys in the order read. Throws NotWrittenSo. */
export function readStrictly(text) {
  const reader = new StrictReader(text);
  const value = reader.value(0);
  if (reader.at < text.length) throw new NotWrittenSo(`something stands behind the end, at ${reader.at}`);
  return value;
}

/** The value of a text that is written another way: white space, other escapes and repeated keys do not matter. */
export function readLoosely(text) {
  const reader = new LooseReader(text);
  reader.skip();
  const value = reader.value(0);
  if (reader.at < text.length) throw new NotWrittenSo("something stands behind the end");
  return value;
}

class StrictReader {
  constructor(text) {
    this.text = text;
    this.at = 0;
  }

  value(depth) {
    const first = this.text[this.at];
    if (first === '"') return this.string();
    if ((first === "{" || first === "[") && depth === MAX_DEPTH) {
      throw new NotWrittenSo(`it is nested more than ${MAX_DEPTH} deep`);
    }
    if (first === "{") return this.object(depth);
    if (first === "[") return this.array(depth);
    return this.isNext("true") ? true : this.isNext("false") ? false : this.integer();
  }

  object(depth) {
    const object = Object.create(null);
    this.expect("{");
    if (this.isNext("}")) return object;
    do {
      const key = this.string();
      if (key in object) this.repeat(key);
      this.expect(":");
      object[key] = this.value(depth + 1);
    } while (this.isNext(","));
    this.expect("}");
    return object;
  }

  repeat(key) {
    throw new NotWrittenSo(`the key ${JSON.stringify(key.slice(0, 64))} stands twice`);
  }

  array(depth) {
    const items = [];
    this.expect("[");
    if (this.isNext("]")) return items;
    do items.push(this.value(depth + 1));
    while (this.isNext(","));
    this.expect("]");
    return items;
  }

  string() {
    this.expect('"');
    let string = this.match(PLAIN)[0];
    while (!this.isNext('"')) {
      const escape = this.match(ESCAPE);
      if (!escape || NAMED_CODES.has(escape[2])) {
        throw new NotWrittenSo(`a string is not written the one way, at ${this.at}`);
      }
      string += escape[1] ? NAMED[escape[1]] : String.fromCharCode(parseInt(escape[2], 16));
      string += this.match(PLAIN)[0];
    }
    return string;
  }

  integer() {
    const digits = this.match(INTEGER)?.[0];
    if (!digits || !this.isInteger(digits)) {
      throw new NotWrittenSo(`no object, array, string, integer or boolean, at ${this.at}`);
    }
    const integer = Number(digits);
    if (digits.length > MAX_INTEGER_DIGITS + 1 || !Number.isSafeInteger(integer)) {
      throw new NotWrittenSo(`the integer ${digits.slice(0, 32)} is larger than 2^53-1`);
    }
    return integer;
  }

  isInteger(digits) {
    return digits !== "-0";
  }

  match(pattern) {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found) this.at = pattern.lastIndex;
    return found;
  }

  isNext(word) {
    if (!this.text.startsWith(word, this.at)) return false;
    this.at += word.length;
    return true;
  }

  expect(letter) {
    if (this.isNext(letter)) return;
    const found = JSON.stringify(this.text[this.at] ?? "the end");
    throw new NotWrittenSo(`${JSON.stringify(letter)} belongs at ${this.at}, where ${found} stands`);
  }
}

class LooseReader extends StrictReader {
  skip() {
    this.match(WHITE_SPACE);
  }

  isNext(word) {
    if (!super.isNext(word)) return false;
    this.skip();
    return true;
  }

  string() {
    const token = this.match(ANY_STRING)?.[0];
    const string = token === undefined ? "\ud800" : JSON.parse(token);
    if (/\p{Surrogate}/u.test(string)) throw new NotWrittenSo(`no string, at ${this.at}`);
    this.skip();
    return string;
  }

  repeat() {}

  integer() {
    const integer = super.integer() + 0; // of -0 the plain nought
    if (/[.eE]/.test(this.text[this.at] ?? "")) throw new NotWrittenSo("a fraction");
    this.skip();
    return integer;
  }

  isInteger() {
    return true;
  }
}
