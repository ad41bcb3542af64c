import type { AgentOptionName } from '../../../domain/agent/configuration/agent-options-schema.js';
import { parseEntryList } from '../../../domain/agent/configuration/credential-entries.js';
import type { AgentOptionText } from '../../../domain/agent/configuration/decode-agent-options.js';
import type { UsageOutput } from '../../command-line/command-output.js';
import { type FlagValues, flagValue, isSet, repeatedFlag } from '../../command-line/flag-values.js';
import { helpOutput, misuse, type Program, readArguments } from '../../command-line/program.js';
import { type AgentOptionFlag, agentOptionFlags, agentProgram } from './agent-program.js';
import { type HashCommand, parseHashArguments } from './parse-hash-arguments.js';

/** The agent block whose options count. */
export interface AgentBlockLocation {
  readonly configFile: string;
  /** Null: the only agent of the file. */
  readonly agentName: string | null;
}

export interface AgentRun {
  /** Variables, then flags: the last text of an option counts. */
  readonly options: readonly AgentOptionText[];
  readonly block: AgentBlockLocation | null;
  readonly verbose: boolean;
  /** Flags with a secret in the clear, which everyone can read who can list processes. */
  readonly exposedSecrets: readonly string[];
}

/** `gateway-auth`. */
export type AgentCommand =
  | ({ readonly kind: 'run' } & AgentRun)
  /** `--test` and `--validate`: load everything and report. */
  | ({ readonly kind: 'check' } & AgentRun)
  | HashCommand;

const agentMisuse = (text: string): UsageOutput => misuse('gateway-auth', text);

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Flags without attached values: after a mistyped flag that may be a secret, which commander's message would repeat.
 */
const bareFlags = (argv: readonly string[]): string[] =>
  argv.map((argument) => {
    if (argument.startsWith('--')) return argument.split('=', 1)[0] as string;
    return argument.startsWith('-') ? argument.slice(0, 2) : argument;
  });

/** Flags that take lists are repeatable. */
const lists: readonly string[] = ['api-keys', 'basic-auth-users'] satisfies readonly AgentOptionName[];

/** Commander passes true for a flag without its optional value. */
const flagTexts = (given: readonly string[] | true): readonly string[] => (given === true ? ['true'] : given);

const exposesSecret = (flag: AgentOptionFlag, text: string): boolean =>
  flag.secret && (!lists.includes(flag.option) || parseEntryList(text).some((entry) => entry.kind === 'entry'));

const blockLocation = (values: FlagValues): AgentBlockLocation | null => {
  const configFile = flagValue(values, 'config');
  return configFile === null ? null : { configFile, agentName: flagValue(values, 'agent') };
};

const toCommand = (values: FlagValues, env: Environment): AgentCommand | UsageOutput => {
  const repeated = repeatedFlag(values, lists);
  if (repeated !== null) return agentMisuse(`error: --${repeated} is given more than once`);
  const block = blockLocation(values);
  if (block === null && isSet(values, 'agent')) return agentMisuse('error: --agent needs --config FILE');
  if (block?.configFile === '') return agentMisuse('error: the name of the configuration file is empty');

  const fromVariables: AgentOptionText[] = [];
  const fromFlags: AgentOptionText[] = [];
  const exposedSecrets: string[] = [];
  for (const flag of agentOptionFlags) {
    const { option, variable } = flag;
    // Container files unset a variable by an empty value.
    const text = env[variable];
    if (text !== undefined && text !== '') fromVariables.push({ option, text, source: variable });
    const given = values[option];
    if (given === undefined) continue;
    const texts = flagTexts(given);
    for (const text of texts) fromFlags.push({ option, text, source: `--${option}` });
    if (texts.some((text) => exposesSecret(flag, text))) exposedSecrets.push(`--${option}`);
  }
  return {
    kind: isSet(values, 'test') || isSet(values, 'validate') ? 'check' : 'run',
    options: [...fromVariables, ...fromFlags],
    block,
    verbose: isSet(values, 'verbose'),
    exposedSecrets,
  };
};

/**
 * Reads the command line of `gateway-auth`. Never throws, writes or ends the process, and repeats no value.
 *
 * @param argv the arguments alone, without the paths of Node and of the program
 * @param version of the program, as in `1.2.3`
 */
export const parseAgentArguments = (
  argv: readonly string[],
  env: Environment,
  version: string,
): AgentCommand | UsageOutput => {
  const hashCommand = parseHashArguments(argv);
  if (hashCommand !== null) return hashCommand;
  const program: Program = (print) => agentProgram(version, print);
  const parsed = readArguments(program, argv);
  if (parsed.kind === 'parsed') return toCommand(parsed.values, env);
  if (parsed.kind === 'help') return helpOutput(parsed.text);
  const withoutValues = readArguments(program, bareFlags(argv));
  return agentMisuse(withoutValues.kind === 'parsed' ? 'error: the arguments cannot be read' : withoutValues.text);
};
