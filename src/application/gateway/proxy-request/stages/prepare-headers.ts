import { forwardableFields, forwardedAgain } from '../../../../domain/http/forwardable-fields.js';
import type { StageOf } from '../exchange.js';
import type { IdentityHeaderFilter } from '../identity-header-filter.js';

/**
 * Derives the headers for agents and the upstream from those of the client.
 *
 * @param identity the identity headers to remove; null: the route forwards those of clients
 */
export const prepareHeaders =
  (identity: IdentityHeaderFilter | null): StageOf<'request' | 'target', 'forwarded'> =>
  (exchange) => {
    const { client, correlationId, request, forwarded } = exchange;
    const parts = {
      owned: identity === null ? null : identity.current(),
      certificateFields: forwarded.certificateFields,
      client,
      peerAddress: request.connection.peerAddress,
      scheme: request.connection.scheme,
      known: request.connection.known,
      host: exchange.target.authority === '' ? null : exchange.target.authority,
      correlationId,
    };
    exchange.forwarded.identityNames = parts.owned;
    const again = forwardedAgain(exchange.forwarded.headers, parts, request.received);
    exchange.forwarded.alike = again;
    exchange.forwarded.headers =
      again === null ? forwardableFields(exchange.forwarded.headers, parts, request.received) : again.fields;
    return 'continue';
  };
