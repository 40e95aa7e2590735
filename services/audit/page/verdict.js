/** The verdict on a bundle: six checks, each passed, failed or not made, and what was found. */

import { Chapter } from "./chapter.js";
import { Check } from "./findings.js";
import { checkLog } from "./log.js";
import { readManifest } from "./manifest.js";
import { LOG_KEY, MAX_NOTE_BYTES, Unacceptable, keyOf } from "./note.js";
import { MAX_POLICY_BYTES, policyOfLog, readPolicy } from "./policy.js";
import { SHOE, examineRound, limitsOfARound } from "./rounds.js";
import { Unreadable, namesIn, unzip } from "./zip.js";

const MEMBERS = new Map([
  ["entries.jsonl", 2 ** 31 - 1],
  ["last.tlog-proof", 2 * MAX_NOTE_BYTES],
  ["checkpoint", MAX_NOTE_BYTES],
  ["policy", MAX_POLICY_BYTES],
  ["manifest.json", 1 << 12],
]);
const CHECKS = ["bytes", "chain", "log", "shoe", "rules", "money", "ledger"];
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
 * `{report, status, story, grade, seen, revealed, round}`: the report and the exit status; and for a reader what was
 * played, why the entropy has its grade, what was seen of the log, the seed, to be compared with other shoes', and the
 * round that was judged alone, if it is one.
 */
export async function examine(bytes, { trusted = null, signers = [], file = "", onProgress = () => {} } = {}) {
  const names = namesIn(bytes);
  const isRounds = names.includes(SHOE);
  const members = unzip(bytes, isRounds ? new Map([...MEMBERS, ...limitsOfARound(names)]) : MEMBERS);
  const manifest = readManifest(members.get("manifest.json"), { isRounds });
  if (!members.get("entries.jsonl").length) throw new Unreadable("the bundle has no entries");
  const bundle = { members, manifest, trusted, signers, onProgress };
  const { chapter, grade, log } = await (isRounds ? examineRound(bundle) : examineShoe(bundle));
  const { checks, story } = chapter;
  checks.log = log.check;
  checks.ledger = new Check("ledger");
  checks.ledger.skip("no ledger's statement was given");
  const made = CHECKS.map((name) => checks[name].report());
  const { table, shoe, round = null } = manifest;
  const complete = !isRounds && checks.chain.said.complete;
  const report = { file, table, shoe, complete, entropy: grade.grade, checks: made };
  const { revealed } = checks.shoe;
  return { report, status: statusOf(report), story, grade, seen: log.seen, revealed, round };
}

async function examineShoe({ members, manifest, trusted, signers, onProgress }) {
  const chapter = new Chapter(signers);
  await chapter.read(members.get("entries.jsonl"), onProgress);
  const grade = await chapter.end(manifest);
  const lastLeaf = chapter.isGivenUp ? null : chapter.leaf;
  return { chapter, grade, log: await checkLog({ members, manifest, lastLeaf, trusted }) };
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
