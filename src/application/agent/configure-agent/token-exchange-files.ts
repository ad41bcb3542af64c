import type {
  ExchangeClientOptions,
  TokenExchangeOptions,
} from '../../../domain/agent/configuration/token-exchange-options.js';
import type { SigningAlgorithm } from '../../../domain/agent/tokens/signature-algorithm.js';
import type { AgentOptionProblem, OptionPlace } from '../../../domain/configuration/agent-option-problem.js';
import type { Result } from '../../../domain/shared/result.js';
import { Secret } from '../../../domain/shared/secret.js';
import type { ClientKey, PublishedKey, SigningKey, TokenSigningKeys } from '../../ports/agent/token-signing-keys.js';
import type { TextFileReader } from '../../ports/shared/text-file-reader.js';
import { optionProblem } from './option-problem.js';

const rsaKey = 'a key by openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:3072';

/** How to make a key for an algorithm. */
const recipes: Readonly<Record<SigningAlgorithm, string>> = {
  RS256: rsaKey,
  PS256: rsaKey,
  ES256: 'a key by openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256',
  EdDSA: 'a key by openssl genpkey -algorithm ed25519',
  HS256: 'a secret by openssl rand -hex 32',
};

/** How to fix a key that cannot sign with this algorithm; null if it cannot sign at all. */
const signingKeyRemedy = async (
  text: Secret,
  algorithm: SigningAlgorithm,
  signingKeys: TokenSigningKeys,
): Promise<string | null> => {
  // Reading it as a published key yields the usual algorithm of its type.
  const published = await signingKeys.readPublishedKey(text, algorithm);
  const other = published.ok ? published.value.algorithm : algorithm;
  if (other === algorithm) return null;
  const signing = await signingKeys.readSigningKey(text, other);
  return signing.ok ? `set signing-algorithm to "${other}" or make ${recipes[algorithm]}` : null;
};

/** The contents of the files that the `token-exchange` block names. */
export interface TokenExchangeFiles {
  /** The first key signs. Kids are distinct. */
  readonly keys: readonly [SigningKey, ...PublishedKey[]];
  /** Keys of clients, in the order of the clients. */
  readonly clientKeys: readonly (readonly ClientKey[])[];
}

interface FileParts {
  readonly files: TextFileReader;
  readonly signingKeys: TokenSigningKeys;
}

const signingKeyFile: OptionPlace = { key: 'signing-key-file' };

const fileProblem = (
  severity: AgentOptionProblem['severity'],
  path: string,
  clause: string,
  suggestion: string | null = null,
): AgentOptionProblem => ({
  ...optionProblem(severity, 'token-exchange', `signing-key-file: the file ${path} ${clause}`, signingKeyFile),
  suggestion,
});

/** Reads a key of this agent with `read`; null if the file is invalid. */
const readOwnKey = async <Key>(
  path: string,
  files: TextFileReader,
  read: (text: Secret) => Promise<Result<Key, string>>,
  problems: AgentOptionProblem[],
  remedy: (text: Secret) => Promise<string | null> = () => Promise.resolve(null),
): Promise<Key | null> => {
  const content = await files.read(path);
  if (!content.ok) {
    problems.push(fileProblem('error', path, content.error));
    return null;
  }
  const text = new Secret(content.value);
  const key = await read(text);
  if (key.ok) return key.value;
  problems.push(fileProblem('error', path, key.error, await remedy(text)));
  return null;
};

/** Reads the keys of this agent; null if the first file is invalid. */
const readOwnKeys = async (
  { signingKeyFiles: [signingPath = '', ...otherPaths], signingAlgorithm }: TokenExchangeOptions,
  { files, signingKeys }: FileParts,
  problems: AgentOptionProblem[],
): Promise<TokenExchangeFiles['keys'] | null> => {
  const readSigning = (text: Secret) => signingKeys.readSigningKey(text, signingAlgorithm);
  const readOther = (text: Secret) => signingKeys.readPublishedKey(text, signingAlgorithm);
  const remedy = (text: Secret) => signingKeyRemedy(text, signingAlgorithm, signingKeys);
  const signing = await readOwnKey(signingPath, files, readSigning, problems, remedy);
  const pathsByKid = new Map(signing === null ? [] : [[signing.kid, signingPath]]);
  const others: PublishedKey[] = [];
  for (const path of otherPaths) {
    const key = await readOwnKey(path, files, readOther, problems);
    if (key === null) continue;
    const same = pathsByKid.get(key.kid);
    pathsByKid.set(key.kid, path);
    if (same === undefined) others.push(key);
    // The first step of a rotation: the next key is still the old one.
    else problems.push(fileProblem('warning', path, `holds the same key as the file ${same}, and is ignored`));
  }
  return signing === null ? null : [signing, ...others];
};

const readClientKeys = async (
  { id, publicKeyFiles }: ExchangeClientOptions,
  client: number,
  { files, signingKeys }: FileParts,
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
  parts: FileParts,
  problems: AgentOptionProblem[],
): Promise<TokenExchangeFiles | null> => {
  const keys = await readOwnKeys(options, parts, problems);
  const clientKeys: (readonly ClientKey[])[] = [];
  for (const [index, client] of (options.clients ?? []).entries()) {
    clientKeys.push(await readClientKeys(client, index, parts, problems));
  }
  return keys === null ? null : { keys, clientKeys };
};
