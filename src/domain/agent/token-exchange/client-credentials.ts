import { allHeaders, type HeaderList } from '../../http/header-list.js';
import { decodeBase64 } from '../../shared/base64.js';
import { decodeFormText } from '../../shared/form-urlencoded.js';
import { err, ok, type Result } from '../../shared/result.js';
import { maximumTokenLength } from '../tokens/compact-jws.js';
import type { ExchangeReason } from './exchange-refusal.js';
import { isClientId } from './printable-name.js';
import { type ExchangeParameters, parameterValue } from './read-exchange-request.js';

/** The unverified credentials of a client. */
export type ClientCredentials =
  | { readonly kind: 'none' }
  /** client_secret_basic or client_secret_post (RFC 6749, section 2.3.1). */
  | { readonly kind: 'secret'; readonly clientId: string; readonly secret: string }
  /** private_key_jwt (RFC 7523, section 2.2). */
  | {
      readonly kind: 'assertion';
      /** `client_id` beside the assertion; null: only the assertion names the client. */
      readonly clientId: string | null;
      readonly assertion: string;
    };

type Outcome = Result<ClientCredentials, ExchangeReason>;

/** RFC 7523, section 2.2. */
export const jwtBearerAssertion = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
/** Maximum characters of a secret: hashing takes time linear in its length. */
export const maximumSecretLength = 1024;

const none: ClientCredentials = { kind: 'none' };
const malformed: Outcome = err('malformed_client_credentials');
const colon = 0x3a;
/** The scheme is case-insensitive, followed by spaces (RFC 7617, section 2). The remainder is decoded strictly. */
const basicScheme = /^basic +/i;

/** Null if no client can have these credentials. An empty secret counts as none. */
const secretOf = (clientId: string | null, secret: string | null): ClientCredentials | null => {
  if (clientId === null || secret === null || !isClientId(clientId)) return null;
  return secret !== '' && secret.length <= maximumSecretLength ? { kind: 'secret', clientId, secret } : null;
};

/** Id and secret are form-encoded before they are joined (RFC 6749, section 2.3.1). */
const readBasic = (value: string): ClientCredentials | null => {
  const scheme = basicScheme.exec(value);
  const octets = scheme === null ? null : decodeBase64(value.slice(scheme[0].length), 'standard');
  const end = octets === null ? -1 : octets.indexOf(colon);
  if (octets === null || end < 0) return null;
  return secretOf(decodeFormText(octets.subarray(0, end)), decodeFormText(octets.subarray(end + 1)));
};

const readHeader = (value: string, clientId: string | null): Outcome => {
  const shown = readBasic(value);
  if (shown === null) return malformed;
  const isOther = shown.kind === 'secret' && clientId !== null && clientId !== shown.clientId;
  return isOther ? err('client_mismatch') : ok(shown);
};

const readAssertion = (type: string | null, assertion: string | null, clientId: string | null): Outcome => {
  if (type !== jwtBearerAssertion || assertion === null || assertion.length > maximumTokenLength) return malformed;
  return clientId === null || isClientId(clientId) ? ok({ kind: 'assertion', clientId, assertion }) : malformed;
};

/**
 * Reads the credentials of a client, which must use one method only (RFC 6749, section 2.3). Any Authorization field
 * counts as a method, and only Basic is accepted. `client_id` beside another method must match it; alone it proves
 * nothing.
 */
export const readClientCredentials = (headers: HeaderList, fields: ExchangeParameters): Outcome => {
  const authorization = allHeaders(headers, 'authorization');
  const clientId = parameterValue(fields, 'client_id');
  const secret = parameterValue(fields, 'client_secret');
  const assertionType = parameterValue(fields, 'client_assertion_type');
  const assertion = parameterValue(fields, 'client_assertion');
  const hasAssertion = assertionType !== null || assertion !== null;
  const ways = authorization.length + (secret === null ? 0 : 1) + (hasAssertion ? 1 : 0);
  if (ways > 1) return err('several_client_credentials');
  if (authorization[0] !== undefined) return readHeader(authorization[0], clientId);
  if (hasAssertion) return readAssertion(assertionType, assertion, clientId);
  if (secret === null) return ok(none);
  const posted = secretOf(clientId, secret);
  return posted === null ? malformed : ok(posted);
};
