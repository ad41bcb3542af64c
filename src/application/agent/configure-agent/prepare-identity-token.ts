import type { CompleteAgentOptions } from '../../../domain/agent/configuration/agent-option-rules.js';
import type { AgentOptionProblem } from '../../../domain/configuration/agent-option-problem.js';
import { DocumentEndpoint } from '../agent-service/document-endpoint.js';
import { keySetDocument } from '../exchange-token/issuer-documents.js';
import { IdentityTokens } from '../issue-identity-token/identity-tokens.js';
import type { OwnIdentityTokenTest } from '../verify-tokens/token-verdict.js';
import type { AgentProcessServices } from './agent-process-services.js';
import { type OwnKeys, readOwnKeys } from './own-signing-keys.js';

/** The identity tokens of one configuration, and the key set that verifies them. */
export interface PreparedIdentityTokens {
  readonly tokens: IdentityTokens;
  readonly endpoint: DocumentEndpoint;
  readonly isOwnIdentityToken: OwnIdentityTokenTest;
}

/** Reads the keys of identity tokens, and adds problems to the list; null: there are none, or no key signs. */
export const readIdentityTokenKeys = async (
  { identityToken }: Pick<CompleteAgentOptions, 'identityToken'>,
  parts: AgentProcessServices,
  problems: AgentOptionProblem[],
): Promise<OwnKeys | null> =>
  identityToken === null ? null : readOwnKeys({ ...identityToken, option: 'identity-token' }, parts, problems);

/** Null: upstreams get no signed identity. */
export const prepareIdentityTokens = (
  { identityToken: options, forwardClaims: forwardedClaims, maxClaimBytes }: CompleteAgentOptions,
  keys: OwnKeys | null,
  { clock, random, digest }: AgentProcessServices,
): PreparedIdentityTokens | null => {
  if (options === null || keys === null) return null;
  const rules = { forwardedClaims, maxClaimBytes };
  const kids: ReadonlySet<unknown> = new Set(keys.map(({ kid }) => kid));
  return {
    tokens: new IdentityTokens({ options, rules, key: keys[0], clock, random, digest }),
    endpoint: new DocumentEndpoint(new Map([[options.jwksPath, keySetDocument(keys, digest)]])),
    isOwnIdentityToken: ({ header, payload }) => payload['iss'] === options.issuer && kids.has(header['kid']),
  };
};
