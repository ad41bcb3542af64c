import type {
  ExchangeClientOptions,
  TokenExchangeOptions,
} from '../../../domain/agent/configuration/token-exchange-options.js';
import type { AgentOptionProblem } from '../../../domain/configuration/agent-option-problem.js';
import type { ClientKey } from '../../ports/agent/token-signing-keys.js';
import { optionProblem } from './option-problem.js';
import { type OwnKeys, readOwnKeys, type SigningKeyReaders } from './own-signing-keys.js';

/** The contents of the files that the `token-exchange` block names. */
export interface TokenExchangeFiles {
  /** The first key signs. Kids are distinct. */
  readonly keys: OwnKeys;
  /** Keys of clients, in the order of the clients. */
  readonly clientKeys: readonly (readonly ClientKey[])[];
}

const readClientKeys = async (
  { id, publicKeyFiles }: ExchangeClientOptions,
  client: number,
  { files, signingKeys }: SigningKeyReaders,
  problems: AgentOptionProblem[],
): Promise<readonly ClientKey[]> => {
  const keys: ClientKey[] = [];
  for (const path of publicKeyFiles) {
    const pem = await files.read(path);
    const read = pem.ok ? await signingKeys.readClientKey(pem.value) : pem;
    if (read.ok) {
      keys.push(...read.value);
      continue;
    }
    const message = `client "${id}": public-key-file: the file ${path} ${read.error}`;
    problems.push(optionProblem('error', 'token-exchange', message, { client, key: 'public-key-file' }));
  }
  return keys;
};

/** Reads the keys of this agent and of its clients, and adds problems to the list. Null: there is no signing key. */
export const readTokenExchangeFiles = async (
  options: TokenExchangeOptions,
  parts: SigningKeyReaders,
  problems: AgentOptionProblem[],
): Promise<TokenExchangeFiles | null> => {
  const keys = await readOwnKeys({ ...options, option: 'token-exchange' }, parts, problems);
  const clientKeys: (readonly ClientKey[])[] = [];
  for (const [index, client] of (options.clients ?? []).entries()) {
    clientKeys.push(await readClientKeys(client, index, parts, problems));
  }
  return keys === null ? null : { keys, clientKeys };
};
