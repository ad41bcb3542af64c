import { describe, expect, it } from 'vitest';
import { PrometheusGatewayMetrics } from '../../../../../../src/adapters/outbound/prometheus-metrics/prometheus-gateway-metrics.js';
import { ProblemAnswerer } from '../../../../../../src/application/gateway/proxy-request/answer-problem.js';
import { bufferRequest } from '../../../../../../src/application/gateway/proxy-request/stages/buffer-request.js';
import { bodyOctets, ScriptedBody } from '../../../../../support/gateway/scripted-body.js';
import {
  answered,
  failed,
  ScriptedTargets,
  type TargetScript,
} from '../../../../../support/gateway/scripted-targets.js';
import { recordedExchange, sendingStage } from '../../../../../support/gateway/sending-stage.js';
import { RecordingLogger } from '../../../../../support/shared/recording-logger.js';

const setUp = (body: ScriptedBody | null, method = 'POST') => {
  const logger = new RecordingLogger();
  const metrics = new PrometheusGatewayMetrics('test');
  const problems = new ProblemAnswerer(logger);
  const stage = bufferRequest({
    problems,
    metrics,
    maxBufferOctets: 10,
    maxBodySize: { name: 'max-body-size-bytes', octets: 1_000_000 },
  });
  return { ...recordedExchange({ method }, body), logger, metrics, stage };
};

describe('a body', () => {
  it.each([
    ['below', ['1234', '56789']],
    ['at', ['1234', '567890']],
  ])(
    '%s the limit is read completely before the request continues, with the length that it then has',
    async (_, pieces) => {
      const body = new ScriptedBody(pieces);
      const { stage, exchange } = setUp(body);
      expect(await stage(exchange)).toBe('continue');
      expect(body.reads).toBe(pieces.length + 1);
      expect(exchange.forwarded.body?.declaredLength).toBe(pieces.join('').length);
      expect(exchange.forwarded.headers).toEqual(['Content-Length', String(pieces.join('').length)]);
      expect((await bodyOctets(exchange.forwarded.body)).toString()).toBe(pieces.join(''));
      expect((await bodyOctets(exchange.forwarded.body)).length).toBe(0);
    },
  );

  it('above the limit is refused with the status, log and metric of a limit', async () => {
    const { stage, exchange, response, logger, metrics } = setUp(new ScriptedBody(['1234', '567890', 'a', 'b']));
    expect(await stage(exchange)).toBe('ended');
    expect([response.status, response.problem]).toEqual([413, 'body_too_large']);
    expect(logger.lines[0]).toMatchObject({
      level: 'warn',
      fields: { limit: 10, limit_name: 'max-body-buffer-bytes', actual: 11, client_ip: '127.0.0.1', trace_id: 'own' },
    });
    expect(await metrics.render()).toMatch(/^gateway_body_size_exceeded_total\{[^}]*\} 1$/m);
  });

  it('that declares a length above the limit is not read', async () => {
    const body = new ScriptedBody(['12345678901'], 11);
    const { stage, exchange, response } = setUp(body);
    expect(await stage(exchange)).toBe('ended');
    expect([response.status, body.reads]).toEqual([413, 0]);
  });

  it('that is interrupted never reaches an upstream', async () => {
    const { stage, exchange, response } = setUp(new ScriptedBody(['1234', null]));
    expect(await stage(exchange)).toBe('ended');
    expect([response.status, response.problem]).toEqual([400, 'malformed_request']);
  });

  it('of a client that is gone gets no answer', async () => {
    const { stage, exchange, response } = setUp(new ScriptedBody(['1234', null]));
    const outcome = stage(exchange);
    exchange.abandon();
    expect([await outcome, response.status]).toEqual(['ended', 0]);
  });

  it('that is absent needs no read', () => {
    const { stage, exchange } = setUp(null);
    expect(stage(exchange)).toBe('continue');
  });
});

it('a buffered body is sent completely to every target that the request is sent to', async () => {
  const reading: TargetScript = async ({ body }) => {
    await bodyOctets(body);
    return failed('unreachable');
  };
  const echoing: TargetScript = async ({ body }) => answered(200, [(await bodyOctets(body)).toString()]);
  const { stage, exchange, response } = setUp(new ScriptedBody(['1234', '567890']), 'PUT');
  await stage(exchange);
  const targets = new ScriptedTargets({ a: reading, b: echoing });
  await sendingStage(targets).stage(exchange);
  expect([targets.sent, response.text]).toEqual([['a', 'b'], '1234567890']);
});
