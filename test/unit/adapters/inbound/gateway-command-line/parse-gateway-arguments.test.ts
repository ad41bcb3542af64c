import { describe, expect, it } from 'vitest';
import type { GatewayCommand } from '../../../../../src/adapters/inbound/gateway-command-line/gateway-command.js';
import { parseGatewayArguments } from '../../../../../src/adapters/inbound/gateway-command-line/parse-gateway-arguments.js';

const parse = (line: string, env: Record<string, string> = {}): GatewayCommand =>
  parseGatewayArguments(
    line.split(' ').filter((word) => word !== ''),
    env,
    '1.2.3',
  );

const said = (line: string, env: Record<string, string> = {}): string => {
  const command = parse(line, env);
  return command.kind === 'say' ? command.text : '';
};

describe('a right command line', () => {
  it.each([
    ['--config a.kdl', { kind: 'run', configFile: 'a.kdl', verbose: false }],
    ['--config=a.kdl --verbose', { kind: 'run', configFile: 'a.kdl', verbose: true }],
    ['--test --config a.kdl', { kind: 'test', configFile: 'a.kdl', verbose: false }],
    ['--test --config a.kdl --verbose', { kind: 'test', configFile: 'a.kdl', verbose: true }],
    ['--validate --config a.kdl', { kind: 'validate', configFile: 'a.kdl', verbose: false }],
    ['--test --validate --config a.kdl', { kind: 'validate', configFile: 'a.kdl', verbose: false }],
    ['config check a.kdl', { kind: 'validate', configFile: 'a.kdl', verbose: false }],
    ['--verbose config check a.kdl', { kind: 'validate', configFile: 'a.kdl', verbose: true }],
  ] as const)('%s', (line, command) => {
    expect(parse(line)).toEqual(command);
  });

  it('takes the configuration from the environment, where no option says otherwise', () => {
    const env = { GATEWAY_CONFIG: 'env.kdl' };
    expect(parse('', env)).toEqual({ kind: 'run', configFile: 'env.kdl', verbose: false });
    expect(parse('--test', env)).toMatchObject({ kind: 'test', configFile: 'env.kdl' });
    expect(parse('--config a.kdl', env)).toMatchObject({ configFile: 'a.kdl' });
    expect(parse('config check a.kdl', env)).toMatchObject({ configFile: 'a.kdl' });
  });

  it('keeps a file name with spaces and signs whole', () => {
    expect(parseGatewayArguments(['--config', '-a b.kdl'], {}, '1')).toMatchObject({ configFile: '-a b.kdl' });
  });

  it('says the version, and nothing else', () => {
    expect(parse('--version')).toEqual({ kind: 'say', text: 'gateway 1.2.3\n', exitCode: 0 });
    expect(parse('--version --config a.kdl')).toEqual({ kind: 'say', text: 'gateway 1.2.3\n', exitCode: 0 });
  });

  it.each(['--help', '-h'])('%s teaches the options, the environment, the signals and the exit codes', (line) => {
    expect(parse(line)).toMatchObject({ kind: 'say', exitCode: 0 });
    for (const word of [
      '--config',
      '--test',
      '--validate',
      '--verbose',
      '--version',
      'config check',
      'GATEWAY_CONFIG',
      'GATEWAY_LOG_FORMAT',
      'RUST_LOG',
      'SIGHUP',
      'Examples:',
      'Exit codes:',
    ]) {
      expect(said(line)).toContain(word);
    }
    expect(said(line)).not.toContain('migrate');
  });

  it('helps with the subcommand too', () => {
    expect(parse('config --help')).toMatchObject({ kind: 'say', exitCode: 0 });
    expect(said('config --help')).toContain('check');
    expect(said('config --help')).not.toContain('migrate');
    expect(parse('config check --help')).toMatchObject({ kind: 'say', exitCode: 0 });
  });
});

describe('a wrong command line', () => {
  it.each([
    ['', 'no configuration is given'],
    ['--test', 'no configuration is given'],
    ['--config=', 'no configuration is given'],
    ['--config', 'argument missing'],
    ['--confg a.kdl', '--config'],
    ['--nonsense', '--nonsense'],
    ['-c a.kdl', '-c'],
    ['serve', '"serve"'],
    ['help', '"help"'],
    ['a.kdl', '"a.kdl"'],
    ['config', 'check <file>'],
    ['config chek a.kdl', 'check'],
    ['config check', 'file'],
    ['config check a.kdl b.kdl', 'too many arguments'],
    ['--config a.kdl config check b.kdl', 'takes the file alone'],
    ['--test config check b.kdl', 'takes the file alone'],
    ['config migrate a.kdl -o b.kdl', 'not supported yet'],
    ['config migrate', 'not supported yet'],
  ])('%j ends with 2 and says %s', (line, expected) => {
    expect(parse(line)).toMatchObject({ kind: 'say', exitCode: 2 });
    expect(said(line)).toContain(expected);
    expect(said(line)).toContain('gateway --help');
    expect(said(line).endsWith('\n')).toBe(true);
  });

  it('is told as much where the environment names a configuration', () => {
    expect(parse('serve', { GATEWAY_CONFIG: 'a.kdl' })).toMatchObject({ kind: 'say', exitCode: 2 });
  });

  it('does not take an empty variable for a file', () => {
    expect(parse('', { GATEWAY_CONFIG: '' })).toMatchObject({ kind: 'say', exitCode: 2 });
  });
});
