import type { Secret } from '../../../domain/shared/secret.js';
import type { SecretComparer } from '../../ports/shared/secret-digest.js';
import { type AdminAnswer, adminProblem } from './admin-answer.js';

const scheme = 'bearer ';

/**
 * The token of an Authorization header (RFC 6750, section 2.1); null: there is none, or several headers are ambiguous.
 */
const bearerToken = (authorizations: readonly string[]): string | null => {
  const [value] = authorizations;
  if (value === undefined || authorizations.length > 1) return null;
  if (value.slice(0, scheme.length).toLowerCase() !== scheme) return null;
  const token = value.slice(scheme.length).trim();
  return token === '' ? null : token;
};

/** The answer to a request without the admin token; null if it has the token. `authorizations`: all its headers. */
export const tokenRefusal = (
  authorizations: readonly string[],
  token: Secret,
  isSecret: SecretComparer,
  correlationId: string,
): AdminAnswer | null => {
  const given = bearerToken(authorizations);
  if (given !== null && isSecret(given, token)) return null;
  const challenge = ['WWW-Authenticate', 'Bearer realm="portcullis-admin"'];
  return adminProblem('admin_unauthorized', 'Send the admin token as a bearer token.', correlationId, challenge);
};
