import { describe, expect, it } from 'vitest';
import type { PooledAgentConnection } from '../../../../../src/application/gateway/ask-agents/pooled-agent-connection.js';
import { ReportingConnections } from '../../../../../src/application/gateway/ask-agents/reporting-connections.js';
import { agentMetricsLimits } from '../../../../../src/domain/agent-protocol/agent-metrics/metric-limits.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';

/** Distinct objects that are not used otherwise. */
const connection = (): PooledAgentConnection => Object.create(null) as PooledAgentConnection;

const start = () => {
  const clock = new ManualClock();
  return { clock, reporters: new ReportingConnections(clock), one: connection(), other: connection() };
};

describe('ReportingConnections', () => {
  it.each<[string, number, number]>([
    ['of zero', 0, 20_000],
    ['below zero', -1, 20_000],
    ['that is too short', 1, 2_000],
    ['that is too long', 1e300, 600_000],
    ['as usual', 10_000, 20_000],
  ])('reads one connection for two intervals, with an interval %s', (_case, intervalMs, untilMs) => {
    const { clock, reporters, one, other } = start();
    expect(reporters.speaks(one, { agentId: 'a', intervalMs })).toBe(true);
    clock.advance(untilMs - 1);
    expect(reporters.speaks(other, { agentId: 'a', intervalMs })).toBe(false);
    clock.advance(1);
    expect(reporters.speaks(other, { agentId: 'a', intervalMs })).toBe(true);
    expect(reporters.speaks(one, { agentId: 'a', intervalMs })).toBe(false);
  });

  it('reads another connection after the chosen one has ended', () => {
    const { reporters, one, other } = start();
    reporters.speaks(one, { agentId: 'a', intervalMs: 10_000 });
    reporters.ended(one);
    expect(reporters.speaks(other, { agentId: 'a', intervalMs: 10_000 })).toBe(true);
  });

  it('keeps no agent id that is too long, and passes such reports on to be refused', () => {
    const { reporters, one, other } = start();
    const kept = { agentId: 'x'.repeat(agentMetricsLimits.agentIdLength), intervalMs: 10_000 };
    const tooLong = { agentId: `${kept.agentId}x`, intervalMs: 10_000 };
    expect([reporters.speaks(one, kept), reporters.speaks(other, kept)]).toEqual([true, false]);
    expect([reporters.speaks(one, tooLong), reporters.speaks(other, tooLong)]).toEqual([true, true]);
  });
});
