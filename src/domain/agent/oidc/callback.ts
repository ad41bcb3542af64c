import { type FormFault, parseForm, parseQuery } from '../../shared/form-urlencoded.js';
import { err, ok, type Result } from '../../shared/result.js';

/** Maximum characters of a code: longer than that of any known provider. */
const maximumCodeLength = 8_192;
/** Maximum characters of `state`: those of this agent are shorter. */
const maximumStateLength = 256;
/** Maximum characters of `iss`. */
const maximumIssuerLength = 2_048;

/** VSCHAR (RFC 6749, appendix A.11). */
const code = /^[\x20-\x7e]+$/;

/**
 * Error codes of authorization endpoints (RFC 6749, section 4.1.2.1; OpenID Connect Core, section 3.1.2.6). Logs show
 * only these, because anyone can call the callback.
 */
const knownErrors = [
  'access_denied',
  'account_selection_required',
  'consent_required',
  'interaction_required',
  'invalid_request',
  'invalid_request_object',
  'invalid_request_uri',
  'invalid_scope',
  'login_required',
  'registration_not_supported',
  'request_not_supported',
  'request_uri_not_supported',
  'server_error',
  'temporarily_unavailable',
  'unauthorized_client',
  'unmet_authentication_requirements',
  'unsupported_response_type',
] as const;

/** The error that a provider reports. `another`: one that no specification defines. */
export type ProviderError = (typeof knownErrors)[number] | 'another';

/** The answer of a provider to an authorization request, as a browser brings it. Not verified. */
export interface OidcCallback {
  readonly state: string;
  /** The issuer (RFC 9207); null: not named. */
  readonly iss: string | null;
  readonly answer:
    | { readonly kind: 'code'; readonly code: string }
    | { readonly kind: 'error'; readonly error: ProviderError };
}

type Parameters = ReadonlyMap<string, string>;

/** Tokens in a callback belong to flows that this agent never begins (RFC 9700, section 2.1.2). */
const foreignParameters = ['access_token', 'id_token', 'response'];

const providerError = (text: string): ProviderError => knownErrors.find((known) => known === text) ?? 'another';

const answerOf = (parameters: Parameters): OidcCallback['answer'] | null => {
  const error = parameters.get('error') ?? null;
  const given = parameters.get('code') ?? null;
  if (error !== null) return given === null ? { kind: 'error', error: providerError(error) } : null;
  if (given === null || given.length > maximumCodeLength || !code.test(given)) return null;
  return { kind: 'code', code: given };
};

const callbackOf = (parameters: Result<Parameters, FormFault>): Result<OidcCallback, 'malformed_callback'> => {
  if (!parameters.ok) return err('malformed_callback');
  const answer = answerOf(parameters.value);
  const state = parameters.value.get('state') ?? '';
  const iss = parameters.value.get('iss') ?? null;
  const isForeign = foreignParameters.some((name) => parameters.value.has(name));
  if (answer === null || isForeign || state === '' || state.length > maximumStateLength)
    return err('malformed_callback');
  if (iss !== null && iss.length > maximumIssuerLength) return err('malformed_callback');
  return ok({ state, iss, answer });
};

/**
 * Reads the query of a callback (RFC 6749, section 4.1.2): a code or an error, never both, and `state`. A repeated
 * parameter is malformed (section 3.1).
 */
export const callbackOfUri = (uri: string): Result<OidcCallback, 'malformed_callback'> => {
  const mark = uri.indexOf('?');
  const parameters = parseQuery(mark < 0 ? '' : uri.slice(mark + 1));
  return callbackOf(
    parameters.ok ? ok(new Map(Array.from(parameters.value, ([name, { value }]) => [name, value]))) : parameters,
  );
};

/** Reads a posted callback (OAuth 2.0 Form Post Response Mode, section 2). */
export const callbackOfForm = (form: Uint8Array): Result<OidcCallback, 'malformed_callback'> =>
  callbackOf(parseForm(form));
