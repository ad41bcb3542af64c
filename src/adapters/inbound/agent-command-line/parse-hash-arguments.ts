import { type Command, CommanderError } from 'commander';
import { keyNameFault } from '../../../domain/agent/identity/new-api-key.js';
import { passwordAlgorithms, userNameFault } from '../../../domain/agent/identity/new-password.js';
import type { AgentCommand } from './agent-command.js';
import { hashKeyProgram, hashPasswordProgram } from './hash-programs.js';

/** Options as commander gives them: one that takes a value holds every one that was given. */
type HashFlagValues = Readonly<Record<string, readonly string[] | true | undefined>>;

type HashCommandName = 'hash-password' | 'hash-key';

const misuse = (name: HashCommandName, message: string): AgentCommand => ({
  kind: 'say',
  text: `error: ${message}\n(gateway-auth ${name} --help shows the usage)\n`,
  exitCode: 2,
});

const asArgument: Readonly<Record<HashCommandName, string>> = {
  'hash-password':
    'there are no arguments: a password that is one can be seen by everyone on this machine, and is in the history of ' +
    'the shell; use another one',
  'hash-key':
    'there are no arguments: a key that is one can be seen by everyone on this machine, and is in the history of the ' +
    'shell; use another one',
};

/** Says what is wrong without a word of what was given: it may be the secret. */
const usageFault = (name: HashCommandName, { code }: CommanderError): string => {
  if (code === 'commander.excessArguments') return asArgument[name];
  if (code === 'commander.unknownOption') return 'there is no such option';
  return code === 'commander.optionMissingArgument' ? 'an option lacks its value' : 'the arguments cannot be read';
};

const repeated = (values: HashFlagValues): string | null => {
  for (const [option, given] of Object.entries(values)) if (Array.isArray(given) && given.length > 1) return option;
  return null;
};

const single = (given: readonly string[] | true | undefined): string | null =>
  given === undefined || given === true ? null : (given[0] ?? null);

/** A name that will not do is found before anyone has typed a secret. */
const hashPasswordCommand = (values: HashFlagValues): AgentCommand => {
  const chosen = single(values['algorithm']) ?? passwordAlgorithms[0];
  const algorithm = passwordAlgorithms.find((one) => one === chosen);
  if (algorithm === undefined) {
    return misuse('hash-password', `--algorithm is one of ${passwordAlgorithms.join(', ')}`);
  }
  const user = single(values['user']);
  const fault = user === null ? null : userNameFault(user);
  return fault === null ? { kind: 'hash-password', algorithm, user } : misuse('hash-password', fault);
};

const hashKeyCommand = (values: HashFlagValues): AgentCommand => {
  const name = single(values['name']);
  const fault = name === null ? null : keyNameFault(name);
  return fault === null ? { kind: 'hash-key', generate: values['generate'] === true, name } : misuse('hash-key', fault);
};

const parse = (
  name: HashCommandName,
  program: (say: (text: string) => void) => Command,
  toCommand: (values: HashFlagValues) => AgentCommand,
  argv: readonly string[],
): AgentCommand => {
  let said = '';
  const command = program((text) => {
    said += text;
  });
  try {
    command.parse(argv, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { kind: 'say', text: said, exitCode: 0 };
    return misuse(name, usageFault(name, error));
  }
  const values: HashFlagValues = command.opts();
  const twice = repeated(values);
  return twice === null ? toCommand(values) : misuse(name, `--${twice} is given more than once`);
};

/**
 * Reads `hash-password ...` and `hash-key ...`; null where the arguments are of neither. Never throws, writes or ends the
 * process, and repeats nothing that was given.
 */
export const parseHashArguments = ([name, ...argv]: readonly string[]): AgentCommand | null => {
  if (name === 'hash-password') return parse(name, hashPasswordProgram, hashPasswordCommand, argv);
  return name === 'hash-key' ? parse(name, hashKeyProgram, hashKeyCommand, argv) : null;
};
