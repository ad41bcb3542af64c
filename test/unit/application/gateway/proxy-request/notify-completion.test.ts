import { expect, it } from 'vitest';
import { PrometheusGatewayMetrics } from '../../../../../src/adapters/outbound/prometheus-metrics/prometheus-gateway-metrics.js';
import { AgentAnswers } from '../../../../../src/application/gateway/proxy-request/exchange.js';
import { notifyCompletion } from '../../../../../src/application/gateway/proxy-request/notify-completion.js';
import { err } from '../../../../../src/domain/shared/result.js';
import { newExchange } from '../../../../support/gateway/exchanges.js';
import { routeAgent } from '../../../../support/gateway/route-agents.js';
import { ScriptedAgent } from '../../../../support/gateway/scripted-agent.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';
import { settled } from '../../../../support/shared/manual-scheduler.js';
import { RecordingLogger } from '../../../../support/shared/recording-logger.js';

it('logs and counts a completion event that the full queue of an agent refuses', async () => {
  const logger = new RecordingLogger();
  const metrics = new PrometheusGatewayMetrics('test');
  const agent = routeAgent(new ScriptedAgent('auth'), ['request_complete']);
  const limit = { name: 'max-agent-queue-depth', limit: 3, actual: 4 };
  agent.client.answer = () => err({ code: 'queue_full', detail: '', limit });
  const exchange = newExchange();
  exchange.agents = new AgentAnswers([agent]);
  notifyCompletion(exchange, { status: 200, durationMs: 1 }, { clock: new ManualClock(), logger, metrics });
  await settled();
  expect(logger.lines).toMatchObject([{ level: 'warn', fields: { limit_name: 'max-agent-queue-depth', actual: 4 } }]);
  expect(await metrics.render()).toMatch(/^gateway_request_limit_reached_total\{[^}]*\} 1$/m);
});
