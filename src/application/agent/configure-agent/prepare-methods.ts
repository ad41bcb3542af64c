import type { CompleteAgentOptions } from '../../../domain/agent/configuration/agent-configuration.js';
import type { AgentOptionProblem } from '../../../domain/configuration/agent-option-problem.js';
import type { Result } from '../../../domain/shared/result.js';
import type { TokenVerifier } from '../../ports/agent/token-verifier.js';
import type { AgentParts } from './agent-parts.js';
import { preparePasswords } from './prepare-basic.js';
import { prepareJwtKey } from './prepare-jwt.js';
import { type PreparedMtls, prepareMtls } from './prepare-mtls.js';

/** What methods need beside their options; null for those that are not configured. */
export interface PreparedMethods {
  readonly jwtVerifier: TokenVerifier | null;
  readonly mtls: PreparedMtls | null;
}

/** Reads and imports what the options refer to; everything that is wrong is added to the problems. */
export const prepareMethods = async (
  options: CompleteAgentOptions,
  parts: AgentParts,
  problems: AgentOptionProblem[],
): Promise<PreparedMethods> => {
  const taken = <Value>(result: Result<Value, AgentOptionProblem>): Value | null => {
    if (!result.ok) problems.push(result.error);
    return result.ok ? result.value : null;
  };
  const jwtVerifier = options.jwt === null ? null : taken(await prepareJwtKey(options.jwt, parts));
  const mtls = options.mtls === null ? null : taken(await prepareMtls(options.mtls, parts));
  problems.push(...(await preparePasswords(options.basicUsers, parts)));
  return { jwtVerifier, mtls };
};
