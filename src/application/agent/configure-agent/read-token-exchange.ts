import type { CompleteAgentOptions } from '../../../domain/agent/configuration/agent-option-rules.js';
import type { TokenExchangeOptions } from '../../../domain/agent/configuration/token-exchange-options.js';
import type { AgentOptionProblem } from '../../../domain/configuration/agent-option-problem.js';
import type { AgentParts } from './agent-parts.js';
import { prepareHashes } from './prepare-hashes.js';
import { readTokenExchangeFiles, type TokenExchangeFiles } from './token-exchange-files.js';

/** The `token-exchange` block with what its files hold. */
export interface ReadTokenExchange {
  readonly options: TokenExchangeOptions;
  readonly files: TokenExchangeFiles;
}

/**
 * Reads keys, and makes sure that secrets of clients can be checked here; everything that is wrong is added to the
 * problems. Null: it is not enabled, or there is no key to sign with.
 */
export const readTokenExchange = async (
  { tokenExchange: options }: Pick<CompleteAgentOptions, 'tokenExchange'>,
  parts: AgentParts,
  problems: AgentOptionProblem[],
): Promise<ReadTokenExchange | null> => {
  if (options === null) return null;
  const files = await readTokenExchangeFiles(options, parts, problems);
  const secrets = options.clients?.flatMap((client) => client.secrets) ?? [];
  const hashes = secrets.filter((secret) => secret.kind !== 'plain' && secret.kind !== 'sha256');
  problems.push(...(await prepareHashes(hashes, 'token-exchange', 'secrets', parts)));
  return files === null ? null : { options, files };
};
