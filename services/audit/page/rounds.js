/**
 * One round alone, of a shoe that may still be open: its coup against the cards that were sealed before its first bet.
 *
 * What is in force comes from a few of the shoe's own lines, each proved to be in the log. What anybody had before him
 * when the round began is not in the bundle, so stacks are not checked; nor is the seed, which is still a secret.
 */

import { hexOf, lineEnd, octetsOf, textOf } from "./bytes.js";
import { Chapter } from "./chapter.js";
import { readLine } from "./entry.js";
import { checkInclusion, checkLog, judgeNote, readMember } from "./log.js";
import { MAX_NOTE_BYTES } from "./note.js";
import { readProof } from "./proof.js";

export const SHOE = "shoe.jsonl";
const MOST_SHOE_LINES = 180;
const LINE_BYTES = 65536;
const IN_FORCE = ["shoe-committed", "chips-carried", "limits-changed", "shoe-shuffled"];
const ONCE = ["shoe-shuffled", "limits-changed"];
const ENDS = ["round-settled", "round-voided"];
const NO_SHOE = "the lines of the shoe cannot be read, so what is in force is not known";
const POSITIONED = ['"type":"card-dealt"', '"type":"cut-card-reached"'];

/** The members that a round's bundle has beside a shoe's, name to most bytes: as many proofs as there are, no gap. */
export function limitsOfARound(names) {
  const limits = [[SHOE, MOST_SHOE_LINES * LINE_BYTES]];
  for (let number = 1; number <= MOST_SHOE_LINES && names.includes(proofName(number)); number++) {
    limits.push([proofName(number), 2 * MAX_NOTE_BYTES]);
  }
  return limits;
}

function proofName(number) {
  return `shoe-${number}.tlog-proof`;
}

/** `{chapter, grade, log}`: the checks made, the entropy's grade, and the check of the log with what it has seen. */
export async function examineRound({ members, manifest, trusted, signers, onProgress }) {
  const lines = members.get("entries.jsonl");
  const round = { manifest, shoe: [], leaves: [], begun: null };
  const chapter = new Chapter(signers, { isRounds: true, onFirst: (read) => begin(chapter, round, read, lines) });
  readShoe(chapter, round, members.get(SHOE));
  await chapter.read(lines, onProgress);
  const { chain, rules } = chapter.checks;
  Object.assign(chain.said, { shoe: round.begun?.shoe ?? null, round: round.begun?.round ?? null });
  chain.said.complete = manifest.complete; // whether the shoe is over cannot be seen from one of its rounds
  if (chapter.isGivenUp && chain.said.round !== null) chain.compareWith(manifest, "round");
  const grade = await chapter.end(manifest);
  checkOrder(chapter, round);
  const lastLeaf = chapter.isGivenUp ? null : chapter.leaf;
  const log = await checkLog({ members, manifest, lastLeaf, trusted });
  await checkProofs({ chapter, round, members, trusted, log });
  if (!ENDS.includes(chapter.last) || chapter.isGivenUp) rules.skip("the round is not over");
  return { chapter, grade, log };
}

/** Read the shoe's lines. One that cannot be read is told, and those behind it are not believed. */
function readShoe({ checks: { bytes } }, round, text) {
  const lines = [];
  for (let at = 0; at < text.length;) {
    const end = lineEnd(text, at);
    if (end < 0) bytes.fail(0, `the last line of ${SHOE} has no LF behind it`);
    lines.push(text.subarray(at, end < 0 ? text.length : end));
    at = end < 0 ? text.length : end + 1;
  }
  if (lines.length > MOST_SHOE_LINES) bytes.fail(0, `${SHOE} has more than ${MOST_SHOE_LINES} lines`);
  for (const [at, line] of lines.slice(0, MOST_SHOE_LINES).entries()) {
    const { leaf, complaint, isNewer, entry } = readLine(line);
    round.leaves.push(leaf);
    if (complaint) bytes.fail(0, `${SHOE}, line ${at + 1}: ${complaint}`);
    if (isNewer) bytes.skip(`${SHOE}, line ${at + 1}, is of a schema that is not known here`);
    if (complaint || isNewer) {
      round.shoe = [];
      return;
    }
    round.shoe.push(entry);
  }
}

/** Before the first line: show the checks what is in force, and go on from where the round begins. */
function begin(chapter, round, { entry }, lines) {
  const { shoe, rules, money } = chapter.checks;
  if (round.shoe[0]?.event.type !== "shoe-committed") return chapter.stop(NO_SHOE);
  if (!entry) return;
  const { event, version, stream } = entry;
  if (event.type !== "round-opened") {
    rules.fail(version, `the round begins with ${event.type}`);
    return chapter.stop("the bundle does not begin with round-opened");
  }
  round.begun = { shoe: round.shoe[0].event.shoe, round: event.round };
  shoe.table = stream.replace(/^table\//, "");
  for (const line of round.shoe) chapter.tell(line, null);
  const position = firstPosition(lines);
  shoe.takeUp(position);
  money.forgetStacks();
  rules.takeUp({ round: event.round, out: position });
}

/** The position of the round's first card, as it is stated, or counted back from the cut card's; null if unknown. */
function firstPosition(lines) {
  let dealt = 0;
  for (let at = 0; at < lines.length;) {
    const end = lineEnd(lines, at);
    const line = lines.subarray(at, end < 0 ? lines.length : end);
    at = end < 0 ? lines.length : end + 1;
    const text = line.length < LINE_BYTES ? textOf(line) : null;
    if (!POSITIONED.some((type) => text?.includes(type))) continue;
    const event = readLine(line).entry?.event;
    if (!POSITIONED.some((type) => type === `"type":"${event?.type}"`)) continue;
    if (event.position !== undefined) return Math.max(0, event.position - dealt);
    dealt++;
  }
  return null;
}

/** The shoe's lines are those in force, in the order of the stream, all before the round. */
function checkOrder({ checks: { chain, rules } }, { shoe, leaves }) {
  let [before, link] = [0, ""];
  for (const [place, { event, stream, version, prev }] of shoe.entries()) {
    if (!IN_FORCE.includes(event.type) || (place === 0) !== (event.type === "shoe-committed")) {
      rules.fail(version, `${event.type} has no place there in ${SHOE}`);
    }
    if (stream !== chain.stream) chain.fail(version, `of the stream ${stream}, where the round is of ${chain.stream}`);
    if (version <= before) chain.fail(version, `${SHOE} has version ${version} behind version ${before}`);
    if (version === before + 1 && prev !== link) chain.fail(version, "its link is not the hash of the line before it");
    if (event.type === "chips-carried" && version !== before + 1) {
      rules.fail(version, "chips-carried does not directly go on with the list before it");
    }
    [before, link] = [version, hexOf(leaves[place])];
  }
  if (shoe.length && before >= chain.said.first_version) {
    chain.fail(before, `${SHOE} goes beyond the beginning of the round`);
  }
  for (const type of ONCE) {
    if (shoe.filter(({ event }) => event.type === type).length > 1) rules.fail(0, `${SHOE} has more than one ${type}`);
  }
}

/** Each line of the shoe is in the log, where its version allows. */
async function checkProofs({ chapter, round: { shoe, leaves, manifest }, members, trusted, log: { check, seen } }) {
  const proofs = [...members.keys()].filter((name) => /^shoe-[0-9]+\.tlog-proof$/.test(name)).length;
  if (proofs !== leaves.length) check.fail(0, `${SHOE} has ${leaves.length} lines, and ${proofs} have proofs`);
  const judged = new Map(seen.note ? [[octetsOf(seen.note), seen.checkpoint]] : []);
  const places = [];
  for (const [at, leaf] of leaves.slice(0, proofs).entries()) {
    const proof = readMember(check, members, proofName(at + 1), readProof);
    if (!proof) continue;
    const note = octetsOf(proof.checkpoint);
    if (!judged.has(note)) {
      judged.set(note, await judgeNote(check, proof.checkpoint, { manifest, own: seen.own, trusted }));
    }
    const checkpoint = judged.get(note);
    if (checkpoint) checkInclusion(check, { checkpoint, proof, leaf, what: `line ${at + 1} of ${SHOE}` });
    if (at < shoe.length) places.push([proof.index, shoe[at].version]);
  }
  if (seen.index !== undefined && !chapter.isGivenUp) places.push([seen.index, chapter.checks.chain.said.last_version]);
  checkPlaces(check, places);
  const checkpoints = [...judged.values()].filter(Boolean).map(({ size, root }) => `${size} ${hexOf(root)}`);
  const roots = new Set(checkpoints);
  if (new Set([...roots].map((both) => both.split(" ")[0])).size !== roots.size) {
    check.fail(0, "two of the checkpoints are of one size, and of different trees");
  }
}

/** Entries of one stream stand in the log in the order of their versions, with room for those between. */
function checkPlaces(check, places) {
  for (const [at, [index, version]] of places.slice(1).entries()) {
    const [indexBefore, versionBefore] = places[at];
    if (version > versionBefore && index - indexBefore < BigInt(version - versionBefore)) {
      check.fail(version, `at ${index} in the log, too near to version ${versionBefore} at ${indexBefore}`);
    }
  }
}
