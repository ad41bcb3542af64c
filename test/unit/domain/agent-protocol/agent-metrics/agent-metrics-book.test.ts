import { beforeEach, describe, expect, it } from 'vitest';
import { AgentMetricsBook } from '../../../../../src/domain/agent-protocol/agent-metrics/agent-metrics-book.js';
import type { MetricsReport, ReportedHistogram } from '../../../../../src/domain/agent-protocol/metrics-report.js';
import {
  metricsReport,
  reportedHistogram,
  reportedValue,
  seriesLines,
} from '../../../../support/shared/metrics-reports.js';

let book: AgentMetricsBook;
let nowMs: number;

beforeEach(() => {
  book = new AgentMetricsBook(new Set(['gateway_agent_latency_seconds', 'gateway_agent_latency_seconds_count']));
  book.keep(new Set(['auth']));
  nowMs = 0;
});

/** A report one second after the last one, so that it is read. */
const take = (changes: Partial<MetricsReport>, agent = 'auth') => {
  nowMs += 1_000;
  return book.take(agent, metricsReport(changes), nowMs);
};
const count = (value: number, agentId = 'one', timestampMs = 1_000) =>
  take({ agentId, timestampMs, counters: [reportedValue(value)] });
const gauge = (value: number, agentId = 'one', intervalMs = 10_000) =>
  take({ agentId, intervalMs, gauges: [reportedValue(value, 'sessions')] });
const histogram = (counts: readonly number[], sum = 1, agentId = 'one') =>
  take({ agentId, histograms: [reportedHistogram(counts, sum)] });
const lines = () => seriesLines(book.families(nowMs));

describe('a counter', () => {
  it('is the last report of an agent id', () => {
    count(3);
    count(3);
    count(5);
    expect(lines()).toEqual(['things_total auth {} 5']);
  });

  it('is the sum over all agent ids, including ended ones', () => {
    count(3, 'one');
    count(4, 'two');
    book.ended('auth', 'one');
    nowMs = 1e9;
    count(6, 'two');
    expect(lines()).toEqual(['things_total auth {} 9']);
  });

  it('continues after an agent restarts under its id', () => {
    count(10);
    count(2);
    count(3);
    expect(lines()).toEqual(['things_total auth {} 13']);
  });

  it('does not count a returning agent twice', () => {
    count(10);
    nowMs = 1e9;
    count(11);
    expect(lines()).toEqual(['things_total auth {} 11']);
  });

  it('ignores a report older than the last one', () => {
    count(10, 'one', 2_000);
    expect(count(9, 'one', 1_000)).toBeNull();
    count(11, 'one', 3_000);
    expect(lines()).toEqual(['things_total auth {} 11']);
  });

  it("continues some intervals after the agent's clock went back", () => {
    count(10, 'one', 1e12);
    nowMs = 29_000;
    count(12, 'one', 5_000);
    expect(lines()).toEqual(['things_total auth {} 10']);
    nowMs = 31_000;
    count(13, 'one', 7_000);
    expect(lines()).toEqual(['things_total auth {} 13']);
  });

  it('has one series for each set of labels', () => {
    const labels = { method: 'jwt', reason: 'expired' };
    take({ counters: [reportedValue(1, 'a', labels), reportedValue(7, 'a', { method: 'mtls' })] });
    take({ counters: [reportedValue(2, 'a', { reason: 'expired', method: 'jwt' })] });
    expect(lines()).toEqual(['a auth {"method":"jwt","reason":"expired"} 2', 'a auth {"method":"mtls"} 7']);
  });

  it('has one series for an empty label and for none', () => {
    expect(take({ counters: [reportedValue(1, 'a', { x: '' }), reportedValue(5, 'a', {})] })).toEqual({
      count: 1,
      reason: 'it comes twice',
    });
    expect(lines()).toEqual(['a auth {} 1']);
  });

  it('may be as large as the wire allows', () => {
    expect(count(2 ** 64)).toBeNull();
    expect(lines()).toEqual([`things_total auth {} ${2 ** 64}`]);
  });
});

describe('a gauge', () => {
  it('of the store that the embedded agents of all workers share is not counted once for each of them', () => {
    for (const [agentId, sessions] of [
      ['one', 5],
      ['two', 7],
      ['three', 6],
    ] as const) {
      take({ agentId, intervalMs: 10_000, gauges: [reportedValue(sessions, 'saml_sessions_active')] });
    }
    expect(lines()).toEqual(['saml_sessions_active auth {} 7']);
    book.ended('auth', 'two');
    expect(lines()).toEqual(['saml_sessions_active auth {} 6']);
  });

  it('of the end of a certificate is the earliest of all agents', () => {
    const name = 'saml_certificate_expiry_timestamp_seconds';
    take({ agentId: 'one', intervalMs: 10_000, gauges: [reportedValue(5, name)] });
    take({ agentId: 'two', intervalMs: 10_000, gauges: [reportedValue(3, name)] });
    expect(lines()).toEqual([`${name} auth {} 3`]);
    book.ended('auth', 'two');
    expect(lines()).toEqual([`${name} auth {} 5`]);
  });

  it('is the sum of current values', () => {
    gauge(5, 'one');
    gauge(7, 'two');
    gauge(-1, 'two');
    expect(lines()).toEqual(['sessions auth {} 4']);
  });

  it('expires with its report, or after three intervals', () => {
    gauge(5, 'one', 20_000);
    gauge(7, 'two', 10_000);
    nowMs = 32_001;
    expect(lines()).toEqual(['sessions auth {} 5']);
    nowMs = 61_001;
    expect(lines()).toEqual([]);
    gauge(1, 'one');
    take({});
    expect(lines()).toEqual([]);
  });

  it('vanishes with its agent', () => {
    gauge(5, 'one');
    gauge(7, 'two');
    book.ended('auth', 'one');
    book.ended('auth', 'never heard of');
    expect(lines()).toEqual(['sessions auth {} 7']);
  });

  it.each([Number.MAX_VALUE, Number.POSITIVE_INFINITY, Number.NaN, -5, 0])(
    'does not stay for ever where the interval is said to be %s',
    (intervalMs) => {
      gauge(5, 'one', intervalMs);
      nowMs = 901_001;
      expect(lines()).toEqual([]);
    },
  );
});

describe('a histogram', () => {
  it('adds up each bucket and the sum, over restarts and agent ids', () => {
    histogram([1, 2, 4], 10);
    histogram([2, 3, 5], 12);
    histogram([1, 1, 1], 1);
    histogram([0, 0, 2], 5, 'two');
    expect(lines()).toEqual(['took_seconds auth {} 18: 3 4 8']);
  });

  it('restarts as a whole if any part decreases', () => {
    histogram([4, 4, 4], 4);
    histogram([1, 5, 9], 20);
    expect(lines()).toEqual(['took_seconds auth {} 24: 5 9 13']);
  });

  const unbucketed = (buckets: ReportedHistogram['buckets'], more: Partial<ReportedHistogram> = {}) => ({
    ...reportedHistogram([1]),
    count: 2,
    buckets,
    ...more,
  });
  const inf = { le: Number.POSITIVE_INFINITY, count: 2 };

  it.each<[string, ReportedHistogram]>([
    ['no bucket', unbucketed([])],
    ['no bucket for all', unbucketed([{ le: 1, count: 2 }])],
    ['another count than that of all', unbucketed([inf], { count: 3 })],
    ['bounds in disorder', unbucketed([{ le: 2, count: 1 }, { le: 1, count: 1 }, inf])],
    ['a bound twice', unbucketed([{ le: 1, count: 1 }, { le: 1, count: 1 }, inf])],
    ['the infinite bound twice', unbucketed([inf, inf])],
    ['a bound that is no number', unbucketed([{ le: Number.NaN, count: 1 }, inf])],
    ['a bound of minus infinity', unbucketed([{ le: Number.NEGATIVE_INFINITY, count: 1 }, inf])],
    ['counts that go down', unbucketed([{ le: 1, count: 2 }, { le: 2, count: 1 }, inf])],
    ['a count below zero', unbucketed([{ le: 1, count: -1 }, inf])],
    ['a count that is no integer', unbucketed([{ le: 1, count: 1.5 }, inf])],
    ['a count that is no number', unbucketed([{ le: 1, count: Number.NaN }, inf])],
    ['a sum below zero', unbucketed([inf], { sum: -1 })],
    ['a sum that is no number', unbucketed([inf], { sum: Number.NaN })],
    ['an infinite sum', unbucketed([inf], { sum: Number.POSITIVE_INFINITY })],
    ['too many buckets', reportedHistogram(Array.from({ length: 41 }, () => 2))],
  ])('is not taken with %s', (_case, one) => {
    expect(take({ histograms: [one] })).toEqual({ count: 1, reason: 'its value does not fit its type' });
    expect(lines()).toEqual([]);
  });

  it('is unchanged if its buckets differ', () => {
    histogram([1, 2, 3]);
    expect(histogram([1, 2, 3, 4])).toEqual({ count: 1, reason: 'its buckets have changed' });
    expect(lines()).toEqual(['took_seconds auth {} 1: 1 2 3']);
  });

  it('may have forty buckets', () => {
    expect(histogram(Array.from({ length: 40 }, () => 2))).toBeNull();
  });
});

describe('a value', () => {
  it.each([Number.NaN, Number.POSITIVE_INFINITY, -1, 2 ** 65])('of a counter is not %s', (value) => {
    count(5);
    expect(count(value)).toEqual({ count: 1, reason: 'its value does not fit its type' });
    expect(lines()).toEqual(['things_total auth {} 5']);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])('of a gauge is not %s', (value) => {
    expect(gauge(value)).toEqual({ count: 1, reason: 'its value does not fit its type' });
    expect(lines()).toEqual([]);
  });

  it('of a gauge is omitted if the sum is infinite', () => {
    gauge(1.7e308, 'one');
    gauge(1.7e308, 'two');
    expect(book.families(nowMs)).toEqual([]);
    gauge(5, 'two');
    gauge(6, 'one');
    expect(lines()).toEqual(['sessions auth {} 11']);
  });

  it('of a repeated series is the first', () => {
    expect(take({ counters: [reportedValue(5), reportedValue(3)] })).toEqual({ count: 1, reason: 'it comes twice' });
    expect(take({ gauges: [reportedValue(5, 'g'), reportedValue(3, 'g')] })).toMatchObject({ count: 1 });
    expect(lines()).toEqual(['things_total auth {} 5', 'g auth {} 5']);
  });
});

describe('a help text', () => {
  it.each([
    [null, 'Reported by agents.'],
    [' \n ', 'Reported by agents.'],
    ['one\nTYPE x\r\ntwo', 'one TYPE x  two'],
    ['x'.repeat(1_000), 'x'.repeat(256)],
    [`${'x'.repeat(255)}\u{1f600}`, 'x'.repeat(255)],
  ])('is one line: %j', (help, expected) => {
    take({ counters: [{ ...reportedValue(1), help }] });
    expect(book.families(nowMs)[0]?.help).toBe(expected);
  });
});
