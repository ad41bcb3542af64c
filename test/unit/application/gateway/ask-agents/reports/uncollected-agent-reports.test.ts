import { describe, expect, it } from 'vitest';
import { UncollectedAgentReports } from '../../../../../../src/application/gateway/ask-agents/reports/uncollected-agent-reports.js';
import { agentMetricsLimits } from '../../../../../../src/domain/agent-protocol/agent-metrics/metric-limits.js';
import { metricsReport, reportedValue } from '../../../../../support/shared/metrics-reports.js';

const held = (): UncollectedAgentReports => {
  const reports = new UncollectedAgentReports();
  reports.keep(new Set(['auth']));
  return reports;
};

describe('the reports that a worker holds', () => {
  it('are delivered once, and only the last of each agent id', () => {
    const reports = held();
    const reader = reports.readerOf('auth', 'external');
    reader.reported(metricsReport({ timestampMs: 1 }));
    reader.reported(metricsReport({ timestampMs: 2 }));
    expect(reports.handOver()).toMatchObject([{ agentId: 'one', report: { timestampMs: 2 }, hasEnded: false }]);
    expect(reports.handOver()).toMatchObject([{ agentId: 'one', report: null }]);
  });

  it('are removed with their agent', () => {
    const reports = held();
    reports.readerOf('auth', 'external').reported(metricsReport());
    reports.keep(new Set(['other']));
    expect([reports.handOver(), reports.agents()]).toEqual([[], ['other']]);
  });

  it('include an end with the last totals several times, because a delivery may be lost', () => {
    const reports = held();
    const reader = reports.readerOf('auth', 'embedded');
    reader.reported(metricsReport({ timestampMs: 1 }));
    reader.ended('one');
    for (let told = 0; told < 3; told += 1) {
      expect(reports.handOver()).toMatchObject([{ report: { timestampMs: 1 }, hasEnded: true }]);
    }
    expect(reports.handOver()).toEqual([]);
  });

  it('are bounded for any reports, and dropped series are counted', () => {
    const reports = held();
    const reader = reports.readerOf('auth', 'external');
    const many = (length: number, name = 'a') => Array.from({ length }, () => reportedValue(1, name));
    reader.reported(metricsReport({ agentId: 'many', counters: many(10_000), gauges: many(10_000) }));
    expect(reports.dropped()).toEqual([{ agent: 'auth', count: 20_000 - agentMetricsLimits.lines }]);
    reader.reported(metricsReport({ agentId: 'long', counters: many(2, 'x'.repeat(100_000)) }));
    reader.reported(metricsReport({ agentId: 'i'.repeat(300), counters: many(1) }));
    expect(reports.dropped()).toEqual([{ agent: 'auth', count: 20_003 - agentMetricsLimits.lines }]);
    expect(reports.handOver().map(({ agentId }) => agentId)).toEqual(['many']);
    for (let id = 0; id < 1_000; id += 1) reader.reported(metricsReport({ agentId: `${id}` }));
    expect(reports.handOver()).toHaveLength(agentMetricsLimits.agentIds);
    reader.ended('many');
    reader.reported(metricsReport({ agentId: 'new' }));
    expect(reports.handOver().map(({ agentId }) => agentId)).toContain('new');
  });
});
