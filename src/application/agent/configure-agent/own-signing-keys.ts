import type { SigningAlgorithm } from '../../../domain/agent/tokens/signature-algorithm.js';
import type { AgentOptionProblem, OptionPlace } from '../../../domain/configuration/agent-option-problem.js';
import type { Result } from '../../../domain/shared/result.js';
import { Secret } from '../../../domain/shared/secret.js';
import type { PublishedKey, SigningKey, TokenSigningKeys } from '../../ports/agent/token-signing-keys.js';
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

/** The keys of an issuer. The first signs. Kids are distinct. */
export type OwnKeys = readonly [SigningKey, ...PublishedKey[]];

/** Where the keys of an issuer are. */
export interface OwnKeyFiles {
  /** The block that names the files, for messages. */
  readonly option: 'token-exchange' | 'identity-token';
  /** The first signs; the others are only published. At least one. */
  readonly signingKeyFiles: readonly string[];
  readonly signingAlgorithm: SigningAlgorithm;
}

export interface SigningKeyReaders {
  readonly files: TextFileReader;
  readonly signingKeys: TokenSigningKeys;
}

const signingKeyFile: OptionPlace = { key: 'signing-key-file' };

const fileProblem = (
  option: OwnKeyFiles['option'],
  severity: AgentOptionProblem['severity'],
  path: string,
  clause: string,
  suggestion: string | null = null,
): AgentOptionProblem => ({
  ...optionProblem(severity, option, `signing-key-file: the file ${path} ${clause}`, signingKeyFile),
  suggestion,
});

/** Reads a key of this agent with `read`; null if the file is invalid. */
const readOwnKey = async <Key>(
  option: OwnKeyFiles['option'],
  path: string,
  files: TextFileReader,
  read: (text: Secret) => Promise<Result<Key, string>>,
  problems: AgentOptionProblem[],
  remedy: (text: Secret) => Promise<string | null> = () => Promise.resolve(null),
): Promise<Key | null> => {
  const content = await files.read(path);
  if (!content.ok) {
    problems.push(fileProblem(option, 'error', path, content.error));
    return null;
  }
  const text = new Secret(content.value);
  const key = await read(text);
  if (key.ok) return key.value;
  problems.push(fileProblem(option, 'error', path, key.error, await remedy(text)));
  return null;
};

/** Reads the keys of an issuer, and adds problems to the list; null if the first file is invalid. */
export const readOwnKeys = async (
  { option, signingKeyFiles: [signingPath = '', ...otherPaths], signingAlgorithm }: OwnKeyFiles,
  { files, signingKeys }: SigningKeyReaders,
  problems: AgentOptionProblem[],
): Promise<OwnKeys | null> => {
  const readSigning = (text: Secret) => signingKeys.readSigningKey(text, signingAlgorithm);
  const readOther = (text: Secret) => signingKeys.readPublishedKey(text, signingAlgorithm);
  const remedy = (text: Secret) => signingKeyRemedy(text, signingAlgorithm, signingKeys);
  const signing = await readOwnKey(option, signingPath, files, readSigning, problems, remedy);
  const pathsByKid = new Map(signing === null ? [] : [[signing.kid, signingPath]]);
  const others: PublishedKey[] = [];
  for (const path of otherPaths) {
    const key = await readOwnKey(option, path, files, readOther, problems);
    if (key === null) continue;
    const same = pathsByKid.get(key.kid);
    pathsByKid.set(key.kid, path);
    if (same === undefined) others.push(key);
    // The first step of a rotation: the next key is still the old one.
    else problems.push(fileProblem(option, 'warning', path, `holds the same key as the file ${same}, and is ignored`));
  }
  return signing === null ? null : [signing, ...others];
};
