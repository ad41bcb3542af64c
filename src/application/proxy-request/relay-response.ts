import { applyHeaderOperations } from '../../domain/agent-protocol/header-operations.js';
import { canonicalName } from '../../domain/http/canonical-name.js';
import { correlationIdHeader } from '../../domain/http/correlation-id.js';
import type { HeaderList } from '../../domain/http/header-list.js';
import { withoutHopByHop } from '../../domain/http/hop-by-hop-headers.js';
import { passableTrailers } from '../../domain/http/trailer-fields.js';
import { withHeader } from '../../domain/http/with-header.js';
import { withoutHeader } from '../../domain/http/without-header.js';
import { alwaysOwned, isOwned, ownedHeaders } from '../../domain/identity/owned-headers.js';
import type { UpstreamResponse } from '../ports/upstream-client.js';
import type { Exchange } from './exchange.js';

const nothing = new Uint8Array(0);

const identity = ownedHeaders(alwaysOwned);

/** The trailers that the client gets: none that speaks of what the head, an agent or the gateway has settled. */
const clientTrailers = (exchange: Exchange, trailers: HeaderList): HeaderList => {
  if (trailers.length === 0) return trailers;
  const operated = new Set(exchange.responseOperations.map(({ name }) => canonicalName(name)));
  return passableTrailers(trailers, (canonical) => operated.has(canonical) || isOwned(identity, canonical));
};

/** The head of a response as the client gets it: without what concerned the upstream's connection alone. */
export const clientHeaders = (exchange: Exchange, headers: HeaderList): HeaderList => {
  const passable = withoutHopByHop(headers);
  // INVARIANT: the operations were found valid with the answer that they came in.
  const operated = applyHeaderOperations(passable, exchange.responseOperations);
  return withHeader(operated.ok ? operated.value : passable, correlationIdHeader, exchange.correlationId);
};

/**
 * Passes a response on piece by piece, as fast as the slower side goes. `upstream_broke`: it ended before its end, and
 * the client has to be told.
 */
export const relayResponse = async (
  exchange: Exchange,
  upstream: UpstreamResponse,
): Promise<'ended' | 'upstream_broke'> => {
  const { response } = exchange;
  const { body } = upstream;
  if (exchange.abandoned) {
    body?.cancel();
    return 'ended';
  }
  exchange.status = upstream.status;
  // RFC 9110, section 8.6: a 204 has no Content-Length, whatever its upstream says.
  const headers = upstream.status === 204 ? withoutHeader(upstream.headers, 'content-length') : upstream.headers;
  response.begin(upstream.status, clientHeaders(exchange, headers), exchange.close);
  if (body === null) {
    response.end([]);
    return 'ended';
  }
  // An empty piece takes the head with it.
  if (upstream.isBodyLate) await response.write(nothing);
  try {
    for (let piece = await body.read(); piece !== null; piece = await body.read()) {
      if (exchange.abandoned) {
        body.cancel();
        return 'ended';
      }
      const writable = response.write(piece);
      if (writable !== undefined) await writable;
    }
  } catch {
    return exchange.abandoned ? 'ended' : 'upstream_broke';
  }
  response.end(clientTrailers(exchange, body.trailers()));
  return 'ended';
};
