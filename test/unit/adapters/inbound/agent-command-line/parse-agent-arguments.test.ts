import { describe, expect, it } from 'vitest';
import { agentOptionFlags } from '../../../../../src/adapters/inbound/agent-command-line/agent-program.js';
import { parseAgentArguments } from '../../../../../src/adapters/inbound/agent-command-line/parse-agent-arguments.js';
import { agentOptionNames } from '../../../../../src/domain/agent/configuration/agent-options-schema.js';

type Environment = Readonly<Record<string, string>>;
const parse = (argv: readonly string[], env: Environment = {}) => parseAgentArguments(argv, env, '1.2.3');
const run = (argv: readonly string[], env: Environment = {}) => {
  const command = parse(argv, env);
  if (command.kind === 'usage') throw new Error(command.stderr);
  if (command.kind !== 'run' && command.kind !== 'check') throw new Error(command.kind);
  return command;
};

describe('parseAgentArguments', () => {
  it('has a flag and a variable for every option except blocks and those about claims', () => {
    const blocks = ['oidc', 'oidc-login', 'sessions', 'mtls', 'authz', 'saml', 'token-exchange'];
    const ofClaims = ['forward-claims', 'claim-mapping', 'identity-token', 'resource-metadata'];
    const onlyInFiles = [...blocks, ...ofClaims];
    expect(agentOptionFlags.map(({ option }) => option)).toEqual(
      agentOptionNames.filter((name) => !onlyInFiles.includes(name)),
    );
    for (const { option, variable, value } of agentOptionFlags) {
      const argv = value.startsWith('[') ? [`--${option}`] : [`--${option}`, 'x'];
      const text = value.startsWith('[') ? 'true' : 'x';
      expect(run(argv).options).toEqual([{ option, text, source: `--${option}` }]);
      expect(run([], { [variable]: 'x' }).options).toEqual([{ option, text: 'x', source: variable }]);
    }
  });

  it('lets flags override variables', () => {
    const { options } = run(['--jwt-issuer', 'flag'], { JWT_ISSUER: 'variable', JWT_AUDIENCE: 'api' });
    expect(options.map(({ source, text }) => `${source}=${text}`)).toEqual([
      'JWT_ISSUER=variable',
      'JWT_AUDIENCE=api',
      '--jwt-issuer=flag',
    ]);
  });

  it('treats an empty variable as absent', () => {
    expect(run([], { JWT_SECRET: '', FAIL_OPEN: '' }).options).toEqual([]);
  });

  it('takes a flag that may have a value with and without one', () => {
    expect(run(['--fail-open', '--verbose']).options).toEqual([
      { option: 'fail-open', text: 'true', source: '--fail-open' },
    ]);
    expect(run(['--fail-open', 'false']).options[0]?.text).toBe('false');
    expect(run(['--fail-open=false']).options[0]?.text).toBe('false');
  });

  it('reads how gRPC and metrics are served, from flags and variables', () => {
    const { options } = run(['--grpc-address', 'unix:/g', '--grpc-insecure'], {
      GRPC_ADDRESS: '127.0.0.1:1',
      GRPC_TLS_CERT_FILE: '/c.pem',
      GRPC_TLS_KEY_FILE: '/k.pem',
      GRPC_CLIENT_CA_FILE: '/ca.pem',
      GRPC_INSECURE: 'false',
      METRICS_ADDRESS: '127.0.0.1:2',
      SOCKET_LAYER: 'node',
    });
    expect(options.map(({ option, source, text }) => `${option} ${source}=${text}`)).toEqual([
      'sockets SOCKET_LAYER=node',
      'grpc-address GRPC_ADDRESS=127.0.0.1:1',
      'grpc-tls-cert-file GRPC_TLS_CERT_FILE=/c.pem',
      'grpc-tls-key-file GRPC_TLS_KEY_FILE=/k.pem',
      'grpc-client-ca-file GRPC_CLIENT_CA_FILE=/ca.pem',
      'grpc-insecure GRPC_INSECURE=false',
      'metrics-address METRICS_ADDRESS=127.0.0.1:2',
      'grpc-address --grpc-address=unix:/g',
      'grpc-insecure --grpc-insecure=true',
    ]);
  });

  it('keeps the pieces of a list apart', () => {
    const { options } = run(['--api-keys', 'a:1', '--api-keys', 'b:2,c:3']);
    expect(options.map(({ text }) => text)).toEqual(['a:1', 'b:2,c:3']);
  });

  it('names the flags that expose a secret', () => {
    expect(run(['--jwt-secret', 'x', '--api-keys', '@/run/keys,k:n']).exposedSecrets).toEqual([
      '--jwt-secret',
      '--api-keys',
    ]);
    expect(run(['--api-keys', '@/run/keys', '--basic-auth-users=@/run/users']).exposedSecrets).toEqual([]);
    expect(run([], { JWT_SECRET: 'x', API_KEYS: 'k:n' }).exposedSecrets).toEqual([]);
  });

  it('reads where the config block is', () => {
    expect(run(['--config', 'gateway.kdl', '--agent', 'auth']).block).toEqual({
      configFile: 'gateway.kdl',
      agentName: 'auth',
    });
    expect(run(['--config', 'gateway.kdl']).block).toEqual({ configFile: 'gateway.kdl', agentName: null });
    expect(run([]).block).toBeNull();
  });

  it('checks where --test or --validate asks for it', () => {
    expect(run([]).kind).toBe('run');
    expect(run(['--test']).kind).toBe('check');
    expect(run(['--validate']).kind).toBe('check');
  });

  it('shows help and version', () => {
    expect(parse(['--version'])).toEqual({ kind: 'usage', stdout: 'gateway-auth 1.2.3\n', stderr: '', exitCode: 0 });
    const help = parse(['--help']);
    if (help.kind !== 'usage') throw new Error(help.kind);
    expect(help.exitCode).toBe(0);
    for (const { option, variable } of agentOptionFlags) {
      expect(help.stdout).toContain(`--${option}`);
      expect(help.stdout).toContain(variable);
    }
    expect(help.stdout).toContain('Examples:');
  });

  it.each([
    ['an unknown flag', ['--jwt-secrt', 'hunter2']],
    ['an unknown flag with a value', ['--jwt-secrt=hunter2']],
    ['a word too many', ['hunter2']],
    ['a flag without its value', ['--socket']],
    ['a flag that is given twice', ['--jwt-secret', 'hunter2', '--jwt-secret', 'hunter2']],
    ['an agent without a file', ['--agent', 'auth']],
    ['a file without a name', ['--config', '']],
  ])('refuses %s as wrong usage without repeating a value', (_, argv) => {
    const command = parse(argv);
    expect(command).toMatchObject({ kind: 'usage', exitCode: 2 });
    expect(JSON.stringify(command)).not.toContain('hunter2');
    expect(JSON.stringify(command)).toContain('gateway-auth --help');
  });

  it('suggests the nearest flag', () => {
    expect(parse(['--jwt-secrt=hunter2'])).toMatchObject({ stderr: expect.stringContaining('--jwt-secret') });
  });
});
