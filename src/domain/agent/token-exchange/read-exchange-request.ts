import { isAbsoluteUri } from '../../http/absolute-uri.js';
import { err, ok, type Result } from '../../shared/result.js';
import { maximumTokenLength } from '../tokens/compact-jws.js';
import type { AllowedExchange } from './exchange-policy.js';
import type { ExchangeReason } from './exchange-refusal.js';
import { isPrintableName, parseScopeList } from './printable-name.js';
import { type ExchangeTokenKind, type IssuedKind, isIssuedKind, tokenKindOf } from './security-token.js';

/** Octets of a form with two JWTs, a client assertion, and the other parameters. */
const octetsWithJwts = 65_536;

/** Octets of a form with SAML assertions, which contain signatures, certificates and attributes in base64. */
const octetsWithAssertions = 1_048_576;

/** Maximum octets of a form that requests one of these exchanges. */
export const exchangeFormOctets = (exchanges: readonly AllowedExchange[]): number =>
  exchanges.some(({ subjectKind }) => subjectKind === 'saml2') ? octetsWithAssertions : octetsWithJwts;

/** Parameters that may occur more than once (RFC 8693, section 2.1). */
export const repeatableParameters: ReadonlySet<string> = new Set(['audience', 'resource']);

/** The known parameters (RFC 8693, section 2.1; RFC 6749, section 2.3.1; RFC 7521, section 4.2). Others are ignored. */
export const exchangeParameters: ReadonlySet<string> = new Set([
  'grant_type',
  'resource',
  'audience',
  'scope',
  'requested_token_type',
  'subject_token',
  'subject_token_type',
  'actor_token',
  'actor_token_type',
  'client_id',
  'client_secret',
  'client_assertion_type',
  'client_assertion',
]);

/** The fields of a form by name. */
export type ExchangeParameters = ReadonlyMap<string, readonly string[]>;

/** The values of a parameter. Empty values count as absent (RFC 6749, section 3.2). */
const parameterValues = (fields: ExchangeParameters, name: string): readonly string[] =>
  (fields.get(name) ?? []).filter((value) => value !== '');

/** The value of a singleton parameter; null if absent. */
export const parameterValue = (fields: ExchangeParameters, name: string): string | null =>
  parameterValues(fields, name)[0] ?? null;

/** An unverified token of a request. */
export interface PresentedToken {
  readonly kind: ExchangeTokenKind;
  /** As sent: a JWT in compact form, or a SAML document in base64url. */
  readonly token: string;
}

/** A request (RFC 8693, section 2.1) with valid syntax. */
export interface ExchangeRequest {
  readonly subject: PresentedToken;
  /** Null: no delegation. */
  readonly actor: PresentedToken | null;
  /** Null: any type that the policy allows. */
  readonly requestedKind: IssuedKind | null;
  /** Distinct values of `audience`, in order. */
  readonly audiences: readonly string[];
  /** Distinct values of `resource`, absolute URIs without a fragment, in order. */
  readonly resources: readonly string[];
  /** Distinct scopes, in order; null: none requested. */
  readonly scopes: readonly string[] | null;
}

/** Maximum values of `audience` and `resource` together, including duplicates. */
const maximumTargets = 16;

/** Whether a text can be a value of `audience`. */
const isAudience = isPrintableName;

/** Whether a text can be a value of `resource` (RFC 8693, section 2.1). */
const isResource = (value: string): boolean => isPrintableName(value) && isAbsoluteUri(value);

/** RFC 8693, section 2.1. */
export const tokenExchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange';
/** Maximum characters of a SAML document in base64url. */
export const maximumSamlLength = 1.5 * 1024 * 1024;

/** The reasons for one of the two tokens. */
interface TokenFaults {
  readonly missingToken: ExchangeReason;
  readonly missingType: ExchangeReason;
  readonly unsupportedType: ExchangeReason;
  readonly invalid: ExchangeReason;
}

const subjectFaults: TokenFaults = {
  missingToken: 'missing_subject_token',
  missingType: 'missing_subject_token_type',
  unsupportedType: 'unsupported_subject_token_type',
  invalid: 'invalid_subject_token',
};

const actorFaults: TokenFaults = {
  missingToken: 'missing_actor_token',
  missingType: 'missing_actor_token_type',
  unsupportedType: 'unsupported_actor_token_type',
  invalid: 'invalid_actor_token',
};

const maximumLength = (kind: ExchangeTokenKind): number => (kind === 'saml2' ? maximumSamlLength : maximumTokenLength);

const readToken = (
  token: string | null,
  type: string | null,
  faults: TokenFaults,
): Result<PresentedToken, ExchangeReason> => {
  if (token === null) return err(faults.missingToken);
  if (type === null) return err(faults.missingType);
  const kind = tokenKindOf(type);
  if (kind === null) return err(faults.unsupportedType);
  return token.length <= maximumLength(kind) ? ok({ kind, token }) : err(faults.invalid);
};

/** Token and type must occur together (RFC 8693, section 2.1). */
const readActor = (fields: ExchangeParameters): Result<PresentedToken | null, ExchangeReason> => {
  const token = parameterValue(fields, 'actor_token');
  const type = parameterValue(fields, 'actor_token_type');
  return token === null && type === null ? ok(null) : readToken(token, type, actorFaults);
};

const readRequestedKind = (uri: string | null): Result<IssuedKind | null, ExchangeReason> => {
  if (uri === null) return ok(null);
  const kind = tokenKindOf(uri);
  return kind !== null && isIssuedKind(kind) ? ok(kind) : err('unsupported_requested_token_type');
};

const readScopes = (text: string | null): Result<readonly string[] | null, ExchangeReason> => {
  if (text === null) return ok(null);
  const scopes = parseScopeList(text);
  return scopes === null ? err('malformed_scope') : ok(scopes);
};

const targetFault = (audiences: readonly string[], resources: readonly string[]): ExchangeReason | null => {
  if (audiences.length + resources.length > maximumTargets) return 'too_many_parameters';
  if (!audiences.every(isAudience)) return 'malformed_audience';
  return resources.every(isResource) ? null : 'malformed_resource';
};

/**
 * Parses a token exchange form (RFC 8693, section 2.1). Refuses what is invalid regardless of the tokens. Empty and
 * unknown parameters are ignored (RFC 6749, section 3.2).
 */
export const readExchangeRequest = (fields: ExchangeParameters): Result<ExchangeRequest, ExchangeReason> => {
  const grantType = parameterValue(fields, 'grant_type');
  if (grantType === null) return err('missing_grant_type');
  if (grantType !== tokenExchangeGrant) return err('unsupported_grant_type');
  const subjectToken = parameterValue(fields, 'subject_token');
  const subject = readToken(subjectToken, parameterValue(fields, 'subject_token_type'), subjectFaults);
  if (!subject.ok) return subject;
  const actor = readActor(fields);
  if (!actor.ok) return actor;
  const requestedKind = readRequestedKind(parameterValue(fields, 'requested_token_type'));
  if (!requestedKind.ok) return requestedKind;
  const audiences = parameterValues(fields, 'audience');
  const resources = parameterValues(fields, 'resource');
  const fault = targetFault(audiences, resources);
  if (fault !== null) return err(fault);
  const scopes = readScopes(parameterValue(fields, 'scope'));
  if (!scopes.ok) return scopes;
  return ok({
    subject: subject.value,
    actor: actor.value,
    requestedKind: requestedKind.value,
    audiences: [...new Set(audiences)],
    resources: [...new Set(resources)],
    scopes: scopes.value,
  });
};
