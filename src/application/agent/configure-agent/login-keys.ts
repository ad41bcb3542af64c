import type {
  LoginCredentialOptions,
  OidcLoginOptions,
} from '../../../domain/agent/configuration/oidc-login-options.js';
import type { AgentOptionProblem } from '../../../domain/configuration/agent-option-problem.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { Secret } from '../../../domain/shared/secret.js';
import type { SigningKey } from '../../ports/agent/token-signing-keys.js';
import type { ClientCredential } from '../sign-on/oidc/provider-token-endpoint.js';
import type { AgentProcessServices } from './agent-process-services.js';
import { optionProblem } from './option-problem.js';

type KeyParts = Pick<AgentProcessServices, 'files' | 'signingKeys'>;

/** Reads a client key. Its type determines the algorithm: RS256, ES256 or EdDSA. */
const readClientKey = async (
  keyFile: string,
  { files, signingKeys }: KeyParts,
): Promise<Result<SigningKey, string>> => {
  const pem = await files.read(keyFile);
  if (!pem.ok) return pem;
  const text = new Secret(pem.value);
  const published = await signingKeys.readPublishedKey(text, 'RS256');
  return published.ok ? signingKeys.readSigningKey(text, published.value.algorithm) : published;
};

const credentialOf = async (
  options: LoginCredentialOptions,
  parts: KeyParts,
): Promise<Result<ClientCredential, string>> => {
  if (options.kind !== 'key') return ok(options);
  const key = await readClientKey(options.keyFile, parts);
  return key.ok
    ? ok({ kind: 'key', key: key.value })
    : err(`client-key-file: the file ${options.keyFile} ${key.error}`);
};

/** The credentials of the clients of all logins, in their order. Adds problems to the list. */
export const readLoginKeys = async (
  logins: readonly OidcLoginOptions[],
  parts: KeyParts,
  problems: AgentOptionProblem[],
): Promise<readonly ClientCredential[]> => {
  const credentials: ClientCredential[] = [];
  for (const { name, credential } of logins) {
    const read = await credentialOf(credential, parts);
    if (read.ok) credentials.push(read.value);
    else problems.push(optionProblem('error', 'oidc-login', `login "${name}": ${read.error}`));
  }
  return credentials;
};
