import { forwardableFields } from '../../../../domain/http/forwardable-fields.js';
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
      host: exchange.target.authority === '' ? null : exchange.target.authority,
      correlationId,
    };
    exchange.forwarded.identityNames = parts.owned;
    exchange.forwarded.headers = forwardableFields(exchange.forwarded.headers, parts, request.received);
    return 'continue';
  };
