import { cpus } from 'node:os';
import type { Measurement } from './measure.js';
import type { Scenario } from './scenarios.js';

/** Every round of one proxy in one scenario, a null where the round was thrown away. */
export interface Series {
  readonly name: string;
  readonly describes: string;
  readonly rounds: readonly (Measurement | null)[];
}

const baseline = 'nginx';

export const median = (values: readonly number[]): number => {
  const sorted = values.filter((value) => !Number.isNaN(value)).sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const high = sorted[middle];
  if (high === undefined) return Number.NaN;
  return sorted.length % 2 === 1 ? high : (high + (sorted[middle - 1] ?? high)) / 2;
};

const kept = (series: Series): Measurement[] => series.rounds.filter((round) => round !== null);

/** The median of the ratios of the rounds in which both were measured; above 1 is better than the baseline. */
const ratio = (series: Series, base: Series | undefined, of: (round: Measurement, base: Measurement) => number) =>
  median(
    series.rounds.flatMap((round, index) => {
      const other = base?.rounds[index] ?? null;
      return round === null || other === null ? [] : [of(round, other)];
    }),
  );

const shown = (value: number, digits: number): string => (Number.isNaN(value) ? '-' : value.toFixed(digits));

/**
 * Lines of a Markdown table whose columns are as wide as their widest cell; the first is a name, the others numbers.
 */
export const renderRows = (header: readonly string[], rows: readonly (readonly string[])[]): readonly string[] => {
  const widths = header.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => (row[column] ?? '').length)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`;
  const rule = `|${widths.map((width, column) => (column === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`;
  return [line(header), rule, ...rows.map(line)];
};

/** The rows of one scenario as a Markdown table, which reads well on a terminal too. */
export const renderTable = (scenario: Scenario, all: readonly Series[]): string => {
  const base = all.find(({ name }) => name === baseline);
  const header = [
    'proxy',
    'req/s',
    'CPU us/req',
    'p50 ms',
    'p99 ms',
    'errors',
    'req/s : nginx',
    'CPU : nginx',
    'rounds',
  ];
  const rows = all.map((series) => {
    const rounds = kept(series);
    const middle = (of: (round: Measurement) => number): number => median(rounds.map(of));
    return [
      series.name,
      shown(
        middle(({ requestsPerSecond }) => requestsPerSecond),
        0,
      ),
      shown(
        middle(({ cpuUsPerRequest }) => cpuUsPerRequest),
        1,
      ),
      shown(
        middle(({ p50Ms }) => p50Ms),
        2,
      ),
      shown(
        middle(({ p99Ms }) => p99Ms),
        2,
      ),
      String(rounds.reduce((sum, { errors }) => sum + errors, 0)),
      shown(
        ratio(series, base, (mine, theirs) => mine.requestsPerSecond / theirs.requestsPerSecond),
        2,
      ),
      shown(
        ratio(series, base, (mine, theirs) => theirs.cpuUsPerRequest / mine.cpuUsPerRequest),
        2,
      ),
      `${rounds.length}/${series.rounds.length}`,
    ];
  });
  return [`### ${scenario.name}: ${scenario.describes}`, '', ...renderRows(header, rows)].join('\n');
};

/** What the figures were taken on, and how they read. */
export const renderPreface = (upstream: string, rounds: number, seconds: number, connections: number): string =>
  [
    `Node ${process.versions.node}, ${cpus()[0]?.model ?? 'unknown processor'}; upstream: ${upstream}.`,
    `${rounds} interleaved rounds of ${seconds} s, ${connections} keep-alive connections, proxy on core 0, generator and upstream on core 1.`,
    'Medians of the rounds. The ratios are medians of the ratios within a round; above 1 is better than nginx.',
  ].join('\n');
