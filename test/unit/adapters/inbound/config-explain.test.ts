import { describe, expect } from 'vitest';
import { parseGatewayArguments } from '../../../../src/adapters/inbound/gateway-command-line/parse-gateway-arguments.js';
import { explainConfiguration } from '../../../../src/bootstrap/gateway/explain-configuration.js';
import { it } from '../../../support/shared/fixtures.js';

const parsed = (...argv: string[]) => parseGatewayArguments(['config', 'explain', ...argv], {}, '0.0.0');

const textOf = (routes: string): string => `listeners { listener "main" { address "127.0.0.1:8080" } }
agents { agent "auth" { transport "embedded"; config { api-keys "key:alice" } } }
upstreams { upstream "a" { target "127.0.0.1:3001" }
  upstream "b" { target "127.0.0.1:3002" } }
routes { ${routes} }`;

const explained = async (file: string, ...argv: string[]) => {
  const command = parsed(file, ...argv);
  if (command.kind !== 'explain') throw new Error(JSON.stringify(command));
  return explainConfiguration(command);
};

const all = 'matches { path-prefix "/" }';

describe('the arguments of config explain', () => {
  it('are a file, a method, a URL and headers', () => {
    expect(parsed('f.kdl', 'GET', 'HTTPS://a:8443?q#x', '-H', 'X-A:  1 ', '-H', 'X-B:', '--format', 'json')).toEqual({
      kind: 'explain',
      configFile: 'f.kdl',
      request: {
        method: 'GET',
        url: { scheme: 'https', authority: 'a:8443', target: '/?q' },
        headers: ['X-A', '1', 'X-B', ''],
        peerAddress: '192.0.2.1',
      },
      format: 'json',
    });
  });

  it.each([
    [['f.kdl', 'GET'], "missing required argument 'url'"],
    [['f.kdl', 'G T', '/'], '"G T" is not a method'],
    [['f.kdl', 'GET', 'a/b'], 'the URL must begin with http://, https:// or /'],
    [['f.kdl', 'GET', 'ftp://a/'], 'the URL must begin with http://, https:// or /'],
    [['f.kdl', 'GET', '/', '-H', 'X-A'], '-H must be a header'],
    [['f.kdl', 'GET', '/', '-H', 'X A: 1'], '-H must be a header'],
    [['f.kdl', 'GET', '/', '-H', 'X-A: 1\r\nX-B: 2'], '-H must be a header'],
    [['f.kdl', 'GET', '/', '--client-ip', 'host'], '--client-ip must be an IP address, not "host"'],
    [['f.kdl', 'GET', '/', '--format', 'kdl'], '--format must be text or json, not "kdl"'],
    [['', 'GET', '/'], 'the file name of config explain must not be empty'],
  ])('refuses %j', (argv, message) => {
    const command = parsed(...argv);
    expect(command.kind === 'usage' && [command.exitCode, command.stderr]).toEqual([
      2,
      expect.stringContaining(message),
    ]);
  });
});

describe('config explain', () => {
  it('exits with 3 if the gateway refuses the request', async ({ folder }) => {
    const file = folder.write('g.kdl', textOf(`route "r" { ${all}; redirect { to "https://{host}/" } }`));
    expect((await explained(file, 'GET', '/')).exitCode).toBe(0);
    for (const [argv, text] of [
      [['GET', '/a%2Fb'], '400 (unsafe_path)'],
      [['CONNECT', '/'], '501 (method_not_implemented)'],
      [['GET', '/', '-H', 'Host: a b'], '400 (invalid_host)'],
      [['GET', '/', '-H', 'Host: a', '-H', 'Host: b'], '400 (invalid_host)'],
    ] as const) {
      const { exitCode, stdout } = await explained(file, ...argv);
      expect([exitCode, stdout]).toEqual([3, expect.stringContaining(`The gateway answers ${text}`)]);
    }
  });

  it('exits with 1 if the file has errors', async ({ folder }) => {
    const file = folder.write('g.kdl', textOf('route "r" { }'));
    const { exitCode, stdout, stderr } = await explained(file, 'GET', '/');
    expect([exitCode, stdout, stderr]).toEqual([1, '', expect.stringContaining('has no destination')]);
  });

  it('prints no secrets', async ({ folder }) => {
    process.env['EXPLAINED_VALUE'] = 'SECRET-of-the-variable';
    const route = `route "keyed" { matches { path-prefix "/"; header "X-Api-Key" "SECRET-match" }; upstream "a"; agents #null }
      route "r" { ${all}; upstream "a"; agents "auth"; policies { request-headers {
        set { "X-Plain" (env)"EXPLAINED_VALUE"; "X-Upstream-Token" "SECRET-literal" } } } }`;
    const file = folder.write('g.kdl', textOf(route));
    const sent = ['Authorization: Bearer SECRET-a', 'Cookie: a=SECRET-b', 'X-Session-Token: SECRET-c'];
    for (const format of ['text', 'json']) {
      const { stdout, exitCode } = await explained(
        file,
        'GET',
        '/',
        '--format',
        format,
        ...sent.flatMap((header) => ['-H', header]),
      );
      expect(exitCode).toBe(0);
      expect(stdout).not.toContain('SECRET');
      expect(stdout).toContain('X-Plain: ***');
    }
    delete process.env['EXPLAINED_VALUE'];
  });

  it('shows the side of a split, and limits by user after the agents', async ({ folder }) => {
    const route = `route "r" { ${all}; agents "auth"
      split { key "cookie:uid"; upstream "a" weight=1; upstream "b" weight=3 }
      policies { rate-limit { requests-per-second 5; key "user" } } }`;
    const file = folder.write('g.kdl', textOf(route));
    const { stdout } = await explained(file, 'GET', '/x', '--format', 'json', '-H', 'Cookie: uid=7');
    const { steps } = JSON.parse(stdout) as { steps: { step: string; chosen?: string; name?: string }[] };
    expect(steps.map(({ step }) => step)).toEqual([
      'split',
      'limits',
      'agent',
      'rate-limit',
      'request-headers',
      'rewrite',
      'upstream',
    ]);
    expect(['a', 'b']).toContain(steps[0]?.chosen);
    expect(steps.at(-1)?.name).toBe(steps[0]?.chosen);
  });

  it('shows the Host that the upstream gets', async ({ folder }) => {
    for (const [key, line] of [
      ['host-header "internal.example"', 'Host: internal.example'],
      ['host-header "target"', 'Host: (that of the target)'],
      ['host-header "preserve"', 'Host: client.example'],
    ]) {
      const upstream = `upstreams { upstream "c" { target "127.0.0.1:3003"; ${key} } }`;
      const file = folder.write('g.kdl', `${textOf(`route "r" { ${all}; upstream "c"; agents #null }`)}\n${upstream}`);
      const { stdout } = await explained(file, 'GET', 'http://client.example/');
      expect(stdout).toContain(`  2. request headers     ${line}\n`);
    }
  });

  it('shows the response headers of a preflight', async ({ folder }) => {
    const policies = 'policies { cors { allow-origins "*" }; response-headers { set { "X-Edge" "eu" } } }';
    const file = folder.write('g.kdl', textOf(`route "r" { ${all}; upstream "a"; agents #null; ${policies} }`));
    const headers = ['-H', 'Origin: https://a.example', '-H', 'Access-Control-Request-Method: GET'];
    const { stdout } = await explained(file, 'OPTIONS', '/', ...headers);
    expect(stdout).toContain('X-Edge: eu');
  });

  it('names the key that permits an encoded slash', async ({ folder }) => {
    const allowing = `route "s" { matches { path-prefix "/s" }; upstream "a"; agents #null; policies { allow-encoded-slash #true } }`;
    const closed = folder.write('g.kdl', textOf(`route "r" { ${all}; upstream "a"; agents #null }`));
    const mixed = folder.write('h.kdl', textOf(`route "r" { ${all}; upstream "a"; agents #null }; ${allowing}`));
    for (const file of [closed, mixed]) {
      const { stdout } = await explained(file, 'GET', '/@scope%2fname');
      expect(stdout).toContain('write allow-encoded-slash #true in policies of the route');
    }
    for (const path of ['/..%2fadmin', '/s/a%2F%2Fb']) {
      expect((await explained(mixed, 'GET', path)).stdout).not.toContain('allow-encoded-slash');
    }
  });

  it('shows the codings that the upstream may use if an agent inspects responses', async ({ folder }) => {
    const agent =
      'agents { agent "reader" { transport { grpc "127.0.0.1:1" }; events "response_headers" "response_body_chunk" } }';
    const file = folder.write('g.kdl', `${textOf(`route "r" { ${all}; upstream "a"; agents "reader" }`)}\n${agent}`);
    const { stdout } = await explained(file, 'GET', '/', '-H', 'Accept-Encoding: gzip, made-up');
    expect(stdout).not.toContain('made-up');
  });
});
