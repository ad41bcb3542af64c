import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { UsageOutput } from '../../command-line/command-output.js';
import { isSet } from '../../command-line/flag-values.js';
import { misuse, type ParsedArguments, parseCommandName, parseProgram } from '../../command-line/program.js';
import { explainSubjectOf } from './parse-explain-arguments.js';
import { type PolicyCommand, policyLocationOf } from './policy-command.js';
import {
  type PolicyCommandName,
  policyCommandNames,
  policyGroup,
  policyProgram,
  policyPrograms,
} from './policy-programs.js';

const repeatable = ['policies', 'role', 'claim'];

const toCommand = (command: PolicyCommandName, { values, args }: ParsedArguments): Result<PolicyCommand, string> => {
  switch (command) {
    case 'check': {
      const location = policyLocationOf(values, args, 'paths');
      if (!location.ok) return location;
      return ok({ kind: 'check', location: location.value, strict: isSet(values, 'strict') });
    }
    case 'test':
      if (args.includes('')) return err('a test file name must not be empty');
      return ok({ kind: 'test', files: [...new Set(args)], quiet: isSet(values, 'quiet') });
    case 'explain': {
      const subject = explainSubjectOf(values);
      if (!subject.ok) return subject;
      return ok({ kind: 'explain', subject: subject.value, json: isSet(values, 'json') });
    }
    case 'corpus': {
      const [folder = ''] = args;
      return folder === '' ? err('the folder name must not be empty') : ok({ kind: 'corpus', folder });
    }
  }
};

/** Reads the arguments after `gateway-auth policy`. Never throws, writes or ends the process. */
export const parsePolicyArguments = (argv: readonly string[]): PolicyCommand | UsageOutput => {
  const command = parseCommandName(policyGroup, policyProgram, policyCommandNames, argv);
  if (typeof command !== 'string') return command;
  const name = `${policyGroup} ${command}`;
  const parsed = parseProgram(name, policyPrograms[command], argv.slice(1), repeatable);
  if (parsed.kind === 'usage') return parsed;
  const result = toCommand(command, parsed);
  return result.ok ? result.value : misuse(name, `error: ${result.error}`);
};
