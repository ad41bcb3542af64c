import type { Identity } from '../../domain/identity/identity.js';
import { type IdentityHeaderNames, identityHeaders } from '../../domain/identity/identity-headers.js';
import type { Logger } from '../ports/logger.js';
import type { PreparedIdentity } from './authentication-check.js';

/** Left-out claims that one log line names, at the most. */
const namedAtMost = 10;
const pathLength = 64;

/** Makes the headers of an identity, and logs the claims that no header tells. */
export const prepareIdentity = (identity: Identity, names: IdentityHeaderNames, logger: Logger): PreparedIdentity => {
  const { operations, leftOut } = identityHeaders(identity, names);
  if (leftOut.length > 0) {
    logger.warn('claims were left out of the identity headers', {
      method: identity.method,
      count: leftOut.length,
      claims: leftOut.slice(0, namedAtMost).map(({ path, reason }) => `${path.slice(0, pathLength)}: ${reason}`),
    });
  }
  return { identity, operations };
};
