import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NodeCorpusFiles } from '../../src/adapters/outbound/node-corpus-files/node-corpus-files.js';
import { type CorpusResult, runPolicyCorpus } from '../../src/application/agent/policy-tools/run-policy-corpus.js';
import type { CorpusFiles } from '../../src/application/ports/agent/policy-files.js';
import { corpusInMemory } from '../support/agent/policy-corpus-files.js';
import type { CaseTally } from './case-tally.js';
import { readTarArchive } from './tar-archive.js';

interface ExpectedRequest {
  readonly decision: string;
  readonly reason: readonly string[];
  readonly errors: readonly string[];
}

/** What the requests of a case are expected to come to, by the name of the case. */
type ExpectedRequests = ReadonlyMap<string, readonly ExpectedRequest[]>;

const suffix = '.json';
const caseKeys = ['policies', 'entities', 'requests'];

/**
 * Null where the file is not a case, or not JSON, which the code under test reports. Finds cases independently of
 * that code, so that none is lost.
 */
const expectedRequests = (text: string): readonly ExpectedRequest[] | null => {
  if (text.trimStart().startsWith('[') || !caseKeys.every((key) => text.includes(`"${key}"`))) return null;
  try {
    const { requests } = JSON.parse(text) as { readonly requests?: unknown };
    return Array.isArray(requests) ? requests : null;
  } catch {
    return null;
  }
};

const expectedOf = (texts: Iterable<readonly [path: string, text: string]>): ExpectedRequests => {
  const expected = new Map<string, readonly ExpectedRequest[]>();
  for (const [path, text] of texts) {
    const requests = path.endsWith(suffix) ? expectedRequests(text) : null;
    if (requests !== null) expected.set(path.slice(0, -suffix.length), requests);
  }
  return expected;
};

const verdictText = (decision: string, reason: readonly string[], errors: readonly string[]): string =>
  `${decision}, reason [${reason.toSorted().join(' ')}], errors [${errors.toSorted().join(' ')}]`;

const differenceOf = (line: CorpusResult | undefined, expected: ExpectedRequest): string | null => {
  if (line === undefined) return 'was not evaluated';
  if ('error' in line) return line.error;
  const actual = verdictText(line.decision, line.reason, line.errors);
  const wanted = verdictText(expected.decision, expected.reason, expected.errors);
  return actual === wanted ? null : `${actual}; expected ${wanted}`;
};

const compare = async (files: CorpusFiles, expected: ExpectedRequests, tally: CaseTally): Promise<void> => {
  const lines = new Map<string, CorpusResult>();
  const broken = new Map<string, string>();
  const outcome = await runPolicyCorpus(files, {
    line: async (line) => {
      if ('request' in line) lines.set(`${line.case} request ${line.request}`, line);
      else broken.set(line.case, line.error);
    },
    complaint: () => undefined,
    remark: () => undefined,
    progress: () => undefined,
  });
  if (!outcome.ok) return tally.fail('the cases', outcome.error);
  for (const [name, error] of broken) tally.fail(name, error);
  for (const [name, requests] of expected)
    for (const [index, request] of requests.entries()) {
      const place = `${name} request ${index}`;
      tally.count(place, differenceOf(lines.get(place), request));
      lines.delete(place);
    }
  for (const place of lines.keys()) tally.fail(place, 'was evaluated, but the case has no such request');
};

const jsonFilesOf = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith(suffix));

/**
 * Runs integration tests of the Cedar project: the cases in the folder and below it, and those of each `*.tar.gz` in
 * it. A request is a case of the tally; its decision, the determining policies and the policies with errors have to
 * agree.
 */
export const runCedarCorpus = async (folder: string, tally: CaseTally): Promise<void> => {
  const loose = jsonFilesOf(folder).map((path) => [path, readFileSync(join(folder, path), 'utf8')] as const);
  const expected = expectedOf(loose);
  if (expected.size > 0) await compare(new NodeCorpusFiles(folder), expected, tally);
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.tar.gz'))) {
    const texts = readTarArchive(readFileSync(join(folder, name)));
    await compare(corpusInMemory(texts), expectedOf(texts), tally);
  }
};
