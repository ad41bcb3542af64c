import type { CompleteAgentOptions } from '../../../domain/agent/configuration/agent-configuration.js';
import type { AgentOptionProblem } from '../../../domain/configuration/agent-option-problem.js';
import type { SigningKey } from '../../ports/agent/token-signing-keys.js';
import type { TokenVerifier } from '../../ports/agent/token-verifier.js';
import { optionProblem } from './option-problem.js';

/** Whether the verifier takes what the key signs. What is signed to find out says nothing, and is not kept. */
const isOneKey = async (key: Pick<SigningKey, 'sign'>, verifier: TokenVerifier): Promise<boolean> => {
  try {
    return verifier.isSigned(await key.sign('JWT', '{}'));
  } catch {
    // What cannot be signed opens nothing.
    return false;
  }
};

/**
 * Warns where bearer tokens are verified with the key that issued tokens are signed with, and nothing keeps the ones from the others: a
 * token that was narrowed to one service would be good for every route here.
 */
export const openedByOwnTokens = async (
  { jwt, tokenExchange }: Pick<CompleteAgentOptions, 'jwt' | 'tokenExchange'>,
  verifier: TokenVerifier | null,
  signingKey: Pick<SigningKey, 'sign'>,
): Promise<readonly AgentOptionProblem[]> => {
  if (jwt === null || tokenExchange === null || verifier === null || jwt.audience !== null) return [];
  // Tokens of another issuer alone are taken.
  if (jwt.issuer !== null && jwt.issuer !== tokenExchange.issuer) return [];
  if (!(await isOneKey(signingKey, verifier))) return [];
  const name = jwt.key.algorithm === 'HS256' ? 'jwt-secret' : 'jwt-public-key';
  const message = `signing-key-file: the first key is that of ${name}, and jwt-audience is not given: every token that is issued opens everything here`;
  const problem = optionProblem('warning', 'token-exchange', message, { key: 'signing-key-file' });
  return [{ ...problem, suggestion: 'take a key of its own, or set jwt-audience' }];
};
