import { describe, expect, it } from 'vitest';
import { flagChoice, flagValue, flagValues, isSet } from '../../../../src/adapters/command-line/flag-values.js';
import {
  newProgram,
  type Program,
  parseCommandName,
  parseProgram,
  valueFlag,
} from '../../../../src/adapters/command-line/program.js';

const copy: Program = (print) =>
  newProgram('tool copy', '[options]', print)
    .description('Copies files.')
    .addOption(valueFlag('--store-path <file>', 'where to'))
    .addOption(valueFlag('--mode <word>', 'fast or safe'))
    .option('--json', 'write JSON');

const parse = (...argv: string[]) => parseProgram('tool copy', copy, argv, ['mode']);

const values = (...argv: string[]) => {
  const parsed = parse(...argv);
  if (parsed.kind === 'usage') throw new Error(parsed.stderr);
  return parsed.values;
};

describe('the arguments of a command', () => {
  it('have flags by name, with all values of a repeatable flag', () => {
    const read = values('--store-path', 'a.db', '--mode', 'fast', '--mode=safe', '--json');
    expect(flagValue(read, 'store-path')).toBe('a.db');
    expect(flagValues(read, 'mode')).toEqual(['fast', 'safe']);
    expect([isSet(read, 'json'), isSet(read, 'other')]).toEqual([true, false]);
    expect([flagValue(read, 'json'), flagValue(read, 'other')]).toEqual([null, null]);
  });

  it('suggest the nearest word', () => {
    const words = ['fast', 'safe'] as const;
    expect(flagChoice(values('--mode', 'safe'), 'mode', words)).toEqual({ ok: true, value: 'safe' });
    expect(flagChoice(values(), 'mode', words)).toEqual({ ok: true, value: null });
    expect(flagChoice(values('--mode', 'sfe'), 'mode', words)).toEqual({
      ok: false,
      error: '--mode must be one of fast, safe; did you mean "safe"?',
    });
  });

  it('print help on the standard output', () => {
    const help = parse('--help');
    expect(help).toMatchObject({ kind: 'usage', stderr: '', exitCode: 0 });
    expect(help.kind === 'usage' && help.stdout).toContain('Copies files.');
  });

  it.each([
    [['--jso'], 'Did you mean --json?'],
    [['--store-path'], "option '--store-path <file>' argument missing"],
    [['--store-path', 'a', '--store-path', 'b'], 'error: --store-path is given more than once'],
    [['surplus'], 'too many arguments'],
  ])('explain the misuse of %j on the standard error', (argv, clause) => {
    const misuse = parse(...argv);
    expect(misuse).toMatchObject({ kind: 'usage', stdout: '', exitCode: 2 });
    expect(misuse.kind === 'usage' && misuse.stderr).toContain(clause);
    expect(misuse.kind === 'usage' && misuse.stderr).toMatch(/\n\(tool copy --help shows the usage\)\n$/);
  });
});

describe('the command of a group', () => {
  const group: Program = (print) => newProgram('tool', '<command>', print);
  const name = (...argv: string[]) => parseCommandName('tool', group, ['copy', 'move'], argv);
  const misuse = (...argv: string[]): string => {
    const parsed = name(...argv);
    return typeof parsed === 'string' ? parsed : `${parsed.exitCode} ${parsed.stderr}`;
  };

  it('is the first argument', () => {
    expect(name('move', '--help')).toBe('move');
  });

  it('is required, suggested or listed', () => {
    const usage = '\n(tool --help shows the usage)\n';
    expect(misuse()).toBe(`2 error: no command: choose one of copy, move${usage}`);
    expect(misuse('mov')).toBe(`2 error: unknown command "mov"; did you mean "move"?${usage}`);
    expect(misuse('xyz')).toBe(`2 error: unknown command "xyz"; the commands are copy, move${usage}`);
    expect(name('--help')).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Usage: tool <command>') });
  });
});
