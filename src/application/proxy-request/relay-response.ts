import { applyHeaderOperations } from '../../domain/agent-protocol/header-operations.js';
import { correlationIdHeader } from '../../domain/http/correlation-id.js';
import type { HeaderList } from '../../domain/http/header-list.js';
import { withoutHopByHop } from '../../domain/http/hop-by-hop-headers.js';
import { withHeader } from '../../domain/http/with-header.js';
import type { UpstreamResponse } from '../ports/upstream-client.js';
import type { Exchange } from './exchange.js';

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
  response.begin(upstream.status, clientHeaders(exchange, upstream.headers), exchange.close);
  if (body === null) {
    response.end([]);
    return 'ended';
  }
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
  response.end(body.trailers());
  return 'ended';
};
