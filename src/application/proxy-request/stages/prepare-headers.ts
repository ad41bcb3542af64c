import { correlationIdHeader } from '../../../domain/http/correlation-id.js';
import { withForwardedHeaders } from '../../../domain/http/forwarded-headers.js';
import { withoutHopByHop } from '../../../domain/http/hop-by-hop-headers.js';
import { withHeader } from '../../../domain/http/with-header.js';
import { stripOwned } from '../../../domain/identity/owned-headers.js';
import type { OwnedHeadersOfAgents } from '../owned-headers-of-agents.js';
import type { Stage } from '../stage.js';

/**
 * Makes the headers that agents and the upstream see from those that the client sent. What is nominated in Connection
 * goes first, so that a client cannot have removed what is set later; certificates that can be believed come after all
 * that is removed. `owned` is null on a route without agents.
 */
export const prepareHeaders =
  (owned: OwnedHeadersOfAgents | null): Stage =>
  (exchange) => {
    const { certificateFields, request } = exchange;
    const { connection } = request;
    const passable = withoutHopByHop(exchange.headers);
    const unforged = owned === null ? passable : stripOwned(passable, owned.current());
    const certified = certificateFields.length === 0 ? unforged : [...unforged, ...certificateFields];
    const forwarded = withForwardedHeaders(certified, {
      client: exchange.client,
      peerAddress: connection.peerAddress,
      scheme: connection.scheme,
      host: exchange.authority === '' ? null : exchange.authority,
    });
    const addressed = exchange.authority === '' ? forwarded : withHeader(forwarded, 'Host', exchange.authority);
    exchange.headers = withHeader(addressed, correlationIdHeader, exchange.correlationId);
    return 'continue';
  };
