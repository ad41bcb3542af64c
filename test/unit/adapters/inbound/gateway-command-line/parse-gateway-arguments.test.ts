import { describe, expect, it } from 'vitest';
import { parseGatewayArguments } from '../../../../../src/adapters/inbound/gateway-command-line/parse-gateway-arguments.js';

const parse = (line: string, env: Record<string, string> = {}): ReturnType<typeof parseGatewayArguments> =>
  parseGatewayArguments(
    line.split(' ').filter((word) => word !== ''),
    env,
    '1.2.3',
  );

const said = (line: string, env: Record<string, string> = {}): string => {
  const command = parse(line, env);
  return command.kind === 'usage' ? command.stdout + command.stderr : '';
};

describe('a valid command line', () => {
  it.each([
    ['--config a.kdl', { kind: 'run', configFile: 'a.kdl', verbose: false, pidFile: null, workerThreads: null }],
    [
      '--config=a.kdl --verbose',
      { kind: 'run', configFile: 'a.kdl', verbose: true, pidFile: null, workerThreads: null },
    ],
    [
      '--config a.kdl --pid-file /run/gateway.pid',
      {
        kind: 'run',
        configFile: 'a.kdl',
        verbose: false,
        pidFile: '/run/gateway.pid',
        workerThreads: null,
      },
    ],
    [
      '--config a.kdl --worker-threads 4',
      { kind: 'run', configFile: 'a.kdl', verbose: false, pidFile: null, workerThreads: 4 },
    ],
    ['--test --config a.kdl', { kind: 'test', configFile: 'a.kdl', verbose: false }],
    ['--test --config a.kdl --verbose', { kind: 'test', configFile: 'a.kdl', verbose: true }],
    ['--validate --config a.kdl', { kind: 'validate', configFile: 'a.kdl', verbose: false }],
    ['--test --validate --config a.kdl', { kind: 'validate', configFile: 'a.kdl', verbose: false }],
    ['config check a.kdl', { kind: 'check', configFile: 'a.kdl', strict: false }],
    ['config check --strict a.kdl', { kind: 'check', configFile: 'a.kdl', strict: true }],
    ['reload --config a.kdl', { kind: 'reload', configFile: 'a.kdl' }],
    ['--config a.kdl reload', { kind: 'reload', configFile: 'a.kdl' }],
    ['config migrate a.kdl --diff', { kind: 'migrate', configFile: 'a.kdl', output: { kind: 'diff' } }],
    ['config migrate a.kdl -o -', { kind: 'migrate', configFile: 'a.kdl', output: { kind: 'stdout' } }],
    ['config migrate a.kdl --in-place', { kind: 'migrate', configFile: 'a.kdl', output: { kind: 'in-place' } }],
    [
      'config migrate a.kdl -o b.kdl',
      { kind: 'migrate', configFile: 'a.kdl', output: { kind: 'file', path: 'b.kdl', force: false } },
    ],
    [
      'config migrate --force --output b.kdl a.kdl',
      { kind: 'migrate', configFile: 'a.kdl', output: { kind: 'file', path: 'b.kdl', force: true } },
    ],
    ['config print a.kdl', { kind: 'print', configFile: 'a.kdl', format: 'kdl' }],
    ['config print a.kdl --format json', { kind: 'print', configFile: 'a.kdl', format: 'json' }],
  ] as const)('%s', (line, command) => {
    expect(parse(line)).toEqual(command);
  });

  it('uses GATEWAY_CONFIG without --config', () => {
    const env = { GATEWAY_CONFIG: 'env.kdl' };
    expect(parse('', env)).toEqual({
      kind: 'run',
      configFile: 'env.kdl',
      verbose: false,
      pidFile: null,
      workerThreads: null,
    });
    expect(parse('--test', env)).toMatchObject({ kind: 'test', configFile: 'env.kdl' });
    expect(parse('--config a.kdl', env)).toMatchObject({ configFile: 'a.kdl' });
    expect(parse('config check a.kdl', env)).toMatchObject({ configFile: 'a.kdl' });
  });

  it('uses GATEWAY_WORKER_THREADS without --worker-threads', () => {
    const env = { GATEWAY_WORKER_THREADS: '2' };
    expect(parse('--config a.kdl', env)).toMatchObject({ workerThreads: 2 });
    expect(parse('--config a.kdl --worker-threads 0', env)).toMatchObject({ workerThreads: 0 });
    expect(parse('--config a.kdl', { GATEWAY_WORKER_THREADS: '' })).toMatchObject({
      workerThreads: null,
    });
    expect(parse('--config a.kdl', { GATEWAY_WORKER_THREADS: 'many' })).toMatchObject({ kind: 'usage', exitCode: 2 });
  });

  it.each(['-1', '257', '1.5', 'two', '0x2'])('refuses worker-threads %s', (value) => {
    expect(parse(`--config a.kdl --worker-threads=${value}`)).toMatchObject({ kind: 'usage', exitCode: 2 });
    expect(said(`--config a.kdl --worker-threads=${value}`)).toContain('from 0 to 256');
  });

  it('refuses the variable that chose an HTTP engine, unless it is empty', () => {
    expect(parse('--config a.kdl', { GATEWAY_HTTP_ENGINE: '' })).toMatchObject({ kind: 'run' });
    const refused = parse('--config a.kdl', { GATEWAY_HTTP_ENGINE: 'core' });
    expect(refused).toMatchObject({ kind: 'usage', exitCode: 2 });
    expect(refused.kind === 'usage' && refused.stderr).toContain('unset GATEWAY_HTTP_ENGINE');
  });

  it.each(['--test', '--validate'])('refuses with %s the same environment as a run', (option) => {
    const command = `${option} --config a.kdl`;
    for (const env of [{ GATEWAY_HTTP_ENGINE: 'fast' }, { GATEWAY_WORKER_THREADS: 'many' }]) {
      expect(parse(command, env)).toEqual(parse('--config a.kdl', env));
      expect(parse(command, env)).toMatchObject({ kind: 'usage', exitCode: 2 });
    }
    expect(parse(command, { GATEWAY_WORKER_THREADS: '2' })).toMatchObject({
      kind: option.slice(2),
    });
  });

  it('keeps a file name with spaces and signs whole', () => {
    expect(parseGatewayArguments(['--config', '-a b.kdl'], {}, '1')).toMatchObject({ configFile: '-a b.kdl' });
  });

  it('prints only the version', () => {
    expect(parse('--version')).toEqual({ kind: 'usage', stdout: 'gateway 1.2.3\n', stderr: '', exitCode: 0 });
    expect(parse('--version --config a.kdl')).toEqual({
      kind: 'usage',
      stdout: 'gateway 1.2.3\n',
      stderr: '',
      exitCode: 0,
    });
  });

  it.each(['--help', '-h'])('%s documents options, environment, signals and exit codes', (line) => {
    expect(parse(line)).toMatchObject({ kind: 'usage', exitCode: 0 });
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
      'SIGUSR2',
      '--pid-file',
      'Examples:',
      'Exit codes:',
    ]) {
      expect(said(line)).toContain(word);
    }
    expect(said(line)).toContain('config migrate');
    expect(said(line)).toContain('config print');
  });

  it('helps with the subcommand too', () => {
    expect(parse('config --help')).toMatchObject({ kind: 'usage', exitCode: 0 });
    expect(said('config --help')).not.toContain('help [command]');
    expect(said('config --help')).toContain('check');
    expect(said('config --help')).toContain('migrate');
    expect(said('config --help')).toContain('print');
  });

  it.each([
    ['config check --help', ['--strict', 'Exit codes:']],
    ['config migrate --help', ['-o', '--in-place', '--diff', '--force', '.bak', 'Examples:', 'Exit codes:']],
    ['config print --help', ['--format', 'Exit codes:']],
  ])('%s teaches', (line, words) => {
    expect(parse(line)).toMatchObject({ kind: 'usage', exitCode: 0 });
    for (const word of words) expect(said(line)).toContain(word);
  });
});

describe('an invalid command line', () => {
  it.each([
    ['', 'no configuration: use --config FILE'],
    ['--test', 'no configuration: use --config FILE'],
    ['--config=', 'no configuration: use --config FILE'],
    ['--config', 'argument missing'],
    ['--confg a.kdl', '--config'],
    ['--nonsense', '--nonsense'],
    ['-c a.kdl', '-c'],
    ['serve', '"serve"'],
    ['help', '"help"'],
    ['a.kdl', '"a.kdl"'],
    ['config', 'check [options] <file>'],
    ['config chek a.kdl', 'check'],
    ['config check', 'file'],
    ['config check a.kdl b.kdl', 'too many arguments'],
    ['--config a.kdl config check b.kdl', 'takes only the file'],
    ['--test config check b.kdl', 'takes only the file'],
    ['reload', 'no configuration: use --config FILE'],
    ['reload a.kdl', 'too many arguments'],
    ['reload --config a.kdl --test', 'takes no other option than --config'],
    ['reload --config a.kdl --verbose', 'takes no other option than --config'],
    ['config migrate', 'file'],
    ['config migrate a.kdl', 'needs exactly one of'],
    ['config migrate a.kdl -o b.kdl --diff', 'needs exactly one of'],
    ['config migrate a.kdl -o b.kdl --in-place', 'needs exactly one of'],
    ['config migrate a.kdl --in-place --force', '--force needs'],
    ['config migrate a.kdl -o - --force', '--force needs'],
    ['config migrate a.kdl --output=', 'output file name must not be empty'],
    ['config migrate a.kdl b.kdl --diff', 'too many arguments'],
    ['--config a.kdl config migrate b.kdl --diff', 'takes only the file'],
    ['config print', 'file'],
    ['config print a.kdl --format yaml', '--format must be kdl or json'],
    ['--validate config print a.kdl', 'takes only the file'],
  ])('%j ends with 2 and says %s', (line, expected) => {
    expect(parse(line)).toMatchObject({ kind: 'usage', exitCode: 2 });
    expect(said(line)).toContain(expected);
    expect(said(line)).toMatch(/\(gateway\b[a-z ]* --help shows the usage\)/);
    expect(said(line).endsWith('\n')).toBe(true);
  });

  it('is refused even with GATEWAY_CONFIG', () => {
    expect(parse('serve', { GATEWAY_CONFIG: 'a.kdl' })).toMatchObject({ kind: 'usage', exitCode: 2 });
  });

  it('uses GATEWAY_CONFIG for a reload', () => {
    expect(parse('reload', { GATEWAY_CONFIG: 'a.kdl' })).toEqual({ kind: 'reload', configFile: 'a.kdl' });
  });

  it('treats an empty variable as absent', () => {
    expect(parse('', { GATEWAY_CONFIG: '' })).toMatchObject({ kind: 'usage', exitCode: 2 });
  });
});
