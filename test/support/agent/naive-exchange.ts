import type { ExchangePolicy } from '../../../src/domain/agent/token-exchange/exchange-policy.js';
import type { ExchangeRequest } from '../../../src/domain/agent/token-exchange/read-exchange-request.js';
import type { SecurityToken } from '../../../src/domain/agent/token-exchange/security-token.js';

/**
 * Scope and audience of an issued token, read off the texts once more and with nothing shared: RFC 8693, section 2.1
 * (each audience and resource is a place where the token is to be used), section 4.2 (scopes in one text, separated
 * by spaces), RFC 6749, section 3.3 (what a scope is made of, and that an answer may hold fewer) and section 6 (never
 * one that was not granted before).
 */
export const naiveExchange = (
  request: ExchangeRequest,
  subject: SecurityToken,
  policy: ExchangePolicy,
): { readonly scope: 'refused' | string; readonly audience: 'refused' | string } => {
  const said: string[] = [];
  // What is there to give access gives what it says: RFC 9068, section 2.2.3.
  let says = subject.kind === 'access_token' || subject.isTypedForAccess || (subject.isOwn && subject.kind !== 'saml2');
  if (subject.kind !== 'saml2') {
    for (const [name, value] of Object.entries(subject.claims)) {
      if (name === 'client_id') says = true;
      // Amazon Cognito's and Keycloak's words for an access token.
      if ((name === 'token_use' && value === 'access') || (name === 'typ' && value === 'Bearer')) says = true;
      if (name !== 'scope' && name !== 'scp') continue;
      says = true;
      if (typeof value === 'string') said.push(...value.split(/ +/));
      if (Array.isArray(value)) for (const item of value) if (typeof item === 'string') said.push(item);
    }
  }
  const mayHave = (scope: string): boolean => {
    for (const character of scope) if (character <= ' ' || character > '~' || '"\\'.includes(character)) return false;
    if (scope === '') return false;
    if (says) return said.includes(scope) && (policy.allowedScopes?.has(scope) ?? true);
    return policy.allowedScopes?.has(scope) ?? false;
  };
  const wanted = request.scopes ?? (says ? said.filter(mayHave) : []);
  const scope = wanted.every(mayHave) ? [...new Set(wanted)].toSorted().join(' ') : 'refused';

  const places = request.audiences.concat(request.resources).toSorted();
  if (places.length === 0) places.push(policy.defaultAudience ?? policy.issuer);
  else if (policy.allowedAudiences !== null) {
    for (const place of places) if (!policy.allowedAudiences.has(place)) return { scope, audience: 'refused' };
  }
  return { scope, audience: [...new Set(places)].join(' ') };
};
