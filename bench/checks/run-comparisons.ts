import { writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { median, renderRows } from '../report.js';
import { positive } from '../settings.js';
import type { Comparison, PreparedComparisons } from './comparison.js';
import { type CheckFigures, measureChecks, warmUpChecks } from './measure-checks.js';

/** A benchmark inside this process: what it is called, what it compares, and what a reader has to know. */
export interface CheckBenchmark {
  /** As in `npm run bench -- NAME`. */
  readonly name: string;
  /** The name of one of its comparisons, for the help. */
  readonly example: string;
  /** Digits after the point of microseconds and ratios. */
  readonly digits: { readonly microseconds: number; readonly ratio: number };
  /** Lines of the report before its tables. */
  readonly preface: readonly string[];
  prepare(): Promise<PreparedComparisons>;
}

interface Settings {
  readonly milliseconds: number;
  readonly rounds: number;
  readonly only: readonly string[] | null;
  readonly writeTo: string | null;
}

const usage = ({ name, example }: CheckBenchmark): string => `npm run bench -- ${name} [options]
  --milliseconds N  length of each measured run (default 1000)
  --rounds N        rounds; in each, every row runs once (default 5)
  --only NAME       a comparison, as in "${example}"; may be repeated (default: all)
  --write FILE      also write the tables to a file
  --help`;

const readSettings = (args: readonly string[]): Settings | null => {
  const { values } = parseArgs({
    args: [...args],
    strict: true,
    options: {
      milliseconds: { type: 'string', default: '1000' },
      rounds: { type: 'string', default: '5' },
      only: { type: 'string', multiple: true },
      write: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return null;
  return {
    milliseconds: positive('milliseconds', values.milliseconds),
    rounds: positive('rounds', values.rounds),
    only: values.only ?? null,
    writeTo: values.write ?? null,
  };
};

/** Ratios are taken within a round, against the first row. */
const table = (
  { name, describes, rows }: Comparison,
  figures: readonly (readonly CheckFigures[])[],
  digits: CheckBenchmark['digits'],
): string => {
  const cells = rows.map((row, index) => {
    const own = figures[index] ?? [];
    const ratios = own.map((round, at) => (figures[0]?.[at]?.cpuUsPerCheck ?? Number.NaN) / round.cpuUsPerCheck);
    return [
      row.name,
      median(own.map(({ perSecond }) => perSecond)).toFixed(0),
      median(own.map(({ cpuUsPerCheck }) => cpuUsPerCheck)).toFixed(digits.microseconds),
      median(ratios).toFixed(digits.ratio),
    ];
  });
  const header = ['check', 'checks/s', 'CPU us/check', `CPU : ${rows[0]?.name ?? ''}`];
  return [`### ${name}: ${describes}`, '', ...renderRows(header, cells)].join('\n');
};

const compare = async (
  comparison: Comparison,
  { milliseconds, rounds }: Settings,
  digits: CheckBenchmark['digits'],
): Promise<string> => {
  const figures: CheckFigures[][] = comparison.rows.map(() => []);
  for (const row of comparison.rows) await warmUpChecks(row, milliseconds / 2);
  for (let round = 1; round <= rounds; round += 1) {
    console.error(`${comparison.name}: round ${round} of ${rounds}`);
    for (const [index, row] of comparison.rows.entries()) figures[index]?.push(await measureChecks(row, milliseconds));
  }
  return table(comparison, figures, digits);
};

/** Runs a benchmark with the arguments of the command line. */
export const runComparisons = async (benchmark: CheckBenchmark, args: readonly string[]): Promise<void> => {
  const settings = readSettings(args);
  if (settings === null) {
    console.log(usage(benchmark));
    return;
  }
  const { comparisons, remarks = [], stop } = await benchmark.prepare();
  try {
    const wanted = comparisons.filter(({ name }) => settings.only?.includes(name) ?? true);
    const known = comparisons.map(({ name }) => name).join(', ');
    if (wanted.length === 0) throw new Error(`there is no such comparison; known: ${known}`);
    const tables: string[] = [];
    const loads = [loadavg()[0] ?? 0];
    for (const comparison of wanted) {
      tables.push(await compare(comparison, settings, benchmark.digits));
      loads.push(loadavg()[0] ?? 0);
    }
    const preface = [
      `Node ${process.versions.node}, ${cpus()[0]?.model ?? 'unknown processor'}.`,
      `${settings.rounds} interleaved rounds of ${settings.milliseconds} ms, one check after the other.`,
      'CPU time of all threads. The ratio is the median of the rounds; above 1 is cheaper than the first row.',
      ...benchmark.preface,
      ...remarks,
      `The load of the host was ${Math.min(...loads).toFixed(1)} to ${Math.max(...loads).toFixed(1)}, this run included.`,
    ];
    const report = [preface.join('\n'), '', tables.join('\n\n'), ''].join('\n');
    console.log(`\n${report}`);
    if (settings.writeTo !== null) writeFileSync(settings.writeTo, report);
  } finally {
    await stop();
  }
};
