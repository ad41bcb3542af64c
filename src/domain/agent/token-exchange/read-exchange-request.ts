import { isAbsoluteUri } from '../../http/absolute-uri.js';
import { err, ok, type Result } from '../../shared/result.js';
import { maximumTokenLength } from '../tokens/compact-jws.js';
import type { AllowedExchange } from './exchange-policy.js';
import type { ExchangeReason } from './exchange-refusal.js';
import { isPrintableName, parseScopeList } from './printable-name.js';
import { type ExchangeTokenKind, type IssuedKind, isIssuedKind, tokenKindOf } from './security-token.js';

/** Room for two tokens that are JWTs, a client assertion, and everything else in a request. */
const octetsWithJwts = 65_536;

/** An assertion of SAML comes with a signature, certificates and attributes of its own, in base64. */
const octetsWithAssertions = 1_048_576;

/** How large the form of a request may be that asks for one of these exchanges, in octets. */
export const exchangeFormOctets = (exchanges: readonly AllowedExchange[]): number =>
  exchanges.some(({ subjectKind }) => subjectKind === 'saml2') ? octetsWithAssertions : octetsWithJwts;

/** Parameters that may occur more than once (RFC 8693, section 2.1). */
export const repeatableParameters: ReadonlySet<string> = new Set(['audience', 'resource']);

/**
 * Parameters that mean something here (RFC 8693, section 2.1; RFC 6749, section 2.3.1; RFC 7521, section 4.2). Others
 * are ignored.
 */
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

/** The fields of a form by their names. */
export type ExchangeParameters = ReadonlyMap<string, readonly string[]>;

/** The values of a parameter; one without a value is as if it were not there (RFC 6749, section 3.2). */
const parameterValues = (fields: ExchangeParameters, name: string): readonly string[] =>
  (fields.get(name) ?? []).filter((value) => value !== '');

/** The value of a parameter that occurs once at most; null: it is not there. */
export const parameterValue = (fields: ExchangeParameters, name: string): string | null =>
  parameterValues(fields, name)[0] ?? null;

/** A token that somebody shows. Nothing of it is true yet. */
export interface PresentedToken {
  readonly kind: ExchangeTokenKind;
  /** As it came: a JWT in compact form, or base64url of a SAML document. */
  readonly token: string;
}

/** What is asked for (RFC 8693, section 2.1), its syntax checked. */
export interface ExchangeRequest {
  readonly subject: PresentedToken;
  /** Null: nobody acts for the subject. */
  readonly actor: PresentedToken | null;
  /** Null: whatever may be had for the subject token. */
  readonly requestedKind: IssuedKind | null;
  /** Values of `audience`, each once, in their order. */
  readonly audiences: readonly string[];
  /** Values of `resource`, absolute URIs without a fragment, each once, in their order. */
  readonly resources: readonly string[];
  /** Each once, in their order; null: the request names none. */
  readonly scopes: readonly string[] | null;
}

/** Values of `audience` and of `resource` together, at most; repeated ones count. */
const maximumTargets = 16;

/** Whether a text can be a value of `audience`. */
const isAudience = isPrintableName;

/** Whether a text can be a value of `resource` (RFC 8693, section 2.1). */
const isResource = (value: string): boolean => isPrintableName(value) && isAbsoluteUri(value);

/** RFC 8693, section 2.1. */
export const tokenExchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange';
/** Characters of a SAML document in base64url, at most. */
export const maximumSamlLength = 1.5 * 1024 * 1024;

/** The reasons that differ between the two tokens. */
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

/** The type goes with the token, and never without it (RFC 8693, section 2.1). */
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
 * Reads what a form asks for (RFC 8693, section 2.1), and refuses what is no such request whatever the tokens say.
 * Parameters without a value are not there, those that mean nothing here are ignored (RFC 6749, section 3.2).
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
