import { describe, expect, it } from 'vitest';
import { parsePolicyArguments } from '../../../../../src/adapters/inbound/policy-command-line/parse-policy-arguments.js';

const parse = (...argv: readonly string[]) => parsePolicyArguments(argv);
const said = (...argv: readonly string[]): string => {
  const command = parse(...argv);
  return command.kind === 'usage' ? `${command.exitCode} ${command.stdout}${command.stderr}` : command.kind;
};
const question = ['explain', '--policies', 'a.cedar', '--action', 'GET', '--resource', '/reports'];

describe('gateway-auth policy', () => {
  it('requires a command', () => {
    expect(said()).toBe(
      '2 error: no command: choose one of check, test, explain, corpus\n(gateway-auth policy --help shows the usage)\n',
    );
    expect(said('chek')).toMatch(/^2 error: unknown command "chek"; did you mean "check"\?/);
    expect(said('--chek')).toMatch(/^2 error: unknown option '--chek'/);
    expect(said('--help')).toMatch(/^0 Usage: gateway-auth policy <command> \[options\]/);
    for (const name of ['check', 'test', 'explain', 'corpus']) {
      expect(said(name, '--help')).toMatch(new RegExp(`^0 Usage: gateway-auth policy ${name} `));
      expect(said(name, '--nope')).toMatch(/^2 error: unknown option '--nope'/);
    }
  });
});

describe('policy check', () => {
  it('takes files and folders, or an agent block', () => {
    expect(parse('check', 'a.cedar', 'folder', '--strict')).toEqual({
      kind: 'check',
      location: { kind: 'files', paths: ['a.cedar', 'folder'] },
      strict: true,
    });
    expect(parse('check', '--config', 'gateway.kdl', '--agent', 'auth')).toEqual({
      kind: 'check',
      location: { kind: 'agent', configFile: 'gateway.kdl', agentName: 'auth' },
      strict: false,
    });
  });

  it('refuses invalid arguments', () => {
    expect(said('check')).toMatch(/^2 error: no policies: give paths, or --config FILE\n/);
    expect(said('check', '')).toMatch(/^2 error: a policy file name must not be empty/);
    expect(said('check', 'a', '--config', 'b')).toMatch(/^2 error: paths and --config exclude each other/);
    expect(said('check', 'a', '--agent', 'b')).toMatch(/^2 error: --agent needs --config FILE/);
    expect(said('check', '--config', 'a', '--config', 'b')).toMatch(/^2 error: --config is given more than once/);
    expect(said('check', '--config', '')).toMatch(/^2 error: the configuration file name must not be empty/);
    expect(said('check', '--config')).toMatch(/^2 error: option '--config <file>' argument missing/);
  });
});

describe('policy test and policy corpus', () => {
  it('take files, and a folder', () => {
    expect(parse('test', '--quiet', 'a.kdl', 'b.kdl', 'a.kdl')).toEqual({
      kind: 'test',
      files: ['a.kdl', 'b.kdl'],
      quiet: true,
    });
    expect(parse('corpus', 'folder')).toEqual({ kind: 'corpus', folder: 'folder' });
  });

  it('need them', () => {
    expect(said('test')).toMatch(/^2 error: missing required argument 'files'/);
    expect(said('test', '')).toMatch(/^2 error: a test file name must not be empty/);
    expect(said('corpus')).toMatch(/^2 error: missing required argument 'folder'/);
    expect(said('corpus', '')).toMatch(/^2 error: the folder name must not be empty/);
    expect(said('corpus', 'a', 'b')).toMatch(/^2 error: too many arguments/);
  });
});

describe('policy explain', () => {
  it('takes a whole request', () => {
    const flags = ['--principal', 'alice', '--role', 'reader', '--role', 'writer', '--claim', 'department=finance'];
    const claims = ['--claim', 'level=3', '--claim', 'groups=["a","b"]', '--claim', 'odd={"a"', '--claim', 'empty='];
    const rest = ['--auth-method', 'oidc', '--query', 'a=b', '--host', 'h', '--client-ip', '::1', '--json'];
    const rules = ['--on-error', 'skip', '--default-decision', 'allow', '--roles-claim', 'r', '--principal-claim', 'p'];
    expect(parse(...question, ...flags, ...claims, ...rest, ...rules, '--correlation-id', 'c')).toEqual({
      kind: 'explain',
      json: true,
      subject: {
        kind: 'request',
        location: { kind: 'files', paths: ['a.cedar'] },
        rules: { defaultDecision: 'allow', onError: 'skip', principalClaim: 'p', rolesClaim: 'r' },
        request: {
          principal: {
            id: 'alice',
            roles: ['reader', 'writer'],
            claims: { department: 'finance', level: 3, groups: ['a', 'b'], odd: '{"a"', empty: '' },
            method: 'oidc',
          },
          attributes: { method: 'GET', uri: '/reports?a=b', host: 'h', clientIp: '::1', correlationId: 'c' },
        },
      },
    });
  });

  it('accepts an anonymous principal and defaults', () => {
    expect(parse(...question, '--anonymous')).toMatchObject({
      json: false,
      subject: {
        rules: { defaultDecision: null, onError: null, principalClaim: null, rolesClaim: null },
        request: {
          principal: null,
          attributes: { uri: '/reports', host: null, clientIp: '', correlationId: 'policy-test' },
        },
      },
    });
  });

  it('takes a case of a test file', () => {
    expect(parse('explain', '--test-file', 'a.kdl', '--case', 'x')).toEqual({
      kind: 'explain',
      json: false,
      subject: { kind: 'case', testFile: 'a.kdl', caseName: 'x' },
    });
    expect(parse('explain', '--test-file', 'a.kdl')).toMatchObject({ subject: { caseName: null } });
  });

  it.each([
    [[...question], '--principal or --anonymous is missing'],
    [[...question, '--principal', ''], '--principal must not be empty'],
    [[...question, '--anonymous', '--role', 'a'], '--anonymous and --role exclude each other'],
    [
      [...question, '--principal', 'a', '--claim', '=x'],
      '--claim needs a name, = and a value: --claim department=finance',
    ],
    [
      [...question, '--principal', 'a', '--claim', 'x'],
      '--claim needs a name, = and a value: --claim department=finance',
    ],
    [
      [...question, '--principal', 'a', '--claim', 'x=1', '--claim', 'x=2'],
      '--claim names "x" twice: write a list as --claim \'x=["a","b"]\'',
    ],
    [
      [...question, '--principal', 'a', '--auth-method', 'JWT'],
      '--auth-method must be one of jwt, oidc, saml, mtls, api_key, basic; did you mean "jwt"?',
    ],
    [[...question, '--principal', 'a', '--on-error', 'alow'], '--on-error must be one of deny, skip'],
    [[...question, '--principal', 'a', '--roles-claim', ''], 'the name of a claim must not be empty'],
    [
      [...question, '--principal', 'a', '--client-ip', 'x'],
      '--client-ip must be an IP address: write "192.0.2.1" or "2001:db8::1"',
    ],
    [[...question, '--principal', 'a', '--query', '?x'], '--query must be without the question mark: write "x"'],
    [['explain', '--policies', 'a', '--principal', 'a'], '--action is missing, as in --action GET'],
    [
      ['explain', '--policies', 'a', '--principal', 'a', '--action', 'G T'],
      '--action must be an HTTP method that the gateway accepts, not "G T": did you mean "GET"?',
    ],
    [
      ['explain', '--policies', 'a', '--principal', 'a', '--action', 'FOO'],
      '--action must be an HTTP method that the gateway accepts, not "FOO"',
    ],
    [
      [...question, '--principal', 'a', '--host', 'A b'],
      '--host must be a host that the gateway accepts, not "A b": write "a.example" or "a.example:8080"',
    ],
    [
      [...question, '--principal', 'a', '--roles-claim', 'a..b'],
      '--roles-claim must have a name on either side of each dot, not "a..b"',
    ],
    [
      ['explain', '--policies', 'a', '--principal', 'a', '--action', 'get'],
      '--action must be in upper case: methods are case-sensitive: did you mean "GET"?',
    ],
    [
      ['explain', '--policies', 'a', '--principal', 'a', '--action', 'GET'],
      '--resource is missing, as in --resource /reports',
    ],
    [['explain', '--principal', 'a'], 'no policies: give --policies PATH, or --config FILE'],
    [['explain', '--case', 'a'], '--case needs --test-file FILE'],
    [
      ['explain', '--test-file', 'a', '--role', 'b'],
      '--test-file and --role exclude each other: the file contains the whole request',
    ],
    [['explain', '--test-file', ''], 'the test file name must not be empty'],
  ])('refuses %j', (argv, message) => {
    expect(said(...argv)).toBe(`2 error: ${message}\n(gateway-auth policy explain --help shows the usage)\n`);
  });

  it.each([
    ['/a/../b', 'must be normalised: write "/b"'],
    ['/a?b', 'must be a path without a query: give "b" as the query'],
    ['reports', 'must be a path that the gateway accepts, as in "/reports/7"'],
    ['/a%2fb', 'must be a path that the gateway accepts, as in "/reports/7"'],
  ])('takes no path that policies never see: %s', (path, message) => {
    const argv = ['explain', '--policies', 'a', '--principal', 'a', '--action', 'GET', '--resource', path];
    expect(said(...argv)).toContain(`2 error: --resource ${message}\n`);
  });
});
