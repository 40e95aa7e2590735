/**
 * The verifier under Node: `node node.mjs [--log-key VKEY | --policy FILE] [--signer VKEY …] [--json] FILE…`, and
 * `… --receipt PROOF (--entry FILE | --leaf HEX)`.
 *
 * With --json it prints what `shoelog verify` prints, and it has its exit status. `-` reads the files' names from
 * standard input.
 */

import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { examineReceipt, leafTold } from "./receipt.js";
import { compareSeeds, examine, readOptions, unreadReport, worstOf } from "./verdict.js";
import { Unreadable } from "./zip.js";

const [UNREADABLE, WRONG_USAGE] = [3, 64];
const OPTIONS = {
  "log-key": { type: "string" },
  policy: { type: "string" },
  receipt: { type: "string" },
  entry: { type: "string" },
  leaf: { type: "string" },
  signer: { type: "string", multiple: true },
  json: { type: "boolean" },
};

function usage() {
  const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true });
  const policy = values.policy === undefined ? undefined : new Uint8Array(readFileSync(values.policy));
  const options = readOptions({ logKey: values["log-key"], policy, signers: values.signer });
  const { receipt, entry, leaf } = values;
  if (receipt !== undefined) {
    if (positionals.length || (entry === undefined) === (leaf === undefined)) {
      throw new Error("a receipt needs an entry or a leaf, and no file beside");
    }
    return { options, receipt, entry, leaf: leafTold(leaf ?? ""), isJson: values.json };
  }
  const files = positionals[0] === "-" ? readFileSync(0, "utf8").split("\n").filter(Boolean) : positionals;
  if (!files.length) throw new Error("no file is named");
  return { options, files, isJson: values.json };
}

async function verdictOf(file, options) {
  try {
    return await examine(new Uint8Array(readFileSync(file)), { ...options, file });
  } catch (error) {
    if (!(error instanceof Unreadable) && !error.code) throw error;
    return { status: UNREADABLE, report: unreadReport(file, error.message) };
  }
}

async function receiptOf({ receipt, entry, leaf, options }) {
  try {
    const line = entry === undefined ? null : new Uint8Array(readFileSync(entry)).subarray(0, 65536);
    const { trusted } = options;
    return await examineReceipt(new Uint8Array(readFileSync(receipt)), { entry: line, leaf, trusted, file: receipt });
  } catch (error) {
    if (!error.code) throw error;
    return { status: UNREADABLE, report: unreadReport(receipt, error.message) };
  }
}

function told({ report }) {
  const lines = report.checks.flatMap(({ check, result, findings }) => [
    `  ${check.padEnd(6)} ${result}`,
    ...findings.map(({ version, what }) => `         ${version || "-"}: ${what}`),
  ]);
  return [`${report.file}: table ${report.table}, shoe ${report.shoe}, entropy ${report.entropy}`, ...lines].join("\n");
}

async function main() {
  let asked;
  try {
    asked = usage();
  } catch (error) {
    console.error(error.message);
    return WRONG_USAGE;
  }
  const judged = asked.receipt === undefined ? [] : [await receiptOf(asked)];
  for (const file of asked.files ?? []) judged.push(await verdictOf(file, asked.options));
  const verdicts = compareSeeds(judged);
  const reports = verdicts.map(({ report }) => report);
  process.stdout.write(asked.isJson ? `${JSON.stringify(reports)}\n` : `${verdicts.map(told).join("\n")}\n`);
  return worstOf(verdicts.map(({ status }) => status));
}

process.exitCode = await main();
