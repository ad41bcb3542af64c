import { Command, CommanderError, Option } from 'commander';
import { didYouMean } from '../../domain/configuration/schema/did-you-mean.js';
import type { UsageOutput } from './command-output.js';
import { byFlagName, type FlagValues, repeatedFlag } from './flag-values.js';

/** Builds a commander command that passes its output to `print`. It writes nothing and never exits the process. */
export type Program = (print: (text: string) => void) => Command;

/** Width of help in columns. It is independent of the terminal, so that reference pages can show the help. */
const defaultHelpWidth = 100;

/** @param name the full name, as in `gateway-auth sessions list` */
export const newProgram = (
  name: string,
  usage: string,
  print: (text: string) => void,
  helpWidth = defaultHelpWidth,
): Command =>
  new Command(name)
    .usage(usage)
    .helpOption('-h, --help', 'print this help and exit')
    .showSuggestionAfterError(true)
    .configureOutput({
      writeOut: print,
      writeErr: print,
      getOutHelpWidth: () => helpWidth,
      getErrHelpWidth: () => helpWidth,
    })
    .exitOverride()
    .allowExcessArguments(false);

const append = (value: string, earlier: readonly string[] | undefined): readonly string[] => [
  ...(earlier ?? []),
  value,
];

/** A flag with a value. It keeps all its values, so that a repeated flag is an error and no value is lost. */
export const valueFlag = (flags: string, meaning: string): Option => new Option(flags, meaning).argParser(append);

/** Adds `--config` and `--agent`, which choose an agent block of a gateway's file. */
export const withAgentBlock = (command: Command, configMeaning: string): Command =>
  command
    .addOption(valueFlag('--config <file>', configMeaning))
    .addOption(valueFlag('--agent <name>', 'agent block to use, if the file has several'));

export interface ParsedArguments {
  readonly kind: 'parsed';
  readonly values: FlagValues;
  readonly args: readonly string[];
}

/** The result for arguments that run no command. */
type RefusedArguments =
  /** Help, or the version. */
  | { readonly kind: 'help'; readonly text: string }
  /** The code is commander's, as in `commander.unknownOption`. */
  | { readonly kind: 'misuse'; readonly text: string; readonly code: string };

export const readArguments = (program: Program, argv: readonly string[]): ParsedArguments | RefusedArguments => {
  let text = '';
  const command = program((printed) => {
    text += printed;
  });
  try {
    command.parse(argv, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? { kind: 'help', text } : { kind: 'misuse', text, code: error.code };
  }
  return { kind: 'parsed', values: byFlagName(command.opts()), args: command.args };
};

export const helpOutput = (text: string): UsageOutput => ({ kind: 'usage', stdout: text, stderr: '', exitCode: 0 });

/** @param name the full name, as in `gateway-auth sessions list` */
export const misuse = (name: string, text: string): UsageOutput => ({
  kind: 'usage',
  stdout: '',
  stderr: `${text.trimEnd()}\n(${name} --help shows the usage)\n`,
  exitCode: 2,
});

/** Reads the arguments of one command. A repeated flag is misuse, unless it is repeatable. */
export const parseProgram = (
  name: string,
  program: Program,
  argv: readonly string[],
  repeatable: readonly string[] = [],
): ParsedArguments | UsageOutput => {
  const parsed = readArguments(program, argv);
  if (parsed.kind === 'help') return helpOutput(parsed.text);
  if (parsed.kind === 'misuse') return misuse(name, parsed.text);
  const repeated = repeatedFlag(parsed.values, repeatable);
  return repeated === null ? parsed : misuse(name, `error: --${repeated} is given more than once`);
};

/**
 * Reads the first argument, which names a command of a group. Without a name the flags are those of the group.
 *
 * @param group its full name, as in `gateway-auth sessions`
 */
export const parseCommandName = <Name extends string>(
  group: string,
  program: Program,
  names: readonly Name[],
  argv: readonly string[],
): Name | UsageOutput => {
  const [first = '-'] = argv;
  const name = names.find((one) => one === first);
  if (name !== undefined) return name;
  if (first.startsWith('-')) {
    const parsed = parseProgram(group, program, argv);
    return parsed.kind === 'usage' ? parsed : misuse(group, `error: no command: choose one of ${names.join(', ')}`);
  }
  const all = names.length === 1 ? `the only command is ${names[0]}` : `the commands are ${names.join(', ')}`;
  const hint = didYouMean(first, names) ?? all;
  return misuse(group, `error: unknown command "${first.slice(0, 80)}"; ${hint}`);
};
