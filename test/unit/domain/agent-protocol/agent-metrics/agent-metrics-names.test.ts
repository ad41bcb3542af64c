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
const gauge = (value: number, agentId = 'one', intervalMs = 10_000) =>
  take({ agentId, intervalMs, gauges: [reportedValue(value, 'sessions')] });
const lines = () => seriesLines(book.families(nowMs));

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

  it.each([
    'auth_success_total',
    'token_exchanges_total',
    'jwks_refresh_total',
    'introspections_total',
    'saml_sign_ons_total',
  ])('that gateway-auth gives to a counter is that of nothing else: %s', (name) => {
    expect(take({ gauges: [reportedValue(1, name)] })).toEqual(taken);
    expect(take({ histograms: [reportedHistogram([1], 1, { name })] })).toEqual(taken);
    expect(take({ counters: [reportedValue(1, name)] })).toBeNull();
  });

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
