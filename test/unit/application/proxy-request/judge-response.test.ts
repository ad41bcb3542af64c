import { describe, expect, it } from 'vitest';
import { nodeZlibInflater } from '../../../../src/adapters/outbound/node-zlib-inflater/node-zlib-inflater.js';
import { PrometheusGatewayMetrics } from '../../../../src/adapters/outbound/prometheus-metrics/prometheus-gateway-metrics.js';
import { ProblemAnswerer } from '../../../../src/application/proxy-request/answer-problem.js';
import { inspectionLimits } from '../../../../src/application/proxy-request/inspection-limits.js';
import { ResponseJudge } from '../../../../src/application/proxy-request/judge-response.js';
import type { AgentSubscription } from '../../../../src/domain/configuration/gateway-configuration.js';
import { FakeAgentClient } from '../../../support/fake-agent-client.js';
import { testLimits } from '../../../support/in-process-gateway.js';
import { ManualClock } from '../../../support/manual-clock.js';
import { RecordingLogger } from '../../../support/recording-logger.js';

const logger = new RecordingLogger();
const dependencies = {
  clock: new ManualClock(),
  logger,
  problems: new ProblemAnswerer(logger),
  metrics: new PrometheusGatewayMetrics('test'),
  inspection: { inflater: nodeZlibInflater, limits: inspectionLimits(testLimits) },
};

const judgeFor = (...subscriptions: (readonly AgentSubscription[])[]): ResponseJudge | null =>
  ResponseJudge.of(
    subscriptions.map((events, index) => ({
      client: new FakeAgentClient(`agent-${index}`),
      events: new Set(events),
      failureMode: 'closed',
    })),
    dependencies,
  );

describe('the judge of the responses of a route', () => {
  it('is none where no agent is subscribed to them, so that they cost nothing', () => {
    expect(judgeFor()).toBeNull();
    expect(judgeFor(['request_headers', 'request_body_chunk', 'request_complete'])).toBeNull();
  });

  it('is there for one that is', () => {
    expect(judgeFor(['request_headers'], ['response_headers'])).not.toBeNull();
  });
});
