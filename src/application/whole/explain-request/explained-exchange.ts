import type {
  GatewayConfiguration,
  ListenerConfiguration,
} from '../../../domain/gateway/configuration/gateway-configuration.js';
import { compileCidrs, noCidrs } from '../../../domain/http/cidr-set.js';
import { clientBehind, directClient } from '../../../domain/http/client-address.js';
import { allHeaders, type HeaderList } from '../../../domain/http/header-list.js';
import { Exchange } from '../../gateway/proxy-request/exchange.js';
import type { ClientRequest, ClientResponse } from '../../ports/gateway/http-exchange.js';
import type { DescribedRequest, RequestUrl } from './described-request.js';

/** What the stages have sent in place of a response. */
export interface SentAnswer {
  readonly status: number;
  readonly headers: HeaderList;
}

/** Records the whole response that a stage sends. */
class RecordedAnswer implements ClientResponse {
  headSent = false;
  sent: SentAnswer | null = null;

  inform(): void {}
  begin(): void {}
  write(): undefined {}
  writeText(): undefined {}
  end(): void {}
  abort(): void {}
  onClosed(): void {}

  send(status: number, headers: HeaderList): void {
    this.headSent = true;
    this.sent = { status, headers };
  }

  upgrade(): never {
    throw new Error('an explained request is not upgraded');
  }

  bytesSent(): number {
    return 0;
  }
}

/** A request that no client has sent, for the stages of the request path. */
export interface ExplainedExchange {
  readonly exchange: Exchange;
  readonly listener: ListenerConfiguration;
  /** Null: no stage has answered. */
  answer(): SentAnswer | null;
}

const portOf = (authority: string | null): number | null => {
  const port = /:(\d+)$/.exec(authority ?? '')?.[1];
  return port === undefined ? null : Number(port);
};

/** The listener at the port of the URL, else the first with its scheme, else the first. */
const listenerOf = (listeners: readonly ListenerConfiguration[], { scheme, authority }: RequestUrl) => {
  const port = portOf(authority);
  return (
    listeners.find(({ address }) => port !== null && address.port === port) ??
    listeners.find(({ tls }) => scheme === null || (tls === null ? 'http' : 'https') === scheme) ??
    // INVARIANT: a configuration has a listener.
    (listeners[0] as ListenerConfiguration)
  );
};

/** The id of a request that no client has sent. */
export const shownCorrelationId = '00000000-0000-4000-8000-000000000000';

/** Makes the exchange of a described request. */
export const explainedExchange = (
  { listeners }: GatewayConfiguration,
  { method, url, headers, peerAddress }: DescribedRequest,
): ExplainedExchange => {
  const listener = listenerOf(listeners, url);
  const named = allHeaders(headers, 'host').length > 0;
  const all: HeaderList = named ? headers : ['Host', url.authority ?? 'localhost', ...headers];
  const scheme = url.scheme ?? (listener.tls === null ? 'http' : 'https');
  const cidrs = compileCidrs(listener.trustedProxies);
  const direct = directClient(peerAddress, 0);
  const request: ClientRequest = {
    method,
    target: url.target,
    httpVersion: '1.1',
    headers: all,
    received: null,
    body: null,
    connection: { listener: listener.name, peerAddress, peerPort: 0, isUnnamed: false, scheme, tls: null, direct },
    expectsContinue: false,
    wantsWebSocket: false,
  };
  const response = new RecordedAnswer();
  const client = clientBehind(direct, all, cidrs.ok ? cidrs.value : noCidrs);
  const owner = {
    isClosing: false,
    failed: (_exchange: Exchange, error: unknown): never => {
      throw error;
    },
  };
  const exchange = new Exchange(request, response, shownCorrelationId, shownCorrelationId, client, 0, owner);
  return { exchange, listener, answer: () => response.sent };
};
