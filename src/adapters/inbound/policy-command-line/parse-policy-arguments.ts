import { type Command, CommanderError } from 'commander';
import { didYouMean } from '../../../domain/configuration/schema/did-you-mean.js';
import type { FlagValues } from './flag-values.js';
import { explainSubjectOf } from './parse-explain-arguments.js';
import { policyPlaceOf } from './parse-policy-place.js';
import type { PolicyCommand } from './policy-command.js';
import { type PolicyCommandName, policyCommandNames, policyProgram, policyProgramOf } from './policy-programs.js';

/** Options that may be given several times. */
const lists = new Set(['policies', 'role', 'claim']);

const misuse = (name: string, text: string): PolicyCommand => ({
  kind: 'say',
  text: `${text.trimEnd()}\n(gateway-auth policy${name === '' ? '' : ` ${name}`} --help shows the usage)\n`,
  exitCode: 2,
});

interface Parsed {
  readonly values: FlagValues;
  readonly args: readonly string[];
}

const read = (
  name: string,
  program: (say: (text: string) => void) => Command,
  argv: readonly string[],
): Parsed | PolicyCommand => {
  let said = '';
  const command = program((text) => {
    said += text;
  });
  try {
    command.parse(argv, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? { kind: 'say', text: said, exitCode: 0 } : misuse(name, said);
  }
  return { values: command.opts(), args: command.args };
};

const toCommand = (name: PolicyCommandName, { values, args }: Parsed): PolicyCommand => {
  for (const [option, given] of Object.entries(values)) {
    if (!lists.has(option) && Array.isArray(given) && given.length > 1) {
      const flag = option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
      return misuse(name, `error: --${flag} is given more than once`);
    }
  }
  switch (name) {
    case 'check': {
      const place = policyPlaceOf(values, args, 'paths');
      if (!place.ok) return misuse(name, `error: ${place.error}`);
      return { kind: 'check', place: place.value, strict: values['strict'] === true };
    }
    case 'test':
      if (args.includes('')) return misuse(name, 'error: the name of a test file is empty');
      return { kind: 'test', files: [...new Set(args)], quiet: values['quiet'] === true };
    case 'explain': {
      const subject = explainSubjectOf(values);
      if (!subject.ok) return misuse(name, `error: ${subject.error}`);
      return { kind: 'explain', subject: subject.value, json: values['json'] === true };
    }
    case 'corpus': {
      const [folder = ''] = args;
      return folder === '' ? misuse(name, 'error: the name of the folder is empty') : { kind: 'corpus', folder };
    }
  }
};

/** Reads what follows `gateway-auth policy`. Never throws, writes or ends the process. */
export const parsePolicyArguments = (argv: readonly string[]): PolicyCommand => {
  const [first, ...rest] = argv;
  const name = policyCommandNames.find((one) => one === first);
  if (name !== undefined) {
    const parsed = read(name, (say) => policyProgramOf(name, say), rest);
    return 'kind' in parsed ? parsed : toCommand(name, parsed);
  }
  if (first === undefined) return misuse('', `error: give a command: ${policyCommandNames.join(', ')}`);
  if (first.startsWith('-')) {
    const parsed = read('', policyProgram, argv);
    return 'kind' in parsed ? parsed : misuse('', `error: give a command: ${policyCommandNames.join(', ')}`);
  }
  const near = didYouMean(first, policyCommandNames);
  const known = near ?? `the commands are ${policyCommandNames.join(', ')}`;
  return misuse('', `error: there is no command "${first.slice(0, 80)}"; ${known}`);
};
