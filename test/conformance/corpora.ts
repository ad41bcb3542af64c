import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type CaseCounts, CaseTally, formatCounts } from './case-tally.js';
import { runCedarCorpus } from './cedar-corpus.js';
import { runHttp2Corpus } from './http2-corpus.js';
import { runLlhttpCorpus } from './llhttp-corpus.js';

/** A collection of official cases that this project knows how to run. */
interface Corpus {
  readonly name: string;
  /** Whether a folder holds it, by the names of its entries. */
  isIn(entries: readonly string[]): boolean;
  run(folder: string, tally: CaseTally): Promise<void>;
}

const corpora: readonly Corpus[] = [
  {
    name: 'llhttp',
    isIn: (entries) => entries.includes('request') && entries.includes('response'),
    run: runLlhttpCorpus,
  },
  {
    name: 'http2',
    isIn: (entries) => entries.some((entry) => /^(?:frame|hpack)-test-case/.test(entry)),
    run: runHttp2Corpus,
  },
  {
    name: 'cedar',
    isIn: (entries) => entries.some((entry) => entry === 'tests' || /\.tar\.gz$|\.cedar$/.test(entry)),
    run: runCedarCorpus,
  },
];

const foldersIn = (folder: string): readonly string[] =>
  readdirSync(folder)
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isDirectory());

const corpusIn = (folder: string): Corpus | undefined => {
  const entries = readdirSync(folder);
  return corpora.find(({ isIn }) => isIn(entries));
};

/** A run that could not begin: one clause with what to do. */
export type NoCorpus = { readonly problem: string };

/**
 * Runs every corpus that is the folder itself or lies directly in it. Prints progress, the first failures of each
 * corpus, a line with its counts, and a last line with the sum.
 */
export const runCorpora = async (folder: string, print: (line: string) => void): Promise<CaseCounts | NoCorpus> => {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) return { problem: `${folder} is not a folder` };
  const places = corpusIn(folder) === undefined ? foldersIn(folder) : [folder];
  const counts: CaseCounts[] = [];
  for (const place of places) {
    const corpus = corpusIn(place);
    if (corpus === undefined) {
      print(`${basename(place)}: not a corpus that this command knows; left out`);
      continue;
    }
    print(`${corpus.name}: ${place} ...`);
    const tally = new CaseTally(corpus.name, print);
    await corpus.run(place, tally);
    if (tally.counts.passed + tally.counts.failed === 0) tally.fail('the folder', 'has no case');
    print(`${corpus.name}: ${formatCounts(tally.counts)}`);
    counts.push(tally.counts);
  }
  if (counts.length === 0)
    return { problem: `${folder} has no corpus: give the folder that holds those of Cedar, llhttp or HTTP/2` };
  const sum = (of: (one: CaseCounts) => number): number => counts.reduce((total, one) => total + of(one), 0);
  const total = {
    passed: sum((one) => one.passed),
    failed: sum((one) => one.failed),
    skipped: sum((one) => one.skipped),
  };
  print(`\n${formatCounts(total)}`);
  return total;
};
