import { allHeaders, type HeaderList } from '../http/header-list.js';
import { err, ok, type Result } from '../shared/result.js';
import { type AuthorizationCredential, parseAuthorization } from './authorization-credential.js';

/** The credentials that a request shows, whether or not they are any good. */
export interface RequestCredentials {
  readonly authorization: AuthorizationCredential | null;
  readonly apiKey: string | null;
}

/**
 * Reads the credentials of a request. A credential field that occurs twice fails the whole request: this agent and the
 * upstream could each believe another one. `apiKeyHeader` must be lower case.
 */
export const requestCredentials = (
  headers: HeaderList,
  apiKeyHeader: string,
): Result<RequestCredentials, 'ambiguous_credentials'> => {
  const authorization = allHeaders(headers, 'authorization');
  const apiKey = allHeaders(headers, apiKeyHeader);
  if (authorization.length > 1 || apiKey.length > 1) return err('ambiguous_credentials');
  return ok({
    authorization: authorization[0] === undefined ? null : parseAuthorization(authorization[0]),
    apiKey: apiKey[0] ?? null,
  });
};
