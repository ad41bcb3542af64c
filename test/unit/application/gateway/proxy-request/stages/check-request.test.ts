import { expect, it } from 'vitest';
import { PrometheusGatewayMetrics } from '../../../../../../src/adapters/outbound/prometheus-metrics/prometheus-gateway-metrics.js';
import { ProblemAnswerer } from '../../../../../../src/application/gateway/proxy-request/answer-problem.js';
import { checkRequest } from '../../../../../../src/application/gateway/proxy-request/stages/check-request.js';
import { longMethods } from '../../../../../../src/domain/http/request-method.js';
import { newExchange } from '../../../../../support/gateway/exchanges.js';
import { plainLimits } from '../../../../../support/gateway/plain-configurations.js';
import { RecordingLogger } from '../../../../../support/shared/recording-logger.js';

const long = 'M'.repeat(33);

const check = (httpVersion: string, headers: readonly string[] = [], method = 'GET'): string | null => {
  const stage = checkRequest(
    plainLimits,
    longMethods(['GET', long]),
    new ProblemAnswerer(new RecordingLogger()),
    new PrometheusGatewayMetrics('test'),
  );
  const exchange = newExchange({ httpVersion, headers, method });
  void stage(exchange);
  return exchange.outcome.errorType;
};

it.each([
  ['M'.repeat(32), null],
  [long, null],
  ['m'.repeat(33), 'method_not_implemented'],
  [`${long}M`, 'method_not_implemented'],
  ['A'.repeat(50_000), 'method_not_implemented'],
])('serves a method of at most 32 characters, and a longer one if a route names it: %.40s', (method, errorType) => {
  expect(check('1.1', [], method)).toBe(errorType);
});

it.each([
  ['1.0', null],
  ['1.1', null],
  ['2.0', null],
  ['2', 'malformed_request'],
  ['0.9', 'malformed_request'],
  ['3.0', 'malformed_request'],
])('serves a request of HTTP/%s, or refuses it as %s', (version, errorType) => {
  expect(check(version)).toBe(errorType);
});

it('accepts Transfer-Encoding only in HTTP/1.1', () => {
  expect(check('1.1', ['Transfer-Encoding', 'chunked'])).toBeNull();
  expect(check('1.0', ['Transfer-Encoding', 'chunked'])).toBe('malformed_request');
  expect(check('2.0', ['transfer-encoding', 'chunked'])).toBe('malformed_request');
});

it.each([['100-continue'], ['100-Continue'], ['100-continue', '100-CONTINUE']])(
  'accepts the expectation %s %s',
  (...values) => {
    expect(
      check(
        '1.1',
        values.flatMap((value) => ['Expect', value]),
      ),
    ).toBeNull();
  },
);

it.each([
  ['foo', '100-continue'],
  ['100-continue', 'foo'],
  ['100-continue', '100-continue', ''],
  ['100-continue, foo'],
  ['100-continue;a=b'],
  [''],
])('refuses any other expectation, also beside 100-continue: %s %s', (...values) => {
  const headers = values.flatMap((value, index) => [index === 1 ? 'eXPECT' : 'Expect', value]);
  expect(check('1.1', headers)).toBe('expectation_failed');
  expect(check('2.0', headers)).toBe('expectation_failed');
});
