/** The verdict on a bundle: six checks, each passed, failed or not made, and what was found. */

import { lineEnd } from "./bytes.js";
import { ChainCheck } from "./chain.js";
import { readLine } from "./entry.js";
import { Check, MOST_FINDINGS } from "./findings.js";
import { checkLog } from "./log.js";
import { readManifest } from "./manifest.js";
import { MoneyCheck } from "./money.js";
import { LOG_KEY, MAX_NOTE_BYTES, Unacceptable, keyOf } from "./note.js";
import { RulesCheck } from "./phases.js";
import { MAX_POLICY_BYTES, policyOfLog, readPolicy } from "./policy.js";
import { ShoeCheck } from "./sealed.js";
import { Story } from "./story.js";
import { Unreadable, unzip } from "./zip.js";

const MEMBERS = new Map([
  ["entries.jsonl", 2 ** 31 - 1],
  ["last.tlog-proof", 2 * MAX_NOTE_BYTES],
  ["checkpoint", MAX_NOTE_BYTES],
  ["policy", MAX_POLICY_BYTES],
  ["manifest.json", 1 << 12],
]);
const CHECKS = ["bytes", "chain", "log", "shoe", "rules", "money", "ledger"];
const SLICE_MILLISECONDS = 40;
const [PASSED, FAILED, INCOMPLETE, UNREADABLE] = [0, 1, 2, 3];
const WORST_FIRST = [FAILED, UNREADABLE, INCOMPLETE, PASSED];

/** What the command line and the page are told by their user. Throws Unacceptable for what is no key or policy. */
export function readOptions({ logKey, policy, signers = [] }) {
  if (logKey && policy) throw new Unacceptable("give the log's key or a policy, not both");
  const trusted = policy ? readPolicy(policy) : logKey ? policyOfLog(keyOfKind(logKey)) : null;
  return { trusted, signers: signers.map(keyOfKind) };
}

function keyOfKind(vkey) {
  const key = keyOf(vkey.trim());
  if (key.kind !== LOG_KEY) throw new Unacceptable("a witness's key, where a log's or a signer's belongs");
  return key;
}

/** The report on a bundle's bytes, in the shape of `shoelog verify --json`. Throws Unreadable. */
export async function verify(bytes, options = {}, file = "") {
  return (await examine(bytes, { ...options, file })).report;
}

/**
 * `{report, status, story, grade, seen, revealed}`: the report and the exit status; and for a reader what was played,
 * why the entropy has its grade, what was seen of the log, and the seed, to be compared with other shoes'.
 */
export async function examine(bytes, { trusted = null, signers = [], file = "", onProgress = () => {} } = {}) {
  const members = unzip(bytes, MEMBERS);
  const manifest = readManifest(members.get("manifest.json"));
  const lines = members.get("entries.jsonl");
  if (!lines.length) throw new Unreadable("the bundle has no entries");
  const checks = {
    bytes: new Check("bytes"),
    chain: new ChainCheck(),
    shoe: new ShoeCheck(signers),
    rules: new RulesCheck(),
    money: new MoneyCheck(),
  };
  const story = new Story();
  const lastLeaf = await readEntries(lines, { checks, story, onProgress });
  for (const check of [checks.chain, checks.rules, checks.money]) check.end(manifest);
  const grade = await checks.shoe.end();
  const log = await checkLog({ members, manifest, lastLeaf, trusted });
  checks.log = log.check;
  checks.ledger = new Check("ledger");
  checks.ledger.skip("no ledger's statement was given");
  const made = CHECKS.map((name) => checks[name].report());
  const { table, shoe } = manifest;
  const report = { file, table, shoe, complete: checks.chain.said.complete, entropy: grade.grade, checks: made };
  return { report, status: statusOf(report), story, grade, seen: log.seen, revealed: checks.shoe.revealed };
}

/**
 * Show every line to every check, a stretch at a time, so that a page stays alive meanwhile.
 *
 * Gives the last line's leaf, or null when so many lines are no entries that reading on would tell nothing.
 */
async function readEntries(lines, { checks, story, onProgress }) {
  let [at, leaf] = [0, null];
  let due = Date.now() + SLICE_MILLISECONDS;
  while (at < lines.length) {
    const end = lineEnd(lines, at);
    const read = readLine(lines.subarray(at, end < 0 ? lines.length : end));
    if (showLine(read, { checks, story })) return null;
    if (end < 0) checks.bytes.fail(0, "the last line has no LF behind it");
    leaf = read.leaf;
    at = end < 0 ? lines.length : end + 1;
    if (Date.now() < due) continue;
    onProgress(at / lines.length);
    await new Promise((resolve) => setTimeout(resolve));
    due = Date.now() + SLICE_MILLISECONDS;
  }
  return leaf;
}

/** Show one line to every check; tell whether it is one too many that is no entry. */
function showLine(read, { checks, story }) {
  const { place, entry, complaint, isNewer, leaf } = read;
  const { chain, bytes, shoe, rules, money } = checks;
  chain.take(read);
  const version = place?.version ?? chain.said.last_version;
  if (complaint) bytes.fail(version, complaint);
  if (isNewer) bytes.skip(`version ${version} is of a schema that is not known here`);
  if (place) rules.takeCommand(version, place);
  if (!entry) {
    for (const check of [shoe, rules, money])
      check.skip(`version ${version} cannot be read, and nothing behind it was checked`);
    story.isCut = true;
  } else if (!story.isCut) {
    const { stream, at, actor, command, event } = entry;
    for (const check of [shoe, rules, money, story]) check.take({ version, stream, at, actor, command, event, leaf });
  }
  if (bytes.found.length < MOST_FINDINGS) return false;
  const why = `the entries were not read to their end: ${MOST_FINDINGS} of them are none`;
  for (const check of [chain, shoe, rules, money]) check.skip(why);
  chain.said.complete = false;
  return true;
}

function statusOf({ checks }) {
  const results = checks.filter(({ check }) => check !== "ledger").map(({ result }) => result);
  return results.includes("failed") ? FAILED : results.includes("not-checked") ? INCOMPLETE : PASSED;
}

/** The report on a file that cannot be read. */
export function unreadReport(file, why) {
  const findings = [{ version: 0, what: `the file could not be read: ${why}` }];
  const checks = CHECKS.map((check) => ({ check, result: "not-checked", findings }));
  return { file, table: null, shoe: null, complete: false, entropy: null, checks };
}

/** The verdicts of several files, after a look at their seeds: one seed for two shoes fails both. */
export function compareSeeds(verdicts) {
  const shoes = new Map();
  for (const { revealed } of verdicts) {
    if (revealed?.seed) shoes.set(revealed.seed, (shoes.get(revealed.seed) ?? new Set()).add(revealed.shoeId));
  }
  return verdicts.map((verdict) => {
    const others = [...(shoes.get(verdict.revealed?.seed) ?? [])].filter((id) => id !== verdict.revealed.shoeId);
    return others.length ? withSeedSeen(verdict, others.sort()) : verdict;
  });
}

function withSeedSeen(verdict, others) {
  const finding = { version: verdict.revealed.version, what: `the seed is also that of shoe ${others.join(", ")}` };
  const checks = verdict.report.checks.map((check) => {
    if (check.check !== "shoe") return check;
    const found = check.result === "failed" ? check.findings : [];
    return { ...check, result: "failed", findings: [...found, finding] };
  });
  const report = { ...verdict.report, checks };
  return { ...verdict, report, status: statusOf(report) };
}

/** Of several files the worst status counts. */
export function worstOf(statuses) {
  return WORST_FIRST.find((status) => statuses.includes(status)) ?? UNREADABLE;
}
