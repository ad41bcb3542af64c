import type { ClientRequest, ClientResponse } from '../../src/application/ports/http-exchange.js';
import { Exchange } from '../../src/application/proxy-request/exchange.js';

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
    localPort: 2,
    scheme: 'http',
    tls: null,
  },
  expectsContinue: false,
  wantsWebSocket: false,
};

const response: ClientResponse = {
  headSent: false,
  begin: () => undefined,
  write: () => undefined,
  end: () => undefined,
  send: () => undefined,
  abort: () => undefined,
  upgrade: () => {
    throw new Error('no tunnel');
  },
  onClosed: () => undefined,
  bytesSent: () => 0,
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
  return new Exchange({ ...request, ...changes }, response, 'id', 'id', client, 0, () => false);
};
