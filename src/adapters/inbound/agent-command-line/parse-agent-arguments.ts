import { CommanderError } from 'commander';
import { parseEntryList } from '../../../domain/agent/configuration/credential-entries.js';
import type { AgentOptionText } from '../../../domain/agent/configuration/decode-agent-options.js';
import type { AgentBlockPlace, AgentCommand } from './agent-command.js';
import { type AgentOptionFlag, agentOptionFlags } from './agent-option-flags.js';
import { type AgentFlagValues, agentProgram } from './agent-program.js';
import { parseHashArguments } from './parse-hash-arguments.js';

type Environment = Readonly<Record<string, string | undefined>>;

const misuse = (text: string): AgentCommand => ({
  kind: 'say',
  text: `${text.trimEnd()}\n(gateway-auth --help shows the usage)\n`,
  exitCode: 2,
});

/** The flags without what is attached to them: a mistyped one may have a secret there, and commander would repeat it. */
const bareFlags = (argv: readonly string[]): string[] =>
  argv.map((argument) => {
    if (argument.startsWith('--')) return argument.split('=', 1)[0] as string;
    return argument.startsWith('-') ? argument.slice(0, 2) : argument;
  });

const isList = ({ option }: AgentOptionFlag): boolean => option === 'api-keys' || option === 'basic-auth-users';

/** Flags that may be given once alone, and were not. */
const repeatedFlag = (values: AgentFlagValues): string | null => {
  const lists = new Set<string>(agentOptionFlags.filter(isList).map(({ option }) => option));
  for (const [name, given] of Object.entries(values)) {
    if (Array.isArray(given) && given.length > 1 && !lists.has(name)) return name;
  }
  return null;
};

/** Commander gives true where a flag with an optional value has none. */
const flagTexts = (given: readonly string[] | true): readonly string[] => (given === true ? ['true'] : given);

const exposesSecret = (flag: AgentOptionFlag, text: string): boolean =>
  flag.secret && (!isList(flag) || parseEntryList(text).some((entry) => entry.kind === 'entry'));

const single = (given: readonly string[] | true | undefined): string | null =>
  given === undefined || given === true ? null : (given[0] ?? null);

const blockPlace = (values: AgentFlagValues): AgentBlockPlace | null => {
  const configFile = single(values['config']);
  return configFile === null ? null : { configFile, agentName: single(values['agent']) };
};

const toCommand = (values: AgentFlagValues, env: Environment): AgentCommand => {
  const repeated = repeatedFlag(values);
  if (repeated !== null) return misuse(`error: --${repeated} is given more than once`);
  const block = blockPlace(values);
  if (block === null && values['agent'] !== undefined) return misuse('error: --agent needs --config FILE');
  if (block?.configFile === '') return misuse('error: the name of the configuration file is empty');

  const fromVariables: AgentOptionText[] = [];
  const fromFlags: AgentOptionText[] = [];
  const exposedSecrets: string[] = [];
  for (const flag of agentOptionFlags) {
    const { option, variable } = flag;
    // An empty variable is how a container file leaves one unset.
    const text = env[variable];
    if (text !== undefined && text !== '') fromVariables.push({ option, text, source: variable });
    const given = values[option];
    if (given === undefined) continue;
    const texts = flagTexts(given);
    for (const text of texts) fromFlags.push({ option, text, source: `--${option}` });
    if (texts.some((text) => exposesSecret(flag, text))) exposedSecrets.push(`--${option}`);
  }
  return {
    kind: values['test'] || values['validate'] ? 'check' : 'run',
    options: [...fromVariables, ...fromFlags],
    block,
    verbose: values['verbose'] === true,
    exposedSecrets,
  };
};

/** Commander names its values in camel case. */
const byFlagName = (values: Readonly<Record<string, unknown>>): AgentFlagValues =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
      value as readonly string[] | true,
    ]),
  );

type Parsed =
  | { readonly ok: true; readonly values: AgentFlagValues }
  | { readonly ok: false; readonly text: string; readonly exitCode: number };

const parse = (argv: readonly string[], version: string): Parsed => {
  let said = '';
  const program = agentProgram(version, (text) => {
    said += text;
  });
  try {
    program.parse(argv, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return { ok: false, text: said, exitCode: error.exitCode };
  }
  return { ok: true, values: byFlagName(program.opts()) };
};

/**
 * Reads the command line of `gateway-auth`. Never throws, writes or ends the process, and repeats no value.
 *
 * @param argv the arguments alone, without the paths of Node and of the program
 * @param version of the program, as in `1.2.3`
 */
export const parseAgentArguments = (argv: readonly string[], env: Environment, version: string): AgentCommand => {
  const hashCommand = parseHashArguments(argv);
  if (hashCommand !== null) return hashCommand;
  const parsed = parse(argv, version);
  if (parsed.ok) return toCommand(parsed.values, env);
  if (parsed.exitCode === 0) return { kind: 'say', text: parsed.text, exitCode: 0 };
  const told = parse(bareFlags(argv), version);
  return misuse(told.ok ? 'error: the arguments cannot be read' : told.text);
};
