import { describe, expect, it } from 'vitest';
import { parseAgentArguments } from '../../../../../src/adapters/inbound/agent-command-line/parse-agent-arguments.js';

const parse = (...argv: readonly string[]) => parseAgentArguments(argv, {}, '1.2.3');
const said = (...argv: readonly string[]): string => {
  const command = parse(...argv);
  return command.kind === 'usage' ? `${command.exitCode} ${command.stdout}${command.stderr}` : command.kind;
};

describe('gateway-auth hash-password', () => {
  it('takes an algorithm and a user', () => {
    expect(parse('hash-password')).toEqual({ kind: 'hash-password', algorithm: 'argon2id', user: null });
    expect(parse('hash-password', '--algorithm', 'bcrypt', '--user', 'ann')).toEqual({
      kind: 'hash-password',
      algorithm: 'bcrypt',
      user: 'ann',
    });
    expect(parse('hash-password', '--algorithm=scrypt', '--user=ann b')).toMatchObject({ algorithm: 'scrypt' });
  });

  it('refuses an invalid user before it prompts', () => {
    expect(said('hash-password', '--user', 'a:b')).toMatch(/^2 error: a user name must not contain a colon/);
    expect(said('hash-password', '--user', '')).toMatch(/^2 error: the user name is empty/);
  });
});

describe('gateway-auth hash-key', () => {
  it('accepts a name and --generate', () => {
    expect(parse('hash-key')).toEqual({ kind: 'hash-key', generate: false, name: null });
    expect(parse('hash-key', '--generate', '--name', 'reports')).toEqual({
      kind: 'hash-key',
      generate: true,
      name: 'reports',
    });
  });

  it('refuses an invalid name', () => {
    expect(said('hash-key', '--name', 'a:b')).toMatch(/^2 error: a name must not contain a colon/);
  });
});

describe.each(['hash-password', 'hash-key'])('the arguments of %s', (name) => {
  it('never contain the secret, and errors do not repeat it', () => {
    for (const argv of [
      ['hunter2'],
      ['--', 'hunter2'],
      ['--password', 'hunter2'],
      ['--hunter2'],
      ['--key=hunter2'],
      ['-hunter2'],
      ['--algorithm', 'hunter2'],
      ['--generate=hunter2'],
      ['--generate', 'hunter2'],
    ]) {
      const told = said(name, ...argv);
      expect(told).not.toContain('hunter2');
      // -h prints help, whatever follows.
      expect(told).toMatch(argv[0]?.startsWith('-h') ? /^[02] / : /^2 error: /);
    }
    expect(said(name, 'hunter2')).toContain('other users can see this');
  });

  it('are refused if an option is incomplete or repeated', () => {
    const option = name === 'hash-key' ? '--name' : '--user';
    expect(said(name, option)).toMatch(/^2 error: an option has no value/);
    expect(said(name, option, 'a', option, 'b')).toMatch(/^2 error: --\w+ is given more than once/);
  });

  it('are explained by --help', () => {
    expect(said(name, '--help')).toMatch(new RegExp(`^0 Usage: gateway-auth ${name} \\[options\\]`));
  });
});

describe('the options of the agent', () => {
  it('are read as before', () => {
    expect(parse()).toMatchObject({ kind: 'run' });
    expect(parse('--test')).toMatchObject({ kind: 'check' });
    expect(said('--help')).toContain('gateway-auth hash-password');
  });

  it('do not precede a command', () => {
    expect(said('--verbose', 'hash-key')).toMatch(/^2 error: /);
    expect(said('hash-keys')).toMatch(/^2 error: /);
    expect(said('hash-key', '--verbose')).toMatch(/^2 error: unknown option/);
  });

  it('may have the name of a command as a value', () => {
    expect(parse('--config', 'hash-key')).toMatchObject({ kind: 'run', block: { configFile: 'hash-key' } });
  });
});
