import type { CompleteAgentOptions } from '../../../domain/agent/configuration/agent-option-rules.js';
import { providerLabel } from '../../../domain/agent/configuration/oidc-option-rules.js';
import type { AgentOptionProblem } from '../../../domain/configuration/agent-option-problem.js';
import type { PublishedKey, SigningKey } from '../../ports/agent/token-signing-keys.js';
import type { TokenVerifier } from '../../ports/agent/token-verifier.js';
import type { ProviderKeys } from './agent-key-sets.js';
import { optionProblem } from './option-problem.js';
import type { OwnKeys } from './own-signing-keys.js';

/** Whether the verifier accepts signatures of the key. The test token is empty and discarded. */
const isVerifiedBy = async (key: Pick<SigningKey, 'sign'>, verifier: TokenVerifier): Promise<boolean> => {
  try {
    return verifier.isSigned(await key.sign('JWT', '{}'));
  } catch {
    // A key that cannot sign cannot issue tokens either.
    return false;
  }
};

/**
 * Warns if bearer tokens are verified with the key that signs issued tokens, and no audience separates them: a token
 * that was narrowed to one service would be valid on every route.
 */
export const sharedExchangeKeyWarnings = async (
  { jwt, tokenExchange }: Pick<CompleteAgentOptions, 'jwt' | 'tokenExchange'>,
  verifier: TokenVerifier | null,
  signingKey: Pick<SigningKey, 'sign'>,
): Promise<readonly AgentOptionProblem[]> => {
  if (jwt === null || tokenExchange === null || verifier === null || jwt.audience !== null) return [];
  // Only tokens of another issuer are accepted.
  if (jwt.issuer !== null && jwt.issuer !== tokenExchange.issuer) return [];
  if (!(await isVerifiedBy(signingKey, verifier))) return [];
  const name = jwt.key.algorithm === 'HS256' ? 'jwt-secret' : 'jwt-public-key';
  const message = `signing-key-file: the first key is that of ${name}, and jwt-audience is not set: every issued token is valid on every route`;
  const problem = optionProblem('warning', 'token-exchange', message, { key: 'signing-key-file' });
  return [{ ...problem, suggestion: 'use a separate key, or set jwt-audience' }];
};

const place = { key: 'signing-key-file' };
const suggestion = 'use a separate key for identity-token';

const identityKeyProblem = (severity: AgentOptionProblem['severity'], elsewhere: string): AgentOptionProblem => ({
  ...optionProblem(severity, 'identity-token', `signing-key-file: ${elsewhere}`, place),
  suggestion,
});

/**
 * Reports a key of identity tokens that also verifies bearer tokens, or signs those of `token-exchange`. A service that
 * trusts the key could take an identity token for an access token. If both have the same issuer too, nothing
 * distinguishes the tokens: an error.
 */
export const sharedIdentityKeyProblems = async (
  { jwt, identityToken, tokenExchange }: Pick<CompleteAgentOptions, 'jwt' | 'identityToken' | 'tokenExchange'>,
  keys: OwnKeys,
  jwtVerifier: TokenVerifier | null,
  exchangeKeys: readonly PublishedKey[],
): Promise<readonly AgentOptionProblem[]> => {
  const problems: AgentOptionProblem[] = [];
  if (jwt !== null && jwtVerifier !== null && (await isVerifiedBy(keys[0], jwtVerifier))) {
    problems.push(identityKeyProblem('warning', 'the first key is also that of jwt-public-key'));
  }
  const kids = new Set(keys.map(({ kid }) => kid));
  if (exchangeKeys.some(({ kid }) => kids.has(kid))) {
    const isOneIssuer = identityToken?.issuer === tokenExchange?.issuer;
    const elsewhere = isOneIssuer ? 'a key and the issuer are' : 'a key is';
    const severity = isOneIssuer ? 'error' : 'warning';
    problems.push(identityKeyProblem(severity, `${elsewhere} also in token-exchange`));
  }
  return problems;
};

/** Warns of providers whose key set has a key of identity tokens. Their key sets must have arrived. */
export const sharedProviderKeyWarnings = (
  providers: readonly ProviderKeys[],
  keys: OwnKeys | null,
): readonly AgentOptionProblem[] =>
  providers.flatMap(({ options, keys: set }, index) => {
    if (keys?.some(({ kid }) => set.hasKid(kid)) !== true) return [];
    return [identityKeyProblem('warning', `a key is also in the key set of ${providerLabel(options, index)} of oidc`)];
  });
