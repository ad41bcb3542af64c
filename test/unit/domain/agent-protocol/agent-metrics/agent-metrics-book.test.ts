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
const ofMany = (index: number) => metricsReport({ agentId: `id-${index}`, counters: [reportedValue(1)] });
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

describe('a name', () => {
  it.each(['', '1a', 'a-b', 'a b', 'a\n', 'a:b', 'é', '{', 'a'.repeat(129), '__proto__ '])('cannot be %j', (name) => {
    expect(take({ counters: [reportedValue(1, name)] })).toEqual({ count: 1, reason: 'its name is not well-formed' });
    expect(lines()).toEqual([]);
  });

  it.each(['a', '_', 'A9_', 'a'.repeat(128), '__proto__', 'constructor'])('can be %s', (name) => {
    expect(take({ counters: [reportedValue(1, name)] })).toBeNull();
    expect(lines()).toEqual([`${name} auth {} 1`]);
  });

  const taken = { count: 1, reason: 'its name is taken' };

  it("is no name of the gateway's families", () => {
    expect(take({ histograms: [reportedHistogram([1], 1, { name: 'latency_seconds' })] })).toEqual(taken);
    expect(take({ gauges: [reportedValue(1, 'latency_seconds')] })).toEqual(taken);
    expect(take({ counters: [reportedValue(1, 'latency_seconds_count')] })).toEqual(taken);
    expect(take({ histograms: [reportedHistogram([1], 1, { name: 'latency' })] })).toBeNull();
  });

  it.each(['auth_success_total', 'token_exchanges_total', 'jwks_refresh_total', 'saml_sign_ons_total'])(
    'that gateway-auth gives to a counter is that of nothing else: %s',
    (name) => {
      expect(take({ gauges: [reportedValue(1, name)] })).toEqual(taken);
      expect(take({ histograms: [reportedHistogram([1], 1, { name })] })).toEqual(taken);
      expect(take({ counters: [reportedValue(1, name)] })).toBeNull();
    },
  );

  it('is none of those that a histogram of gateway-auth has', () => {
    for (const name of ['auth_duration_seconds', 'auth_duration_seconds_count', 'auth_duration_seconds_bucket']) {
      expect(take({ counters: [reportedValue(1, name)] })).toEqual(taken);
    }
    expect(take({ histograms: [reportedHistogram([1], 1, { name: 'auth_duration_seconds' })] })).toBeNull();
  });

  it('has one type, whichever agent came first', () => {
    book.keep(new Set(['auth', 'waf']));
    expect(take({ counters: [reportedValue(1, 'a')] })).toBeNull();
    expect(take({ counters: [reportedValue(1, 'a')], gauges: [reportedValue(1, 'a')] })).toEqual(taken);
    expect(take({ gauges: [reportedValue(1, 'a')] }, 'waf')).toEqual(taken);
    expect(take({ counters: [reportedValue(5, 'a')] }, 'waf')).toBeNull();
    expect(lines()).toEqual(['a auth {} 1', 'a waf {} 5']);
  });

  it.each(['a_bucket', 'a_sum', 'a_count'])('is not that of a part of a histogram: %s', (name) => {
    expect(take({ histograms: [reportedHistogram([1], 1, { name: 'a' })] })).toBeNull();
    expect(take({ counters: [reportedValue(1, name)] })).toEqual(taken);
  });

  it('is released when no agent reports the gauge', () => {
    gauge(5);
    take({});
    expect(take({ counters: [reportedValue(1, 'sessions')] })).toBeNull();
  });

  it('is released when its agent is removed', () => {
    book.keep(new Set(['auth', 'waf']));
    take({ counters: [reportedValue(1, 'a')] });
    take({ counters: [reportedValue(1, 'a')] }, 'waf');
    book.keep(new Set(['waf']));
    expect(take({ gauges: [reportedValue(1, 'a')] }, 'waf')).toEqual(taken);
    book.keep(new Set(['auth']));
    expect(take({ gauges: [reportedValue(1, 'a')] })).toBeNull();
  });
});

describe('labels', () => {
  it.each<[string, Record<string, string>]>([
    ['the name of the agent', { agent: 'other' }],
    ['the bound of a bucket', { le: '1' }],
    ['the name of the gateway', { instance: 'x' }],
    ['a name kept for Prometheus', { __name__: 'x' }],
    ['a name that is none', { 'a-b': 'x' }],
    ['an empty name', { '': 'x' }],
    ['a long name', { ['a'.repeat(129)]: 'x' }],
    ['a long value', { a: 'x'.repeat(129) }],
    ['a line break', { a: 'x\ny' }],
    ['a line separator', { a: 'x\u2028' }],
    ['a zero', { a: '\0' }],
    ['half a character', { a: '\ud800' }],
    ['nine of them', Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`l${index}`, 'x']))],
  ])('cannot be %s', (_case, labels) => {
    const bad = { count: 1, reason: 'its labels are not well-formed' };
    expect(take({ counters: [reportedValue(1, 'a', labels), reportedValue(2, 'b')] })).toEqual(bad);
    expect(take({ gauges: [reportedValue(1, 'g', labels)] })).toEqual(bad);
    expect(take({ histograms: [reportedHistogram([1], 1, { labels })] })).toEqual(bad);
    expect(lines()).toEqual(['b auth {} 2']);
    expect(book.dropped()).toEqual([{ agent: 'auth', count: 3 }]);
  });

  it('can be eight, with values of 128 characters, of any script', () => {
    const labels = Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`l${index}`, 'é"\\ {}'.padEnd(128)]));
    expect(take({ counters: [reportedValue(1, 'a', { ...labels, none: '' })] })).toBeNull();
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

describe('limits', () => {
  it('bound series to 512 exposition lines', () => {
    const many = Array.from({ length: 10_000 }, (_, index) => reportedValue(1, 'a', { id: `${index}` }));
    expect(take({ counters: many })).toEqual({ count: 9_488, reason: 'there are too many series' });
    expect(lines()).toHaveLength(512);
    expect(take({ counters: [reportedValue(2, 'a', { id: '0' })], gauges: [reportedValue(1, 'g')] })).toEqual({
      count: 1,
      reason: 'there are too many series',
    });
    expect(lines()[0]).toBe('a auth {"id":"0"} 2');
    expect(book.dropped()).toEqual([{ agent: 'auth', count: 9_489 }]);
  });

  it('report an invalid name even without room', () => {
    take({ counters: Array.from({ length: 512 }, (_, index) => reportedValue(1, 'a', { id: `${index}` })) });
    expect(take({ gauges: [reportedValue(1, 'a b')] })).toEqual({ count: 1, reason: 'its name is not well-formed' });
  });

  it('bound faults to a thousand for each report', () => {
    let looked = 0;
    const unlooked = {
      ...reportedValue(1, 'b'),
      get labels() {
        looked += 1;
        return {};
      },
    };
    const bad = Array.from({ length: 1_000 }, () => reportedValue(-1, 'a'));
    expect(take({ counters: [...bad, unlooked], gauges: [unlooked], histograms: [reportedHistogram([1])] })).toEqual({
      count: 1_003,
      reason: 'its value does not fit its type',
    });
    expect(looked).toBe(0);
    expect(lines()).toEqual([]);
    expect(take({ counters: [...bad.slice(1), reportedValue(1, 'b')] })).toMatchObject({ count: 999 });
    expect(lines()).toEqual(['b auth {} 1']);
  });

  it('count a histogram by its buckets', () => {
    const many = Array.from({ length: 20 }, (_, index) =>
      reportedHistogram(
        Array.from({ length: 40 }, () => 1),
        1,
        { labels: { id: `${index}` } },
      ),
    );
    expect(take({ histograms: many })).toMatchObject({ count: 8 });
    expect(lines()).toHaveLength(12);
  });

  it('hold for families: 64', () => {
    const many = Array.from({ length: 100 }, (_, index) => reportedValue(1, `a${index}`));
    expect(take({ counters: many })).toEqual({ count: 36, reason: 'there are too many families' });
  });

  it('release room when gauges expire', () => {
    const many = (prefix: string) => Array.from({ length: 64 }, (_, index) => reportedValue(1, `${prefix}${index}`));
    expect(take({ gauges: many('a') })).toBeNull();
    expect(take({ gauges: many('b') })).toBeNull();
    expect(lines()[0]).toBe('b0 auth {} 1');
  });

  it('are separate for each agent', () => {
    book.keep(new Set(['auth', 'waf']));
    take({ counters: Array.from({ length: 600 }, (_, index) => reportedValue(1, 'a', { id: `${index}` })) }, 'waf');
    expect(count(5)).toBeNull();
    expect(book.dropped()).toEqual([
      { agent: 'auth', count: 0 },
      { agent: 'waf', count: 88 },
    ]);
  });

  it('bound agent ids, and never evict a running one', () => {
    for (let round = 0; round < 3; round += 1) {
      nowMs = round * 10_000;
      for (let index = 0; index < 16; index += 1) book.take('auth', ofMany(index), nowMs);
      expect(book.take('auth', ofMany(16), nowMs)).toEqual({ count: 1, reason: 'there are too many agent ids' });
    }
    expect(lines()).toEqual(['things_total auth {} 16']);
    expect(book.dropped()).toEqual([{ agent: 'auth', count: 3 }]);
    book.ended('auth', 'id-9');
    expect(count(1, 'id-16')).toBeNull();
    expect(count(1, 'id-17')).toMatchObject({ count: 1 });
    for (const index of [0, 1, 2, 15, 16]) count(1, `id-${index}`);
    expect(lines()).toEqual(['things_total auth {} 17']);
  });

  it('evict the agent id that is silent longest', () => {
    for (let index = 0; index < 16; index += 1) book.take('auth', ofMany(index), index);
    nowMs = 30_010;
    // It is the first that was silent for three intervals.
    expect(book.take('auth', ofMany(16), nowMs)).toBeNull();
    book.take('auth', ofMany(1), nowMs);
    expect(lines()).toEqual(['things_total auth {} 17']);
  });

  it('bound the length of an agent id', () => {
    expect(count(1, 'x'.repeat(257))).toEqual({ count: 1, reason: 'the agent id is too long' });
    expect(lines()).toEqual([]);
  });
});

describe('an agent', () => {
  it('that is not configured is ignored', () => {
    expect(take({ counters: [reportedValue(1)] }, 'stranger')).toBeNull();
    expect(lines()).toEqual([]);
    expect(book.dropped()).toEqual([{ agent: 'auth', count: 0 }]);
  });

  it('that is removed loses its series', () => {
    book.keep(new Set(['auth', 'waf']));
    count(5);
    take({ counters: [reportedValue(7)] }, 'waf');
    book.keep(new Set(['waf']));
    expect(lines()).toEqual(['things_total waf {} 7']);
    book.keep(new Set(['auth', 'waf']));
    expect(lines()).toEqual(['things_total waf {} 7']);
  });
});

describe('reports of one agent id that come within a second', () => {
  const at = (ms: number, value: number, agentId = 'one', timestampMs = ms) =>
    book.take(
      'auth',
      metricsReport({ agentId, timestampMs, counters: [reportedValue(value)], gauges: [reportedValue(value, 'g')] }),
      ms,
    );

  it('are read only first and last', () => {
    at(0, 1);
    at(1, 5);
    at(999, 7);
    at(999, 6, 'one', 500);
    expect(lines()).toEqual(['things_total auth {} 1', 'g auth {} 1']);
    at(999, 10, 'two');
    book.ended('auth', 'one');
    expect(lines()).toEqual(['things_total auth {} 17', 'g auth {} 10']);
    at(2_000, 8);
    expect(lines()).toEqual(['things_total auth {} 18', 'g auth {} 18']);
  });

  it('are replaced by one a second later', () => {
    at(0, 1);
    at(999, 5);
    at(1_000, 6);
    book.ended('auth', 'one');
    expect(lines()).toEqual(['things_total auth {} 6']);
  });

  it('report faults of a held report', () => {
    at(0, 1);
    at(1, -1);
    expect(book.ended('auth', 'one')).toEqual({ count: 1, reason: 'its value does not fit its type' });
    expect(book.dropped()).toEqual([{ agent: 'auth', count: 1 }]);
  });

  it.each<[string, Partial<MetricsReport>]>([
    ['series', { gauges: Array.from({ length: 512 }, (_, index) => reportedValue(1, 'g', { id: `${index}` })) }],
    ['text', { gauges: [{ ...reportedValue(1, 'g'), help: 'x'.repeat(200_000) }] }],
    ['labels', { gauges: [reportedValue(1, 'g', { a: 'x'.repeat(200_000) })] }],
  ])('are not held back with much of: %s', (_case, changes) => {
    at(0, 1);
    book.take('auth', metricsReport({ ...changes, timestampMs: 1, counters: [reportedValue(9)] }), 1);
    book.ended('auth', 'one');
    expect(lines()).toEqual(['things_total auth {} 1']);
  });
});

describe('an agent in the process of the gateway', () => {
  const here = (agentId: string, value: number, timestampMs = 1_000) =>
    book.take('auth', metricsReport({ agentId, timestampMs, counters: [reportedValue(value)] }), nowMs, 'here');

  it('is read at once and in order, whatever the clock', () => {
    here('one', 1, 5_000);
    here('one', 3, 4_000);
    here('one', 4, Number.NaN);
    expect(lines()).toEqual(['things_total auth {} 4']);
  });

  it('counts once across reloads', () => {
    for (let index = 0; index < 20; index += 1) expect(here(`id-${index}`, 100)).toBeNull();
    nowMs = 1e9;
    for (let index = 0; index < 20; index += 1) {
      here(`id-${index}`, 101);
      book.ended('auth', `id-${index}`);
    }
    expect(lines()).toEqual(['things_total auth {} 2020']);
  });

  it('frees its entry when it ends', () => {
    for (let index = 0; index < 20; index += 1) {
      here(`id-${index}`, 1);
      book.ended('auth', `id-${index}`);
    }
    for (let index = 0; index < 16; index += 1) expect(count(1, `other-${index}`)).toBeNull();
  });
});
