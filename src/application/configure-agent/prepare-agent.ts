import type {
  AgentOptionProblem,
  AgentOptions,
  CompleteAgentOptions,
  EntrySource,
  JwtOptions,
} from '../../domain/configuration/agent-configuration.js';
import { completeAgentOptions } from '../../domain/configuration/agent-option-rules.js';
import { shownEntryFile } from '../../domain/configuration/credential-entries.js';
import type { Identity } from '../../domain/identity/identity.js';
import { alwaysOwned, type OwnedHeaders, ownedHeaders } from '../../domain/identity/owned-headers.js';
import { err, ok, type Result } from '../../domain/shared/result.js';
import { ApiKeyCheck } from '../authenticate-request/api-key-check.js';
import { AuthenticateRequest } from '../authenticate-request/authenticate-request.js';
import type { AuthenticationCheck, PreparedIdentity } from '../authenticate-request/authentication-check.js';
import { BasicCheck } from '../authenticate-request/basic-check.js';
import { prepareIdentity } from '../authenticate-request/identity-preparation.js';
import { JwtCheck } from '../authenticate-request/jwt-check.js';
import type { Clock } from '../ports/clock.js';
import type { Logger } from '../ports/logger.js';
import type { SecretDigest } from '../ports/secret-digest.js';
import type { TextFileReader } from '../ports/text-file-reader.js';
import type { TokenVerifier, VerificationKeys } from '../ports/token-verifier.js';

/** What a configured agent is made with. */
export interface AgentParts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly digest: SecretDigest;
  readonly keys: VerificationKeys;
  readonly files: TextFileReader;
}

/** A configuration, checked and made ready: requests are judged by it without looking at an option again. */
export interface PreparedAgent {
  readonly authentication: AuthenticateRequest;
  /** Methods that are configured, by their names in X-Auth-Method. */
  readonly methods: readonly string[];
  /** What the gateway strips from what clients send. */
  readonly identityHeaderPatterns: readonly string[];
  /** What the upstream must not get from the client: identity headers, and the credentials that are not forwarded. */
  readonly removable: OwnedHeaders;
  readonly failOpen: boolean;
}

export interface PreparedAgentWithWarnings {
  readonly agent: PreparedAgent;
  readonly warnings: readonly AgentOptionProblem[];
}

const problem = (
  severity: AgentOptionProblem['severity'],
  option: AgentOptionProblem['option'],
  message: string,
): AgentOptionProblem => ({ severity, option, message, suggestion: null });

const readEntryFiles = async (options: AgentOptions, files: TextFileReader) => {
  const texts = new Map<string, string>();
  const problems: AgentOptionProblem[] = [];
  const read = async (option: AgentOptionProblem['option'], sources: readonly EntrySource[]) => {
    for (const [index, source] of sources.entries()) {
      if (source.kind !== 'file') continue;
      const { path } = source;
      const text = await files.read(path);
      // An empty text keeps the rules from reporting the same file once more.
      texts.set(path, text.ok ? text.value : '');
      if (text.ok) continue;
      problems.push(problem('error', option, `entry ${index + 1}: ${shownEntryFile(path)} ${text.error}`));
    }
  };
  await read('api-keys', options.apiKeys ?? []);
  await read('basic-auth-users', options.basicAuthUsers ?? []);
  return { texts, problems };
};

const prepareVerifier = async (
  jwt: JwtOptions,
  parts: AgentParts,
): Promise<Result<TokenVerifier, AgentOptionProblem>> => {
  const { key } = jwt;
  if (key.algorithm === 'HS256') {
    const verifier = await parts.keys.prepare(key);
    return verifier.ok ? verifier : err(problem('error', 'jwt-secret', `the secret ${verifier.error}`));
  }
  const pem = await parts.files.read(key.publicKeyFile);
  const verifier = pem.ok ? await parts.keys.prepare({ algorithm: key.algorithm, publicKeyPem: pem.value }) : pem;
  return verifier.ok
    ? verifier
    : err(problem('error', 'jwt-public-key', `the file ${key.publicKeyFile} ${verifier.error}`));
};

const removablePatterns = (options: CompleteAgentOptions): string[] => {
  const patterns = [...alwaysOwned, options.userIdHeader, options.authMethodHeader];
  if (options.forwardCredentials !== 'all') patterns.push(options.apiKeyHeader);
  if (options.forwardCredentials === 'none') patterns.push('Authorization');
  return patterns;
};

const assemble = (options: CompleteAgentOptions, verifier: TokenVerifier | null, parts: AgentParts): PreparedAgent => {
  const names = { userId: options.userIdHeader, authMethod: options.authMethodHeader };
  const prepare = (identity: Identity): PreparedIdentity => prepareIdentity(identity, names, parts.logger);
  const { digest, clock } = parts;
  const checks: AuthenticationCheck[] = [];
  if (options.jwt !== null && verifier !== null) {
    const { key, issuer, audience } = options.jwt;
    checks.push(
      new JwtCheck({ algorithm: key.algorithm, rules: { issuer, audience }, verifier, prepare, digest, clock }),
    );
  }
  if (options.apiKeys.length > 0) checks.push(new ApiKeyCheck(options.apiKeys, prepare, digest));
  if (options.basicUsers.length > 0) checks.push(new BasicCheck(options.basicUsers, prepare, digest));
  return {
    authentication: new AuthenticateRequest(checks, options.apiKeyHeader),
    methods: checks.map((check) => check.method),
    identityHeaderPatterns: [
      options.userIdHeader,
      options.authMethodHeader,
      'X-Auth-Claim-*',
      'X-Client-Cert-CN',
      'X-Client-Cert-DN',
    ],
    removable: ownedHeaders(removablePatterns(options)),
    // An agent that can accept nothing has nothing to be lenient about: it is not set up yet.
    failOpen: options.failOpen && checks.length > 0,
  };
};

/** Checks every option, reads the files they name, and makes an agent of them. Errors are all of those that were found. */
export const prepareAgent = async (
  options: AgentOptions,
  parts: AgentParts,
): Promise<Result<PreparedAgentWithWarnings, readonly AgentOptionProblem[]>> => {
  const entries = await readEntryFiles(options, parts.files);
  const completed = completeAgentOptions(options, entries.texts);
  const problems = [...entries.problems, ...completed.problems];
  const complete = completed.options;
  let verifier: TokenVerifier | null = null;
  if (complete?.jwt) {
    const prepared = await prepareVerifier(complete.jwt, parts);
    if (prepared.ok) verifier = prepared.value;
    else problems.push(prepared.error);
  }
  if (complete === null || problems.some(({ severity }) => severity === 'error')) return err(problems);
  return ok({ agent: assemble(complete, verifier, parts), warnings: problems });
};
