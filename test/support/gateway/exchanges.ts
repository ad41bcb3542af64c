import { Exchange, type ExchangeOwner } from '../../../src/application/gateway/proxy-request/exchange.js';
import type { ClientRequest, ClientResponse } from '../../../src/application/ports/gateway/http-exchange.js';
import { directClient } from '../../../src/domain/http/client-address.js';

const request: ClientRequest = {
  method: 'GET',
  target: '/',
  httpVersion: '1.1',
  headers: [],
  body: null,
  connection: {
    listener: 'main',
    peerAddress: '127.0.0.1',
    peerPort: 1,
    isUnnamed: false,
    scheme: 'http',
    tls: null,
    direct: directClient('127.0.0.1', 1),
  },
  expectsContinue: false,
  received: null,
  wantsWebSocket: false,
};

const response: ClientResponse = {
  headSent: false,
  inform: () => undefined,
  begin: () => undefined,
  write: () => undefined,
  writeText: () => undefined,
  end: () => undefined,
  send: () => undefined,
  abort: () => undefined,
  upgrade: () => {
    throw new Error('no tunnel');
  },
  onClosed: () => undefined,
  bytesSent: () => 0,
};

/** Who exchanges of tests are of: a fault of the gateway ends the test. */
export const strictOwner: ExchangeOwner = {
  isClosing: false,
  failed: (_, error) => {
    throw error;
  },
};

/** An exchange whose response goes nowhere. */
export const newExchange = (changes: Partial<ClientRequest> = {}): Exchange => {
  const client = {
    address: '127.0.0.1',
    port: 1,
    peerTrusted: false,
    source: 'connection' as const,
    scheme: null,
    host: null,
  };
  // Each by a connection of its own: what is found out about one is remembered on it.
  const own = { ...request, connection: { ...request.connection } };
  return new Exchange({ ...own, ...changes }, response, 'id', 'id', client, 0, strictOwner);
};
