import { describe, expect, it } from 'vitest';
import { AgentAnswers, Exchange } from '../../../../../src/application/gateway/proxy-request/exchange.js';
import {
  relayResponse,
  withResponseOperations,
} from '../../../../../src/application/gateway/proxy-request/relay-response.js';
import { sendOwn } from '../../../../../src/application/gateway/proxy-request/send-own.js';
import type { ReceivedResponseHead } from '../../../../../src/application/ports/gateway/http-exchange.js';
import type { UpstreamResponse } from '../../../../../src/application/ports/gateway/upstream-client.js';
import type { HeaderOperation } from '../../../../../src/domain/agent-protocol/messages.js';
import { fieldTrait } from '../../../../../src/domain/http/field-traits.js';
import type { HeaderList } from '../../../../../src/domain/http/header-list.js';
import { newExchange, strictOwner } from '../../../../support/gateway/exchanges.js';
import { RecordedResponse } from '../../../../support/gateway/recorded-response.js';

/** A response that can pass heads through, or returns that it cannot. */
class PassingResponse extends RecordedResponse {
  readonly passed: HeaderList[] = [];

  constructor(readonly canPassOn: boolean) {
    super();
  }

  passOn(status: number, received: ReceivedResponseHead, added: HeaderList): boolean {
    if (!this.canPassOn) return false;
    this.status = status;
    this.headers = [...received.fields, ...added];
    this.passed.push(added);
    return true;
  }
}

const fields = ['X-A', 'a', 'Date', 'now'];

/** Counts the reads of its field list. */
class CountedResponse implements UpstreamResponse {
  lists = 0;
  readonly received: ReceivedResponseHead;
  readonly body = null;
  readonly isBodyLate = false;
  readonly tunnel = null;

  constructor(
    passedTraits: number,
    readonly status = 200,
  ) {
    this.received = { fields, traits: passedTraits, passedTraits };
  }

  get headers(): HeaderList {
    this.lists += 1;
    return fields;
  }
}

const exchangeFor = (response: RecordedResponse): Exchange => {
  const { request, client } = newExchange();
  return new Exchange(request, response, 'id', 'c-1', client, 0, strictOwner);
};

const ownField = ['X-Correlation-Id', 'c-1'];

const marked = (headers: HeaderList, _exchange: unknown, source: string): HeaderList => [
  ...headers,
  'X-Source',
  source,
];

describe('response rules', () => {
  it('change the head of an upstream, also one that could pass unchanged', async () => {
    const response = new PassingResponse(true);
    const exchange = exchangeFor(response);
    exchange.responseRules = [marked];
    expect(await relayResponse(exchange, new CountedResponse(fieldTrait.date))).toBeNull();
    expect(response.passed).toEqual([]);
    expect(response.headers).toEqual([...fields, ...ownField, 'X-Source', 'upstream']);
  });

  it('apply in their order to a response of the gateway', () => {
    const response = new RecordedResponse();
    const exchange = exchangeFor(response);
    exchange.responseRules = [marked, (headers) => headers.slice(0, -1).concat('changed')];
    sendOwn(exchange, 404, ['X-A', 'a'], null, false);
    expect(response.headers).toEqual(['X-A', 'a', 'X-Source', 'changed']);
  });
});

describe('a response head without changes', () => {
  it('is passed through, and its field list is never built', async () => {
    const response = new PassingResponse(true);
    const upstream = new CountedResponse(fieldTrait.date);
    const exchange = exchangeFor(response);
    exchange.rateLimitFields = ['RateLimit', 'r'];
    exchange.attempts = { count: 1, address: null, targetFields: ['Set-Cookie', 't'] };
    expect(await relayResponse(exchange, upstream)).toBeNull();
    expect(response.passed).toEqual([['RateLimit', 'r', 'Set-Cookie', 't', ...ownField]]);
    expect([response.status, response.state, upstream.lists]).toEqual([200, 'ended', 0]);
  });

  it.each([
    ['whose engine refuses to pass it through', new PassingResponse(false)],
    ['whose engine cannot pass heads through', new RecordedResponse()],
  ])('is sent as a field list to a client %s', async (_, response) => {
    expect(await relayResponse(exchangeFor(response), new CountedResponse(0))).toBeNull();
    expect([response.status, response.headers]).toEqual([200, [...fields, ...ownField]]);
  });
});

describe('a response head that needs a change', () => {
  it.each<[string, number, number, (exchange: Exchange) => void]>([
    ['a field of its connection', fieldTrait.hopByHop, 200, () => undefined],
    ['TE', fieldTrait.te, 200, () => undefined],
    ['a correlation id', fieldTrait.correlationId, 200, () => undefined],
    ['a length that its status cannot have', fieldTrait.contentLength, 204, () => undefined],
    [
      "limits that are not the gateway's",
      fieldTrait.rates,
      200,
      (exchange) => {
        exchange.rateLimitFields = ['RateLimit', 'r'];
      },
    ],
    [
      'a header operation of an agent',
      0,
      200,
      (exchange) => {
        exchange.agents = new AgentAnswers([]);
        exchange.agents.responseOperations = [{ kind: 'remove', name: 'x-a' }];
      },
    ],
    ['anything, because its traits are unknown', -1, 200, () => undefined],
  ])('is not passed through: %s', async (_, traits, status, prepare) => {
    const response = new PassingResponse(true);
    const upstream = new CountedResponse(traits, status);
    const exchange = exchangeFor(response);
    prepare(exchange);
    await relayResponse(exchange, upstream);
    expect([response.passed, upstream.lists]).toEqual([[], 1]);
  });

  it('is passed through with its length and its own rate limits if nothing requires a change', async () => {
    const response = new PassingResponse(true);
    await relayResponse(exchangeFor(response), new CountedResponse(fieldTrait.contentLength | fieldTrait.rates));
    expect(response.passed).toEqual([ownField]);
  });
});

describe('the operations of all agents on a response', () => {
  it('leave the same head if there are none', () => {
    const head = ['X-A', '1'];
    expect(withResponseOperations(head, [])).toBe(head);
  });

  it('apply in order, each to the result of the earlier ones', () => {
    const operations: HeaderOperation[] = [
      { kind: 'set', name: 'X-A', value: '2' },
      { kind: 'remove', name: 'X-A' },
      { kind: 'add', name: 'X-A', value: '3' },
    ];
    expect(withResponseOperations(['X-A', '1'], operations)).toEqual(['X-A', '3']);
  });

  it.each([1_024, 1_025, 3_000])('all apply if there are %i of them', (count) => {
    const operations = Array.from(
      { length: count },
      (_, index): HeaderOperation => ({ kind: 'add', name: 'X-N', value: String(index) }),
    );
    const head = withResponseOperations([], operations);
    expect(head.filter((_, index) => index % 2 === 1)).toEqual(operations.map((_, index) => String(index)));
  });
});
