import { canonicalName } from '../http/canonical-name.js';
import { isToken } from '../http/field-syntax.js';
import type { Result } from '../shared/result.js';
import type { Secret } from '../shared/secret.js';
import {
  type AgentOptionName,
  type AgentOptionProblem,
  type AgentOptions,
  type ApiKey,
  agentDefaults,
  type BasicUser,
  type CompleteAgentOptions,
  type CredentialForwarding,
  type EntrySource,
  type JwtOptions,
} from './agent-configuration.js';
import { entryFiles, parseApiKey, parseBasicUser, parseEntryFile, shownEntryFile } from './credential-entries.js';
import { type HeaderOption, unfitHeader } from './unfit-header.js';
import { utf8Length } from './utf8-length.js';

/** Octets that an HS256 secret has at the least (RFC 7518, section 3.2). */
export const minimumHs256SecretBytes = 32;

/** What came of checking the options of an agent. */
export interface CompletedAgentOptions {
  /** Null where there was any error. */
  readonly options: CompleteAgentOptions | null;
  readonly problems: readonly AgentOptionProblem[];
}

/** Text of each file that an entry `@FILE` names, by its path. */
export type EntryFiles = ReadonlyMap<string, string>;

/** Paths of the `@FILE` entries, to be read before `completeAgentOptions`. */
export const agentEntryFiles = (options: AgentOptions): string[] => [
  ...entryFiles(options.apiKeys ?? []),
  ...entryFiles(options.basicAuthUsers ?? []),
];

type Report = (option: AgentOptionName, message: string, suggestion?: string) => void;

const jwtOptions = (options: AgentOptions, error: Report, warn: Report): JwtOptions | null => {
  const { jwtSecret, jwtPublicKey } = options;
  const issuer = options.jwtIssuer ?? null;
  const audience = options.jwtAudience ?? null;
  const algorithm = options.jwtAlgorithm ?? agentDefaults.jwtAlgorithm;
  if (jwtSecret !== undefined && jwtPublicKey !== undefined) {
    error(
      'jwt-public-key',
      'jwt-secret and jwt-public-key cannot both be given: one algorithm is accepted, with one key',
    );
    return null;
  }
  if (jwtSecret !== undefined) {
    if (algorithm !== 'HS256') {
      error(
        'jwt-algorithm',
        `${algorithm} needs jwt-public-key, but jwt-secret is given`,
        'use HS256, or give jwt-public-key',
      );
    }
    if (utf8Length(jwtSecret.reveal()) < minimumHs256SecretBytes) {
      error('jwt-secret', `the secret must have at least ${minimumHs256SecretBytes} bytes`);
    }
    return { key: { algorithm: 'HS256', secret: jwtSecret }, issuer, audience };
  }
  if (jwtPublicKey !== undefined) {
    if (algorithm === 'HS256') {
      error(
        options.jwtAlgorithm === undefined ? 'jwt-public-key' : 'jwt-algorithm',
        'HS256 needs jwt-secret, but jwt-public-key is given',
        'set jwt-algorithm to RS256 or ES256',
      );
      return null;
    }
    return { key: { algorithm, publicKeyFile: jwtPublicKey }, issuer, audience };
  }
  const idle = (
    [
      ['jwt-algorithm', options.jwtAlgorithm],
      ['jwt-issuer', options.jwtIssuer],
      ['jwt-audience', options.jwtAudience],
    ] as const
  ).find(([, value]) => value !== undefined);
  if (idle !== undefined) warn(idle[0], `${idle[0]} has no effect without jwt-secret or jwt-public-key`);
  return null;
};

/** Parses every entry of a list; entries that are wrong are reported by their number and their file. */
const parseEntries = <Entry>(
  option: AgentOptionName,
  sources: readonly EntrySource[],
  files: EntryFiles,
  parse: (entry: Secret) => Result<Entry, string>,
  identity: (entry: Entry) => string,
  what: string,
  error: Report,
): Entry[] => {
  const entries: Entry[] = [];
  const seen = new Set<string>();
  const take = (text: Secret, place: string) => {
    const parsed = parse(text);
    if (!parsed.ok) {
      error(option, `${place} ${parsed.error}`);
    } else if (seen.has(identity(parsed.value))) {
      error(option, `${place} gives a ${what} that an earlier entry gives already`);
    } else {
      seen.add(identity(parsed.value));
      entries.push(parsed.value);
    }
  };
  sources.forEach((source, index) => {
    if (source.kind === 'entry') return take(source.text, `entry ${index + 1}`);
    const text = files.get(source.path);
    const file = shownEntryFile(source.path);
    if (text === undefined) return error(option, `entry ${index + 1}: ${file} cannot be read`);
    parseEntryFile(text).forEach((entry, line) => {
      take(entry, `entry ${index + 1}: in ${file}, entry ${line + 1}`);
    });
  });
  return entries;
};

const checkHeaders = (headers: readonly (readonly [HeaderOption, string])[], error: Report): void => {
  const seen = new Map<string, AgentOptionName>();
  for (const [option, name] of headers) {
    const key = canonicalName(name);
    const other = seen.get(key);
    const unfit = isToken(name) ? unfitHeader(option, name) : null;
    if (!isToken(name)) error(option, `"${name}" is no header name`);
    else if (unfit !== null) error(option, `the header ${name} ${unfit}`);
    else if (other !== undefined) error(option, `${other} names the header ${name} already`);
    seen.set(key, option);
  }
};

/** Whether any method is configured, be it well or badly. */
const namesMethod = ({ jwtSecret, jwtPublicKey, apiKeys = [], basicAuthUsers = [] }: AgentOptions): boolean =>
  jwtSecret !== undefined || jwtPublicKey !== undefined || apiKeys.length + basicAuthUsers.length > 0;

const forwarding = (value: boolean | undefined): CredentialForwarding => {
  if (value === undefined) return 'authorization';
  return value ? 'all' : 'none';
};

/** Checks the merged options against each other and fills in the defaults. */
export const completeAgentOptions = (options: AgentOptions, files: EntryFiles): CompletedAgentOptions => {
  const problems: AgentOptionProblem[] = [];
  const reporter =
    (severity: 'error' | 'warning'): Report =>
    (option, message, suggestion) =>
      problems.push({ severity, option, message, suggestion: suggestion ?? null });
  const error = reporter('error');
  const warn = reporter('warning');

  const jwt = jwtOptions(options, error, warn);
  const apiKeys = parseEntries<ApiKey>(
    'api-keys',
    options.apiKeys ?? [],
    files,
    parseApiKey,
    (entry) => entry.key.reveal(),
    'key',
    error,
  );
  const basicUsers = parseEntries<BasicUser>(
    'basic-auth-users',
    options.basicAuthUsers ?? [],
    files,
    parseBasicUser,
    (entry) => entry.user,
    'user',
    error,
  );
  const apiKeyHeader = options.apiKeyHeader ?? agentDefaults.apiKeyHeader;
  const userIdHeader = options.userIdHeader ?? agentDefaults.userIdHeader;
  const authMethodHeader = options.authMethodHeader ?? agentDefaults.authMethodHeader;
  checkHeaders(
    [
      ['user-id-header', userIdHeader],
      ['auth-method-header', authMethodHeader],
      ['api-key-header', apiKeyHeader],
    ],
    error,
  );
  if (options.failOpen === true && !namesMethod(options)) {
    warn('fail-open', 'it has no effect while no authentication method is configured: every request is refused');
  }
  const complete: CompleteAgentOptions = {
    socket: options.socket ?? agentDefaults.socket,
    jwt,
    apiKeys,
    apiKeyHeader,
    basicUsers,
    userIdHeader,
    authMethodHeader,
    failOpen: options.failOpen ?? agentDefaults.failOpen,
    forwardCredentials: forwarding(options.forwardCredentials),
  };
  const failed = problems.some((problem) => problem.severity === 'error');
  return { options: failed ? null : complete, problems };
};
