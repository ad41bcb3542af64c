import { expect, it } from 'vitest';
import { answeredAgain, rememberAnswered } from '../../../../../src/application/gateway/proxy-request/agent-chain.js';
import type { Exchange } from '../../../../../src/application/gateway/proxy-request/exchange.js';
import { applyAnswered, rememberAnswer } from '../../../../../src/domain/agent-protocol/lasting-answers.js';
import { type AgentAnswer, allowAnswer } from '../../../../../src/domain/agent-protocol/messages.js';
import { noCidrs } from '../../../../../src/domain/http/cidr-set.js';
import { ConnectionHeaderCache } from '../../../../../src/domain/http/connection-header-cache.js';
import type { HeaderList } from '../../../../../src/domain/http/header-list.js';
import { RepeatedHeaderCache } from '../../../../../src/domain/http/repeated-header-cache.js';
import { newExchange } from '../../../../support/gateway/exchanges.js';

const kept: HeaderList = ['Host', 'a', 'X-Correlation-Id', 'c-0'];
const setsUser: AgentAnswer = {
  ...allowAnswer,
  requestHeaders: [{ kind: 'set', name: 'X-User-Id', value: 'u1' }],
};
const newPeer = (): ConnectionHeaderCache =>
  new ConnectionHeaderCache({ peerAddress: '192.0.2.7', peerPort: 7, scheme: 'http' }, noCidrs);

/** A request of a connection whose fields come again. */
const request = (known: ConnectionHeaderCache | null, id: string): Exchange => {
  const exchange = newExchange();
  exchange.request.connection.known = known;
  exchange.forwarded.alike = RepeatedHeaderCache.of(kept, 3, id);
  exchange.forwarded.headers = exchange.forwarded.alike.fields;
  return exchange;
};

/** What the answer makes of the headers as they stand: as it is found out the first time. */
const takeAnswer = (exchange: Exchange, answer: AgentAnswer): HeaderList => {
  const applied = applyAnswered(exchange.forwarded.headers, answer);
  if (!applied.ok) throw new Error(applied.error);
  rememberAnswered(exchange, answer, applied.value);
  return applied.value;
};

it('an answer that is given again is known to make the same of the next request, with the id of that', () => {
  const lasting = rememberAnswer({ ...setsUser });
  const known = newPeer();
  expect(answeredAgain(request(known, 'c-1'), lasting)).toBeNull();
  const first = takeAnswer(request(known, 'c-1'), lasting);
  const again = answeredAgain(request(known, 'c-2'), lasting);
  expect(again?.fields).toEqual(['Host', 'a', 'X-Correlation-Id', 'c-2', 'X-User-Id', 'u1']);
  expect([again?.kept, first[3]]).toEqual([first, 'c-1']);
  expect(answeredAgain(request(newPeer(), 'c-3'), lasting)).toBeNull();
  expect(answeredAgain(request(null, 'c-3'), lasting)).toBeNull();
});

it('it says nothing of headers that were changed by somebody before, neither then nor for the next request', () => {
  const lasting = rememberAnswer({ ...setsUser });
  const known = newPeer();
  const changed = request(known, 'c-1');
  changed.forwarded.headers = ['X-Other', 'b', ...changed.forwarded.headers];
  takeAnswer(changed, lasting);
  expect(answeredAgain(request(known, 'c-2'), lasting)).toBeNull();
  takeAnswer(request(known, 'c-2'), lasting);
  expect(answeredAgain(request(known, 'c-3'), lasting)).not.toBeNull();
  expect(answeredAgain(changed, lasting)).toBeNull();
});

it('nothing is kept of one that is given once, or that changes nothing', () => {
  const known = newPeer();
  const once: AgentAnswer = { ...setsUser };
  takeAnswer(request(known, 'c-1'), once);
  expect(answeredAgain(request(known, 'c-2'), once)).toBeNull();
  const nothing = rememberAnswer({ ...allowAnswer });
  takeAnswer(request(known, 'c-3'), nothing);
  expect(answeredAgain(request(known, 'c-4'), nothing)).toBeNull();
});
