import type { Result } from '../../shared/result.js';
import type { Secret } from '../../shared/secret.js';
import { weakness } from '../identity/password-hash-rules.js';
import type { ApiKey, BasicUser, EntrySource } from './agent-configuration.js';
import type { AgentOptionName, AgentOptions } from './agent-options-schema.js';
import {
  entryEndFault,
  entryFiles,
  parseApiKey,
  parseBasicUser,
  parseEntryFile,
  shownEntryFile,
} from './credential-entries.js';
import type { OptionReport } from './option-report.js';

/** The text of each `@FILE` by path. */
export type EntryFiles = ReadonlyMap<string, string>;

/** Paths of the `@FILE` entries, to be read before the options are completed. */
export const agentEntryFiles = (options: AgentOptions): string[] => [
  ...entryFiles(options.apiKeys ?? []),
  ...entryFiles(options.basicAuthUsers ?? []),
];

/** How to parse and identify the entries of a list. */
interface EntryRules<Entry> {
  readonly option: AgentOptionName;
  readonly parse: (entry: Secret) => Result<Entry, string>;
  readonly identity: (entry: Entry) => string;
  /** What must be unique among entries. */
  readonly noun: string;
}

/** Parses all entries of a list. Problems name the number of the entry, and its file. */
const parseEntries = <Entry>(
  { option, parse, identity, noun }: EntryRules<Entry>,
  sources: readonly EntrySource[],
  files: EntryFiles,
  error: OptionReport,
): Entry[] => {
  const entries: Entry[] = [];
  const seen = new Set<string>();
  const take = (text: Secret, place: string) => {
    const endFault = entryEndFault(text);
    const parsed = parse(text);
    if (endFault !== null) {
      error(option, `${place} ${endFault}`);
    } else if (!parsed.ok) {
      error(option, `${place} ${parsed.error}`);
    } else if (seen.has(identity(parsed.value))) {
      error(option, `${place} repeats the ${noun} of an earlier entry`);
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

const keyRules: EntryRules<ApiKey> = {
  option: 'api-keys',
  parse: parseApiKey,
  identity: ({ key }) => (key.kind === 'plain' ? `plain ${key.text.reveal()}` : `sha256 ${key.digest.reveal()}`),
  noun: 'key',
};

const userRules: EntryRules<BasicUser> = {
  option: 'basic-auth-users',
  parse: parseBasicUser,
  identity: ({ user }) => user,
  noun: 'user',
};

export const apiKeyEntries = (options: AgentOptions, files: EntryFiles, error: OptionReport): ApiKey[] =>
  parseEntries(keyRules, options.apiKeys ?? [], files, error);

/** One warning per kind and cost of hash. */
const warnOfWeakHashes = (users: readonly BasicUser[], warn: OptionReport): void => {
  const weaknesses = new Set<string>();
  for (const { password } of users) {
    const found = password.kind === 'plain' ? null : weakness(password);
    if (found !== null) weaknesses.add(found);
  }
  for (const found of weaknesses) warn('basic-auth-users', `a password is stored as ${found}`);
};

export const basicUserEntries = (
  options: AgentOptions,
  files: EntryFiles,
  error: OptionReport,
  warn: OptionReport,
): BasicUser[] => {
  const users = parseEntries(userRules, options.basicAuthUsers ?? [], files, error);
  warnOfWeakHashes(users, warn);
  return users;
};
