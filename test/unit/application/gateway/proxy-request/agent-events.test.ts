import { expect, it } from 'vitest';
import { requestHeadersEvent } from '../../../../../src/application/gateway/proxy-request/agent-events.js';
import { newExchange } from '../../../../support/gateway/exchanges.js';

it('tells agents the fields as they are forwarded, with names in lower case', () => {
  const exchange = newExchange();
  exchange.forwarded.headers = ['Host', 'A.example', 'X-User', 'B', 'X-Correlation-Id', 'c-1'];
  expect(requestHeadersEvent(exchange, 0).headers).toEqual([
    'host',
    'A.example',
    'x-user',
    'B',
    'x-correlation-id',
    'c-1',
  ]);
});
