// npm run corpus -- FOLDER|ARCHIVE.tar.gz: runs `gateway-auth policy corpus` over a folder in the format of Cedar's integration
// tests, and compares decisions, reasons and errors with what the cases expect. Exit code 1 where anything differs.
import './node-floor.mjs';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { namesOfCases } from './corpus-cases.mjs';
import { inRoot } from './paths.mjs';
import { runTool } from './run-tool.mjs';
import { ensureBuilt, ensureInstalled, SetUpError } from './set-up.mjs';

/** @typedef {{ decision: string, reason: string[], errors: string[] }} Outcome */
/** @typedef {{ case: string, request?: number, error?: string } & Partial<Outcome>} Line */

/** Differences that are shown in full. */
const shownDifferences = 50;

const totals = { cases: 0, requests: 0, allowed: 0, denied: 0, withErrors: 0, differences: 0 };

/** @param {string} text */
const differ = (text) => {
  totals.differences += 1;
  if (totals.differences <= shownDifferences) console.log(`DIFFERS ${text}`);
};

/** @param {string[] | undefined} ids */
const inOrder = (ids) => JSON.stringify([...(ids ?? [])].sort());

/** @param {Partial<Outcome>} outcome */
const asText = ({ decision, reason, errors }) => `${decision}, reason ${inOrder(reason)}, errors ${inOrder(errors)}`;

/**
 * What a case expects, by its requests.
 * @param {string} folder
 * @param {string} name
 * @returns {Outcome[]}
 */
const expectedOf = (folder, name) => JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')).requests;

/**
 * @param {Line} line
 * @param {Outcome | undefined} expected
 */
const compareRequest = (line, expected) => {
  totals.requests += 1;
  if (line.decision === 'allow') totals.allowed += 1;
  if (line.decision === 'deny') totals.denied += 1;
  if ((line.errors ?? []).length > 0) totals.withErrors += 1;
  const place = `${line.case} request ${line.request}`;
  if (line.error !== undefined) differ(`${place}: ${line.error}`);
  else if (expected === undefined) differ(`${place}: the case has no such request`);
  else if (asText(line) !== asText(expected)) differ(`${place}: is ${asText(line)}; expected ${asText(expected)}`);
};

/**
 * Compares the lines of one case.
 * @param {string} folder
 * @param {string} name
 * @param {Line[]} lines
 */
const compareCase = (folder, name, lines) => {
  totals.cases += 1;
  const broken = lines.find(({ request }) => request === undefined);
  if (broken !== undefined) return differ(`${name}: ${broken.error}`);
  const expected = expectedOf(folder, name);
  for (const [index, line] of lines.entries()) {
    if (line.request !== index) differ(`${name}: request ${index} was expected, not ${line.request}`);
    compareRequest(line, expected[line.request ?? -1]);
  }
  if (lines.length < expected.length) differ(`${name}: ${lines.length} of ${expected.length} requests were evaluated`);
};

/**
 * Runs the command and hands over what it says of each case; gives its exit code.
 * @param {string} folder
 * @param {(name: string, lines: Line[]) => void} onCase
 * @returns {Promise<number>}
 */
const runCommand = async (folder, onCase) => {
  const child = spawn(
    process.execPath,
    [inRoot('dist', 'programs', 'main-gateway-auth.js'), 'policy', 'corpus', folder],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const ended = new Promise((done) => child.on('close', (code) => done(code ?? 1)));
  /** @type {Line[]} */
  let gathered = [];
  const handOver = () => {
    if (gathered[0] !== undefined) onCase(gathered[0].case, gathered);
  };
  for await (const text of createInterface({ input: child.stdout })) {
    /** @type {Line} */
    const line = JSON.parse(text);
    if (gathered[0] !== undefined && gathered[0].case !== line.case) {
      handOver();
      gathered = [];
    }
    gathered.push(line);
  }
  handOver();
  return ended;
};

/** @param {string} folder */
const compareFolder = async (folder) => {
  const missing = new Set(namesOfCases(folder));
  const code = await runCommand(folder, (name, lines) => {
    missing.delete(name);
    compareCase(folder, name, lines);
  });
  for (const name of missing) if (expectedOf(folder, name)?.length !== 0) differ(`${name}: was not evaluated`);
  if (code !== 0) differ(`the command ended with ${code}`);
  const { cases, requests, allowed, denied, withErrors, differences } = totals;
  if (differences > shownDifferences) console.log(`... and ${differences - shownDifferences} more`);
  console.log(
    `${cases} cases, ${requests} requests (${allowed} allow, ${denied} deny, ${withErrors} with errors): ` +
      (differences === 0 ? 'all agree' : `${differences} differences`),
  );
  return differences === 0 ? 0 : 1;
};

/** @param {string} archive */
const compareArchive = async (archive) => {
  const folder = mkdtempSync(join(tmpdir(), 'policy-corpus-'));
  try {
    const { code, output } = await runTool('tar', ['-xzf', archive, '-C', folder], { quiet: true });
    if (code !== 0) throw new SetUpError(`${archive} cannot be unpacked: ${output.trim()}`);
    return await compareFolder(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const main = async () => {
  const [given, ...others] = process.argv.slice(2);
  if (given === undefined || others.length > 0) {
    console.error('usage: npm run corpus -- FOLDER|ARCHIVE.tar.gz');
    return 2;
  }
  const path = resolve(given);
  try {
    const isFolder = statSync(path).isDirectory();
    await ensureInstalled('1/2');
    await ensureBuilt('2/2');
    return isFolder ? await compareFolder(path) : await compareArchive(path);
  } catch (error) {
    if (!(error instanceof SetUpError) && !(error instanceof Error && 'code' in error)) throw error;
    console.error(`error: ${error.message}`);
    return 1;
  }
};

process.exitCode = await main();
