import { agentDefaults, type CompleteAgentOptions } from '../../../domain/agent/configuration/agent-configuration.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { BearerTokens } from '../verify-tokens/bearer-tokens.js';
import { JwtTokens } from '../verify-tokens/jwt-tokens.js';
import { ProviderTokens } from '../verify-tokens/provider-tokens.js';
import type { PreparedMethods } from './prepare-methods.js';
import type { ProviderKeys } from './provider-key-sets.js';

/** What verifies the tokens of others, by the settings for bearer tokens. */
export const bearerTokens = (
  { jwt }: Pick<CompleteAgentOptions, 'jwt'>,
  { jwtVerifier }: Pick<PreparedMethods, 'jwtVerifier'>,
  providers: readonly ProviderKeys[],
  clock: Clock,
): BearerTokens => {
  const oidc = providers.length === 0 ? null : new ProviderTokens(providers, clock);
  if (jwt === null || jwtVerifier === null) return { oidc, jwt: null };
  const { key, issuer, audience } = jwt;
  const rules = { issuer, audiences: audience === null ? [] : [audience], clockSkewMs: agentDefaults.clockSkewMs };
  return { oidc, jwt: new JwtTokens({ algorithm: key.algorithm, rules, verifier: jwtVerifier, clock }) };
};
