import fc from 'fast-check';
import { expect, it } from 'vitest';
import { AgentMetricsBook } from '../../../../src/domain/agent-protocol/agent-metrics/agent-metrics-book.js';
import type { AgentMetricFamily } from '../../../../src/domain/agent-protocol/agent-metrics/metric-family.js';
import type { MetricsReport } from '../../../../src/domain/agent-protocol/metrics-report.js';
import { metricsReport, reportedHistogram, reportedValue } from '../../../support/shared/metrics-reports.js';

/** All exposed numbers that must not decrease, by series. */
const totalsOf = (families: readonly AgentMetricFamily[]): ReadonlyMap<string, number> => {
  const totals = new Map<string, number>();
  const put = (value: number, ...key: readonly unknown[]): void => {
    expect(totals.has(JSON.stringify(key))).toBe(false);
    totals.set(JSON.stringify(key), value);
  };
  for (const { name, ...family } of families) {
    if (family.type === 'counter') for (const { labels, value } of family.series) put(value, name, labels);
    if (family.type !== 'histogram') continue;
    for (const { labels, sum, buckets } of family.series) {
      put(sum, name, labels);
      for (const { le, count } of buckets) put(count, name, labels, String(le));
    }
  }
  return totals;
};

const linesOf = (families: readonly AgentMetricFamily[]): number => {
  let lines = 0;
  for (const family of families) {
    for (const series of family.series) lines += 'buckets' in series ? series.buckets.length + 2 : 1;
  }
  return lines;
};

const anyNumber = fc.oneof(
  fc.nat(20),
  fc.double(),
  fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, -1, 2 ** 64, 2 ** 70, 0.1),
);
const anyName = fc.oneof(fc.constantFrom('a', 'b', 'a_sum', 'a_bucket', 'own', '', 'x y'), fc.string({ maxLength: 3 }));
const anyLabels = fc.dictionary(fc.constantFrom('x', 'y', 'le', 'agent', '__n', 'a b'), fc.string({ maxLength: 2 }), {
  maxKeys: 3,
});
const anyValue = fc.record({ name: anyName, help: fc.constant(null), labels: anyLabels, value: anyNumber });
const anyHistogram = fc.oneof(
  fc.record({
    name: anyName,
    help: fc.constant(null),
    labels: anyLabels,
    sum: anyNumber,
    count: anyNumber,
    buckets: fc.array(fc.record({ le: anyNumber, count: anyNumber }), { maxLength: 4 }),
  }),
  fc
    .tuple(anyName, fc.nat(9), fc.nat(9), fc.nat(9))
    .map(([name, one, two, sum]) => reportedHistogram([one, one + two], sum, { name })),
);
const anyReport: fc.Arbitrary<MetricsReport> = fc.record({
  agentId: fc.constantFrom('one', 'two', 'three'),
  timestampMs: fc.oneof(fc.nat(5), anyNumber),
  intervalMs: anyNumber,
  counters: fc.array(anyValue, { maxLength: 5 }),
  gauges: fc.array(anyValue, { maxLength: 3 }),
  histograms: fc.array(anyHistogram, { maxLength: 3 }),
});

it('totals never decrease or get lost, for any reports in any order', () => {
  const step = fc.record({
    agent: fc.constantFrom('auth', 'waf'),
    report: anyReport,
    ends: fc.boolean(),
    waitMs: fc.constantFrom(0, 1_000, 1_000, 10_000, 1_000_000),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
      const book = new AgentMetricsBook(new Set(['gateway_agent_own']));
      book.keep(new Set(['auth', 'waf']));
      let nowMs = 0;
      let before = { auth: new Map() as ReadonlyMap<string, number>, waf: new Map() as ReadonlyMap<string, number> };
      const totals = () => {
        const families = book.families(nowMs);
        const of = (agent: string) =>
          totalsOf(
            families.map(
              (family) =>
                ({ ...family, series: family.series.filter((one) => one.agent === agent) }) as AgentMetricFamily,
            ),
          );
        expect(new Set(families.map(({ name }) => name)).size).toBe(families.length);
        return { auth: of('auth'), waf: of('waf') };
      };
      for (const { agent, report, ends, waitMs } of steps) {
        nowMs += waitMs;
        book.take(agent, report, nowMs);
        if (ends) book.ended(agent, report.agentId);
        const after = totals();
        for (const name of ['auth', 'waf'] as const) {
          for (const [key, value] of before[name]) expect(after[name].get(key)).toBeGreaterThanOrEqual(value);
        }
        before = after;
      }
    }),
    { numRuns: 300 },
  );
});

it('no sequence of reports exceeds the limits', () => {
  const crowd = fc.record({
    agentId: fc.nat(40),
    size: fc.constantFrom(1, 100, 600),
    prefix: fc.constantFrom('a', 'b', 'c'),
    kind: fc.constantFrom('families', 'series', 'gauges', 'histograms'),
  });
  fc.assert(
    fc.property(fc.array(crowd, { maxLength: 12 }), (crowds) => {
      const book = new AgentMetricsBook(new Set());
      book.keep(new Set(['auth']));
      crowds.forEach(({ agentId, size, prefix, kind }, index) => {
        const each = <Item>(make: (name: string) => Item) =>
          Array.from({ length: size }, (_, number) => make(`${prefix}${number}`));
        book.take(
          'auth',
          metricsReport({
            agentId: `${agentId}`,
            counters: kind === 'families' ? each((name) => reportedValue(1, name)) : [],
            gauges: kind === 'gauges' ? each((id) => reportedValue(1, `g${prefix}`, { id })) : [],
            histograms:
              kind === 'histograms' ? each((id) => reportedHistogram([1, 2], 1, { name: 'h', labels: { id } })) : [],
            ...(kind === 'series' && { counters: each((id) => reportedValue(1, prefix, { id })) }),
          }),
          index * 1_000,
        );
        const families = book.families(index * 1_000);
        expect(families.length).toBeLessThanOrEqual(64);
        expect(linesOf(families)).toBeLessThanOrEqual(512);
      });
    }),
    { numRuns: 40 },
  );
});

/**
 * An agent that counts, restarts under another id, and reports over connections that delay and repeat. The model keeps
 * the last reported totals of each life.
 */
it('the exposition is the sum over all lives of an agent, for late and repeated reports', () => {
  const act = fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('count' as const), more: fc.integer({ min: 1, max: 9 }) }) },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('report' as const) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('repeat' as const), back: fc.nat(4) }) },
  );
  fc.assert(
    fc.property(fc.array(act, { maxLength: 40 }), (acts) => {
      const book = new AgentMetricsBook(new Set());
      book.keep(new Set(['auth']));
      let life = 0;
      let counted = 0;
      let nowMs = 0;
      const sent: MetricsReport[] = [];
      const truth = new Map<string, number>();
      for (const one of acts) {
        nowMs += 1_000;
        if (one.kind === 'count') counted += one.more;
        if (one.kind === 'restart') {
          book.ended('auth', `life-${life}`);
          life += 1;
          counted = 0;
        }
        if (one.kind === 'report') {
          const report = metricsReport({
            agentId: `life-${life}`,
            timestampMs: nowMs,
            counters: [reportedValue(counted)],
            histograms: [reportedHistogram([Math.floor(counted / 2), counted], counted)],
          });
          sent.push(report);
          truth.set(report.agentId, counted);
          book.take('auth', report, nowMs);
        }
        const late = one.kind === 'repeat' ? sent.at(-1 - one.back) : undefined;
        if (late !== undefined) book.take('auth', late, nowMs);
        const expected = [...truth.values()].reduce((sum, value) => sum + value, 0);
        const [counter, histogram] = book.families(nowMs);
        if (truth.size === 0) continue;
        expect(counter?.series).toEqual([{ agent: 'auth', labels: {}, value: expected }]);
        expect(histogram?.series).toMatchObject([{ sum: expected, buckets: [{}, { count: expected }] }]);
      }
    }),
    { numRuns: 300 },
  );
});
