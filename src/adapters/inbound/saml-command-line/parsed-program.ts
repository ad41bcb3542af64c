import { CommanderError } from 'commander';
import type { SayCommand } from './saml-command.js';
import type { Program } from './saml-programs.js';

/** Options as commander gives them, in camel case: one that takes a value holds every one that was given. */
export type FlagValues = Readonly<Record<string, readonly string[] | true | undefined>>;

export interface ParsedProgram {
  readonly kind: 'parsed';
  readonly values: FlagValues;
  readonly args: readonly string[];
}

/** The value of an option; null where it is not given. */
export const only = (values: FlagValues, name: string): string | null => {
  const value = values[name];
  return value === undefined || value === true ? null : (value[0] ?? null);
};

/** @param name of the command, as in `gateway-auth sessions list` */
export const misuse = (name: string, text: string): SayCommand => ({
  kind: 'say',
  text: `${text.trimEnd()}\n(${name} --help shows the usage)\n`,
  exitCode: 2,
});

/** Reads the arguments of one command; each of its options may be given once. */
export const parseProgram = (name: string, program: Program, argv: readonly string[]): ParsedProgram | SayCommand => {
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
  const values: FlagValues = command.opts();
  for (const [option, given] of Object.entries(values)) {
    if (!Array.isArray(given)) continue;
    const flag = `--${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    if (given.length > 1) return misuse(name, `error: ${flag} is given more than once`);
    if (given[0] === '') return misuse(name, `error: ${flag} is empty`);
  }
  return { kind: 'parsed', values, args: command.args };
};
