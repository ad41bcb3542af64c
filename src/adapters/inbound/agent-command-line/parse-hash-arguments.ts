import { keyNameFault } from '../../../domain/agent/identity/new-api-key.js';
import {
  type PasswordAlgorithm,
  passwordAlgorithms,
  userNameFault,
} from '../../../domain/agent/identity/new-password.js';
import type { UsageOutput } from '../../command-line/command-output.js';
import { type FlagValues, flagValue, isSet, repeatedFlag } from '../../command-line/flag-values.js';
import { helpOutput, misuse, newProgram, type Program, readArguments, valueFlag } from '../../command-line/program.js';

/** `hash-password` and `hash-key`, which hash a secret for a configuration. */
export type HashCommand =
  /** With a user, the output is the whole entry. */
  | { readonly kind: 'hash-password'; readonly algorithm: PasswordAlgorithm; readonly user: string | null }
  /** With a name, the output is the whole entry. */
  | { readonly kind: 'hash-key'; readonly generate: boolean; readonly name: string | null };

const passwordHelp = `
The password is never an argument: other users could see it, and the shell would record it. On a terminal the command asks
twice without echo; otherwise it reads one line from standard input.
The command writes the hash to standard output. In basic-auth-users it can replace the plain password.

Algorithms, with the cost that OWASP recommends:
  argon2id  m=19456,t=2,p=1: 19 MiB of memory per check; recommended
  bcrypt    cost 12, for use in other programs; passwords of at most 72 bytes
  scrypt    ln=17,r=8,p=1: 128 MiB of memory per check

Examples:
  gateway-auth hash-password --user ann                         ask, then write ann:$argon2id$...
  gateway-auth hash-password --user ann >> /etc/portcullis/users
                                                                append a line to the file that
                                                                basic-auth-users names as @/etc/portcullis/users
  gateway-auth hash-password --algorithm bcrypt < password.txt  read the password from a file

A hash contains $: put it in single quotes in a shell, and in files that a shell reads.

Exit codes:
  0    the hash is written
  1    this host cannot compute the hash
  2    wrong usage, or an unsuitable password or name
  130  interrupted
`;

const keyHelp = `
The key is never an argument: other users could see it, and the shell would record it. The command reads one line from
standard input, without echo on a terminal. With --generate it makes a new key of 256 random bits instead, shows it once
on standard error, and stores it nowhere.
The command writes the digest to standard output, as an entry of api-keys: sha256:<digest>:<name>. Clients still send the
key itself.

The digest is fast to compute and has no salt, so that requests stay fast. It protects only random keys: a short or
invented key can be recovered from its digest. The command refuses keys of fewer than 20 characters.

Examples:
  gateway-auth hash-key --generate --name reports                 make a key and its entry
  gateway-auth hash-key --generate --name reports >> /etc/portcullis/keys
                                                                  show the key, append the entry to the file
  gateway-auth hash-key --name reports < reports.key              make the entry of an existing key

Exit codes:
  0    the digest is written
  2    wrong usage, or an unsuitable key or name
  130  interrupted
`;

const hashPasswordProgram: Program = (print) =>
  newProgram('gateway-auth hash-password', '[options]', print)
    .description('Hashes a password for basic-auth-users, so that the configuration does not contain it.')
    .addOption(valueFlag('--algorithm <name>', `${passwordAlgorithms.join(', ')} (default: ${passwordAlgorithms[0]})`))
    .addOption(valueFlag('--user <name>', 'write a complete entry, <name>:<hash>'))
    .addHelpText('after', passwordHelp);

const hashKeyProgram: Program = (print) =>
  newProgram('gateway-auth hash-key', '[options]', print)
    .description('Hashes an API key for api-keys, so that the configuration does not contain it.')
    .option('--generate', 'generate a key instead of reading one')
    .addOption(valueFlag('--name <name>', 'write a complete entry, sha256:<digest>:<name>'))
    .addHelpText('after', keyHelp);

type HashCommandName = 'hash-password' | 'hash-key';

const hashMisuse = (name: HashCommandName, message: string): UsageOutput =>
  misuse(`gateway-auth ${name}`, `error: ${message}`);

const asArgument: Readonly<Record<HashCommandName, string>> = {
  'hash-password':
    'arguments are not allowed: other users can see this password, and the history of the shell contains it; ' +
    'choose another password',
  'hash-key':
    'arguments are not allowed: other users can see this key, and the history of the shell contains it; ' +
    'choose another key',
};

/** Describes the misuse and repeats no argument: each of them may be the secret. */
const usageFault = (name: HashCommandName, code: string): string => {
  if (code === 'commander.excessArguments') return asArgument[name];
  if (code === 'commander.unknownOption') return 'unknown option';
  return code === 'commander.optionMissingArgument' ? 'an option has no value' : 'the arguments cannot be read';
};

/** Refuses an unfit name before anyone has typed a secret. */
const hashPasswordCommand = (values: FlagValues): HashCommand | UsageOutput => {
  const chosen = flagValue(values, 'algorithm') ?? passwordAlgorithms[0];
  const algorithm = passwordAlgorithms.find((one) => one === chosen);
  if (algorithm === undefined) {
    return hashMisuse('hash-password', `--algorithm must be one of ${passwordAlgorithms.join(', ')}`);
  }
  const user = flagValue(values, 'user');
  const fault = user === null ? null : userNameFault(user);
  return fault === null ? { kind: 'hash-password', algorithm, user } : hashMisuse('hash-password', fault);
};

const hashKeyCommand = (values: FlagValues): HashCommand | UsageOutput => {
  const name = flagValue(values, 'name');
  const fault = name === null ? null : keyNameFault(name);
  return fault === null
    ? { kind: 'hash-key', generate: isSet(values, 'generate'), name }
    : hashMisuse('hash-key', fault);
};

const parse = (
  name: HashCommandName,
  program: Program,
  toCommand: (values: FlagValues) => HashCommand | UsageOutput,
  argv: readonly string[],
): HashCommand | UsageOutput => {
  const parsed = readArguments(program, argv);
  if (parsed.kind === 'help') return helpOutput(parsed.text);
  if (parsed.kind === 'misuse') return hashMisuse(name, usageFault(name, parsed.code));
  const repeated = repeatedFlag(parsed.values);
  return repeated === null ? toCommand(parsed.values) : hashMisuse(name, `--${repeated} is given more than once`);
};

/**
 * Reads `hash-password ...` and `hash-key ...`. Null: the arguments name neither. Never throws, writes or ends the
 * process, and repeats no argument.
 */
export const parseHashArguments = ([name, ...argv]: readonly string[]): HashCommand | UsageOutput | null => {
  if (name === 'hash-password') return parse(name, hashPasswordProgram, hashPasswordCommand, argv);
  return name === 'hash-key' ? parse(name, hashKeyProgram, hashKeyCommand, argv) : null;
};
