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
The password is never an argument, which everyone on the machine could see and the shell would keep. On a terminal it is asked
for twice and not shown; otherwise it is the one line of the standard input.
The hash is written to the standard output. A password in the clear in basic-auth-users can be replaced by it.

Algorithms, with the cost that OWASP advises:
  argon2id  m=19456,t=2,p=1: 19 MiB of memory a check; the one to choose
  bcrypt    cost 12, for what has to be read elsewhere; passwords of 72 bytes at most
  scrypt    ln=17,r=8,p=1: 128 MiB of memory a check

Examples:
  gateway-auth hash-password --user ann                         ask, then write ann:$argon2id$...
  gateway-auth hash-password --user ann >> /etc/portcullis/users
                                                                add a line to a file that
                                                                basic-auth-users names as @/etc/portcullis/users
  gateway-auth hash-password --algorithm bcrypt < password.txt  read the password from a file

In a shell and in files that a shell reads, put a hash in single quotes: it has $ in it.

Exit codes:
  0    the hash is written
  1    this machine cannot make it
  2    wrong usage, or a password or name that will not do
  130  interrupted
`;

const keyHelp = `
The key is never an argument, which everyone on the machine could see and the shell would keep. It is the one line of the
standard input, or what is typed at a terminal, which does not show it. With --generate there is none to read: a new one of
256 random bits is made, shown once on the standard error, and kept nowhere.
The digest is written to the standard output, as an entry of api-keys has it: sha256:<digest>:<name>. Clients go on sending
the key itself.

The digest has no salt and is fast to make, because a request must not be slow. That is safe for random keys alone: a short
one, or one that somebody thought up, could be found from its digest. Keys under 20 characters are refused.

Examples:
  gateway-auth hash-key --generate --name reports                 a new key, and the entry for it
  gateway-auth hash-key --generate --name reports >> /etc/portcullis/keys
                                                                  the key is shown, the entry goes to the file
  gateway-auth hash-key --name reports < reports.key              the entry for a key that is in use

Exit codes:
  0    the digest is written
  2    wrong usage, or a key or name that will not do
  130  interrupted
`;

const hashPasswordProgram: Program = (print) =>
  newProgram('gateway-auth hash-password', '[options]', print)
    .description('Hashes a password for basic-auth-users, so that the configuration does not give it away.')
    .addOption(valueFlag('--algorithm <name>', `${passwordAlgorithms.join(', ')} (default: ${passwordAlgorithms[0]})`))
    .addOption(valueFlag('--user <name>', 'write the whole entry, <name>:<hash>'))
    .addHelpText('after', passwordHelp);

const hashKeyProgram: Program = (print) =>
  newProgram('gateway-auth hash-key', '[options]', print)
    .description('Hashes an API key for api-keys, so that the configuration does not give it away.')
    .option('--generate', 'make a new key instead of reading one')
    .addOption(valueFlag('--name <name>', 'write the whole entry, sha256:<digest>:<name>'))
    .addHelpText('after', keyHelp);

type HashCommandName = 'hash-password' | 'hash-key';

const hashMisuse = (name: HashCommandName, message: string): UsageOutput =>
  misuse(`gateway-auth ${name}`, `error: ${message}`);

const asArgument: Readonly<Record<HashCommandName, string>> = {
  'hash-password':
    'there are no arguments: a password that is one can be seen by everyone on this machine, and is in the history of ' +
    'the shell; use another one',
  'hash-key':
    'there are no arguments: a key that is one can be seen by everyone on this machine, and is in the history of the ' +
    'shell; use another one',
};

/** Describes the misuse and repeats no argument: each of them may be the secret. */
const usageFault = (name: HashCommandName, code: string): string => {
  if (code === 'commander.excessArguments') return asArgument[name];
  if (code === 'commander.unknownOption') return 'there is no such option';
  return code === 'commander.optionMissingArgument' ? 'an option lacks its value' : 'the arguments cannot be read';
};

/** Refuses an unfit name before anyone has typed a secret. */
const hashPasswordCommand = (values: FlagValues): HashCommand | UsageOutput => {
  const chosen = flagValue(values, 'algorithm') ?? passwordAlgorithms[0];
  const algorithm = passwordAlgorithms.find((one) => one === chosen);
  if (algorithm === undefined) {
    return hashMisuse('hash-password', `--algorithm is one of ${passwordAlgorithms.join(', ')}`);
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
