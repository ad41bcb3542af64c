import { beforeEach, describe, expect, it } from 'vitest';
import { AgentMetricsBook } from '../../../../../src/domain/agent-protocol/agent-metrics/agent-metrics-book.js';
import type { MetricsReport } from '../../../../../src/domain/agent-protocol/metrics-report.js';
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
const ofMany = (index: number) => metricsReport({ agentId: `id-${index}`, counters: [reportedValue(1)] });
const lines = () => seriesLines(book.families(nowMs));

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
    book.take('auth', metricsReport({ agentId, timestampMs, counters: [reportedValue(value)] }), nowMs, 'embedded');

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
