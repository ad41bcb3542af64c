import type { CompleteAgentOptions } from '../../../domain/agent/configuration/agent-option-rules.js';
import type { TokenExchangeOptions } from '../../../domain/agent/configuration/token-exchange-options.js';
import type { AgentOptionProblem } from '../../../domain/configuration/agent-option-problem.js';
import type { AgentProcessServices } from './agent-process-services.js';
import { prepareHashes } from './prepare-hashes.js';
import { readTokenExchangeFiles, type TokenExchangeFiles } from './token-exchange-files.js';

/** The `token-exchange` block with the contents of its files. */
export interface ReadTokenExchange {
  readonly options: TokenExchangeOptions;
  readonly files: TokenExchangeFiles;
}

/**
 * Reads keys, and checks that client secrets can be verified. Adds problems to the list. Null: disabled, or without a
 * signing key.
 */
export const readTokenExchange = async (
  { tokenExchange: options }: Pick<CompleteAgentOptions, 'tokenExchange'>,
  parts: AgentProcessServices,
  problems: AgentOptionProblem[],
): Promise<ReadTokenExchange | null> => {
  if (options === null) return null;
  const files = await readTokenExchangeFiles(options, parts, problems);
  const secrets = options.clients?.flatMap((client) => client.secrets) ?? [];
  const hashes = secrets.filter((secret) => secret.kind !== 'plain' && secret.kind !== 'sha256');
  problems.push(...(await prepareHashes(hashes, 'token-exchange', 'secrets', parts)));
  return files === null ? null : { options, files };
};
