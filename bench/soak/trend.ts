import { median } from '../report.js';

/** Figures of a part of the run. */
export interface Interval {
  readonly residentBytes: number;
  readonly descriptors: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** How a figure went from the begin of a run to its end. */
export interface Trend {
  readonly figure: string;
  readonly early: number;
  readonly late: number;
  /** How much more it may be at the end, as a share of the begin, and in its own unit where that is more. */
  readonly tolerated: { readonly share: number; readonly amount: number };
  readonly isFlat: boolean;
}

/** What the program fills as it warms up is no leak: the first part of a run is left out. */
const warmUpShare = 0.2;

const trendOf = (
  figure: string,
  values: readonly number[],
  tolerated: { readonly share: number; readonly amount: number },
): Trend => {
  const counted = values.slice(Math.floor(values.length * warmUpShare));
  const third = Math.max(1, Math.floor(counted.length / 3));
  const [early, late] = [median(counted.slice(0, third)), median(counted.slice(-third))];
  return {
    figure,
    early,
    late,
    tolerated,
    isFlat: late - early <= Math.max(tolerated.amount, early * tolerated.share),
  };
};

/** The median of the first third after the warm-up beside that of the last. */
export const trendsOf = (intervals: readonly Interval[]): readonly Trend[] => [
  trendOf(
    'memory MiB',
    intervals.map(({ residentBytes }) => residentBytes / 1_048_576),
    { share: 0.05, amount: 8 },
  ),
  trendOf(
    'descriptors',
    intervals.map(({ descriptors }) => descriptors),
    { share: 0.05, amount: 6 },
  ),
  trendOf(
    'p50 ms',
    intervals.map(({ p50Ms }) => p50Ms),
    { share: 0.25, amount: 0.5 },
  ),
  trendOf(
    'p99 ms',
    intervals.map(({ p99Ms }) => p99Ms),
    { share: 0.5, amount: 5 },
  ),
];
