import { expect, it } from 'vitest';
import { requestHeadersEvent } from '../../../../../src/application/gateway/proxy-request/agent-events.js';
import type { Exchange } from '../../../../../src/application/gateway/proxy-request/exchange.js';
import { noCidrs } from '../../../../../src/domain/http/cidr-set.js';
import { ConnectionHeaderCache } from '../../../../../src/domain/http/connection-header-cache.js';
import type { HeaderList } from '../../../../../src/domain/http/header-list.js';
import { newExchange } from '../../../../support/gateway/exchanges.js';

const received: HeaderList = ['Host', 'a', 'X-User', 'b'];
const goingOn: HeaderList = [...received, 'X-Correlation-Id', 'c-1'];

/** An exchange of one connection whose fields come again. */
const exchangeOf = (known: ConnectionHeaderCache | null, headers: HeaderList): Exchange => {
  const exchange = newExchange();
  exchange.request.connection.known = known;
  exchange.forwarded.headers = headers;
  return exchange;
};

const headersFor = (known: ConnectionHeaderCache | null, headers: HeaderList): HeaderList =>
  requestHeadersEvent(exchangeOf(known, headers), 0).headers;

it('tells agents of the fields as they stand, their names in lower case, whatever the connection remembers', () => {
  const known = new ConnectionHeaderCache({ peerAddress: '192.0.2.7', peerPort: 7, scheme: 'http' }, noCidrs);
  known.rememberGoingOn(received, null, 'a', goingOn);
  for (const each of [null, known]) {
    for (const id of ['c-1', 'c-2']) {
      const next = goingOn.with(5, id);
      expect(headersFor(each, next)).toEqual(['host', 'a', 'x-user', 'b', 'x-correlation-id', id]);
      const changed = [...next.with(3, 'other'), 'X-Added', 'C'];
      expect(headersFor(each, changed)).toEqual(
        ['host', 'a', 'x-user', 'other', 'x-correlation-id', id].concat('x-added', 'C'),
      );
    }
  }
});

it('gives every request a list of its own, which an agent in the program may change', () => {
  const known = new ConnectionHeaderCache({ peerAddress: '192.0.2.7', peerPort: 7, scheme: 'http' }, noCidrs);
  known.rememberGoingOn(received, null, 'a', goingOn);
  for (const id of ['c-1', 'c-2']) {
    const list = headersFor(known, goingOn.with(5, id)) as string[];
    expect(list).toEqual(['host', 'a', 'x-user', 'b', 'x-correlation-id', id]);
    list.fill('spoilt');
  }
  expect(goingOn).toEqual([...received, 'X-Correlation-Id', 'c-1']);
});
