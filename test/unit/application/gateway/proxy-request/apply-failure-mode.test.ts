import { describe, expect, it } from 'vitest';
import { PrometheusGatewayMetrics } from '../../../../../src/adapters/outbound/prometheus-metrics/prometheus-gateway-metrics.js';
import { ProblemAnswerer } from '../../../../../src/application/gateway/proxy-request/answer-problem.js';
import { applyFailureMode } from '../../../../../src/application/gateway/proxy-request/apply-failure-mode.js';
import type { AgentFailure } from '../../../../../src/application/ports/gateway/agent-client.js';
import { newExchange } from '../../../../support/gateway/exchanges.js';
import { routeAgent } from '../../../../support/gateway/route-agents.js';
import { ScriptedAgent } from '../../../../support/gateway/scripted-agent.js';
import { unheardAudit } from '../../../../support/gateway/unheard-audit.js';
import { RecordingLogger } from '../../../../support/shared/recording-logger.js';

const apply = async (failureMode: 'open' | 'closed', failure: AgentFailure) => {
  const logger = new RecordingLogger();
  const metrics = new PrometheusGatewayMetrics('test');
  const agent = { ...routeAgent(new ScriptedAgent('auth')), failureMode };
  const problems = new ProblemAnswerer(logger);
  const outcome = applyFailureMode(newExchange(), agent, failure, 'request', {
    problems,
    logger,
    metrics,
    audit: unheardAudit,
  });
  return { outcome, lines: logger.lines, page: await metrics.render() };
};

const reached = { name: 'max-agent-queue-depth', limit: 3, actual: 4 };
const limitLine = {
  level: 'warn',
  message: 'a call to an agent exceeds a limit',
  fields: {
    agent: 'auth',
    limit: 3,
    limit_name: 'max-agent-queue-depth',
    actual: 4,
    client_ip: '127.0.0.1',
    trace_id: 'id',
    correlation_id: 'id',
    route: null,
  },
};

describe('a call that failed because of a limit', () => {
  it.each([
    ['closed', 'ended', ['warn', 'error']],
    ['open', 'continue', ['warn', 'warn']],
  ] as const)('is counted and logged like every limit, with failure mode %s', async (mode, expected, levels) => {
    const { outcome, lines, page } = await apply(mode, { code: 'queue_full', detail: '', limit: reached });
    expect(outcome).toBe(expected);
    expect(lines.map(({ level }) => level)).toEqual(levels);
    expect(lines[0]).toEqual(limitLine);
    expect(page).toMatch(/^gateway_request_limit_reached_total\{[^}]*limit="max-agent-queue-depth"[^}]*\} 1$/m);
  });
});

describe('a call that failed for another reason', () => {
  it('logs and counts no limit', async () => {
    const { lines, page } = await apply('closed', { code: 'unreachable', detail: '' });
    expect(lines.map(({ level }) => level)).toEqual(['error']);
    expect(page).not.toMatch(/max-agent/);
  });
});
