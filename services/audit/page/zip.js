/**
 * A zip read without trust: a few members with known names, each of bounded size, and nothing else beside.
 *
 * The plain format only: one disk, no ZIP64, no encryption, no comment, members stored or deflated. Names are compared
 * with the known ones and never used as paths.
 */

import { octetsOf, utf8Of, areSame } from "./bytes.js";
import { inflate, NotDeflated } from "./inflate.js";

const END_BYTES = 22;
const CENTRAL_BYTES = 46;
const LOCAL_BYTES = 30;
const MAX_DIRECTORY_BYTES = 1 << 14;
const MAX_RATIO = 200; // honest members stay below a tenth of this
const RATIO_FREE_BYTES = 1 << 20;
const FLAGS_READ = 0x080e; // how hard it was deflated (two), sizes behind the data, UTF-8 names
const CRC = crcTable();

/** The input is no bundle; the message says why. */
export class Unreadable extends Error {}

/** The names of the members, in the order of the directory. Throws Unreadable. */
export function namesIn(bytes) {
  const directory = directoryOf(bytes);
  const names = [];
  let at = 0;
  for (let turn = 0; turn < directory.count; turn++) {
    const member = centralOf(directory.bytes, at);
    names.push(member.name);
    at += member.recordBytes;
  }
  return names;
}

/** The content of exactly the members that `limits` names (name to most bytes). Throws Unreadable. */
export function unzip(bytes, limits) {
  const directory = directoryOf(bytes);
  if (directory.count > limits.size) refuse(`${directory.count} members, where ${limits.size} belong`);
  const found = new Map();
  let at = 0;
  for (let turn = 0; turn < directory.count; turn++) {
    const member = centralOf(directory.bytes, at);
    if (!limits.has(member.name)) refuse(`a member that does not belong: ${JSON.stringify(member.name.slice(0, 64))}`);
    if (found.has(member.name)) refuse(`the member ${member.name} stands twice`);
    checkSize(member, limits.get(member.name));
    found.set(member.name, member);
    at += member.recordBytes;
  }
  if (at !== directory.bytes.length) refuse("the directory is longer than its members");
  for (const name of limits.keys()) if (!found.has(name)) refuse(`the member ${name} is missing`);
  place(bytes, [...found.values()]);
  return new Map([...found.values()].map((member) => [member.name, contentOf(bytes, member)]));
}

function refuse(why) {
  throw new Unreadable(why);
}

function viewOf(bytes) {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** The number of members and the directory's bytes, which end where the end record begins. */
function directoryOf(bytes) {
  if (bytes.length < END_BYTES) refuse(bytes.length ? "not a zip: too short" : "the file is empty");
  const start = bytes.length - END_BYTES;
  const end = viewOf(bytes.subarray(start));
  if (end.getUint32(0) !== 0x504b0506 || end.getUint16(20)) {
    refuse("not a zip, or cut short, or with something behind its end");
  }
  const [disk, firstDisk, here, count] = [4, 6, 8, 10].map((at) => end.getUint16(at, true));
  if (disk || firstDisk || here !== count) refuse("a zip of several disks");
  const [size, from] = [12, 16].map((at) => end.getUint32(at, true));
  if (size > MAX_DIRECTORY_BYTES || from + size !== start) {
    refuse("the directory does not lie directly before the end, or is too long");
  }
  return { count, bytes: bytes.subarray(from, start) };
}

function centralOf(directory, at) {
  if (directory.length - at < CENTRAL_BYTES) refuse("the directory is shorter than its members");
  const record = viewOf(directory.subarray(at));
  if (record.getUint32(0) !== 0x504b0102) refuse("the directory is broken");
  const short = (place) => record.getUint16(place, true);
  const long = (place) => record.getUint32(place, true);
  const name = octetsOf(directory.subarray(at + CENTRAL_BYTES, at + CENTRAL_BYTES + short(28)));
  const shown = JSON.stringify(name.slice(0, 64));
  if (short(8) & ~FLAGS_READ) refuse(`the member ${shown} is encrypted, or packed in a way that is not read`);
  if (short(10) !== 0 && short(10) !== 8) refuse(`the member ${shown} is neither stored nor deflated`);
  return {
    name,
    isDeflated: short(10) === 8,
    crc: long(16),
    packed: long(20),
    size: long(24),
    start: long(42),
    recordBytes: CENTRAL_BYTES + short(28) + short(30) + short(32),
  };
}

function checkSize({ name, size, packed, isDeflated }, limit) {
  if (size > limit) refuse(`${name} declares ${size} bytes, more than ${limit}`);
  if (size > RATIO_FREE_BYTES && size > packed * MAX_RATIO) {
    refuse(`${name} declares more than ${MAX_RATIO} times its packed size`);
  }
  if (!isDeflated && packed !== size) refuse(`${name} is stored, and declares two sizes`);
}

/** Move each `start` from the local header to the data behind it; no member may lie within another. */
function place(bytes, members) {
  let end = 0;
  for (const member of members.sort((left, right) => left.start - right.start)) {
    const record = bytes.subarray(member.start, member.start + LOCAL_BYTES);
    if (record.length < LOCAL_BYTES || viewOf(record).getUint32(0) !== 0x504b0304) {
      refuse(`${member.name} does not lie where the directory says`);
    }
    const nameEnd = member.start + LOCAL_BYTES + viewOf(record).getUint16(26, true);
    if (!areSame(bytes.subarray(member.start + LOCAL_BYTES, nameEnd), utf8Of(member.name))) {
      refuse(`${member.name} has another name where it lies`);
    }
    if (member.start < end) refuse(`${member.name} lies within another member`);
    member.start = nameEnd + viewOf(record).getUint16(28, true);
    end = member.start + member.packed;
  }
}

function contentOf(bytes, member) {
  const packed = bytes.subarray(member.start, member.start + member.packed);
  if (packed.length < member.packed) refuse(`${member.name} is cut short`);
  const content = member.isDeflated ? inflated(packed, member) : packed;
  if (crcOf(content) !== member.crc) refuse(`${member.name} is damaged: its checksum is another`);
  return content;
}

function inflated(packed, { name, size }) {
  try {
    return inflate(packed, size);
  } catch (error) {
    if (error instanceof NotDeflated) refuse(`${name} is not deflated data: ${error.message}`);
    if (error instanceof RangeError) refuse(`${name} is larger than this browser can hold`);
    throw error;
  }
}

function crcTable() {
  return Int32Array.from({ length: 256 }, (_, byte) => {
    let rest = byte;
    for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1;
    return rest;
  });
}

function crcOf(bytes) {
  let crc = -1;
  for (let at = 0; at < bytes.length; at++) crc = (crc >>> 8) ^ CRC[(crc ^ bytes[at]) & 255];
  return ~crc >>> 0;
}
