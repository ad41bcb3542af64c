import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect } from 'vitest';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { it } from '../../support/shared/fixtures.js';
import { freePort } from '../../support/shared/free-port.js';
import { call } from '../../support/shared/http-call.js';
import { describeWithPeers, peerPath } from '../../support/shared/peers.js';
import { type RunningProcess, startProcess } from '../../support/shared/processes.js';
import { runGateway, startBuiltGateway } from '../../support/shared/running-gateway.js';
import { temporaryFolder } from '../../support/shared/temporary-folder.js';

const folder = temporaryFolder();
afterAll(() => folder.remove());

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  readonly version: string;
};

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

const ended = async (cleanUp: CleanUp, started: RunningProcess): Promise<Ended> => {
  cleanUp.add(() => started.stop());
  return { code: (await started.exited).code, output: started.output() };
};

const ranGateway = (
  cleanUp: CleanUp,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> => ended(cleanUp, runGateway(args, env));

const serving = (port: number, more = ''): string => `
listeners { listener "main" { address "127.0.0.1:${port}" } }
routes { route "health" { matches { path "/health" }; service-type "builtin"; builtin-handler "health" } }
${more}
`;

const withKeyFile = (keyFile: string): string =>
  serving(
    8080,
    `agents { agent "auth" { transport "embedded"; config { jwt-algorithm "RS256"; jwt-public-key "${keyFile}" } } }`,
  );

describe('the command line of the gateway', () => {
  it('prints its version and exits with 0', async ({ cleanUp }) => {
    expect(await ranGateway(cleanUp, ['--version'])).toEqual({ code: 0, output: `gateway ${version}\n` });
  });

  it('lists every option, variable, signal and exit code in its help, and exits with 0', async ({ cleanUp }) => {
    const { code, output } = await ranGateway(cleanUp, ['--help']);
    expect(code).toBe(0);
    const told = ['--config', '--test', '--validate', '--verbose', '--version', '--help', 'config check'];
    const around = ['GATEWAY_CONFIG', 'GATEWAY_LOG_FORMAT', 'RUST_LOG', 'SIGHUP', 'SIGTERM', 'Exit codes'];
    for (const name of [...told, ...around]) expect(output).toContain(name);
  });

  it.for([
    ['an option that there is not', ['--confg', 'x'], /unknown option '--confg'[\s\S]*--config/],
    ['a command that there is not', ['serve'], /unknown command "serve"/],
    ['no configuration', [], /no configuration: use/],
    ['an option without its value', ['--config'], /--config/],
  ] as const)('exits with 2 for %s', async ([_name, args, message], { cleanUp }) => {
    const { code, output } = await ranGateway(cleanUp, args, { GATEWAY_CONFIG: '' });
    expect(code).toBe(2);
    expect(output).toMatch(message);
  });
});

describe('a configuration with errors', () => {
  const wrong = folder.write(
    'wrong.kdl',
    `listeners { listener "main" { address "127.0.0.1:8080"; adress "x" } }
routes {
  route "a" { matches { path-prefix "/" }; upstream "nowhere" }
}
upstreams { upstream "back" { target "127.0.0.1:99999" } }
`,
  );

  it.for([
    ['--config', ['--config', wrong]],
    ['--test', ['--test', '--config', wrong]],
    ['config check', ['config', 'check', wrong]],
  ] as const)('makes %s exit with 1 and report each error with its position', async ([_name, args], { cleanUp }) => {
    const { code, output } = await ranGateway(cleanUp, args);
    expect(code).toBe(1);
    const places = output.split('\n').filter((line) => line.startsWith(`${wrong}:`));
    expect(places).toEqual([
      expect.stringMatching(/kdl:1:57: error: unknown key "adress"/),
      expect.stringMatching(/kdl:3:53: error: route "a" refers to an upstream "nowhere"/),
      expect.stringMatching(/kdl:5:38: error: "target" must be host:port/),
    ]);
    expect(output).toContain('did you mean "address"?');
    expect(output).toContain('3 errors');
  });

  it('is reported in one line if the file does not exist', async ({ cleanUp }) => {
    const missing = folder.file('missing.kdl');
    const runs = [
      ['--config', missing],
      ['--test', '--config', missing],
    ].map((args) => ranGateway(cleanUp, args));
    for (const { code, output } of await Promise.all(runs)) {
      expect(code).toBe(1);
      expect(output).toMatch(/^error: .*missing\.kdl cannot be read: there is no such file\n/);
      expect(output).not.toMatch(/\n\s+at /);
    }
  });
});

describe('--test and --validate', () => {
  const file = folder.write('missing-key.kdl', withKeyFile(folder.file('missing.pem')));

  it('differ for referenced files: --test does not read them', async ({ cleanUp }) => {
    const { code, output } = await ranGateway(cleanUp, ['--test', '--config', file]);
    expect(code).toBe(0);
    expect(output).toContain('The configuration is fine: 1 listener, 1 route, 0 upstreams, 1 agent.');
  });

  it.for([
    ['--validate', ['--validate', '--config', file]],
    ['a start', ['--config', file]],
  ] as const)('%s reports the missing key file', async ([_name, args], { cleanUp }) => {
    const { code, output } = await ranGateway(cleanUp, args);
    expect(code).toBe(1);
    expect(output).toMatch(/"auth".*jwt-public-key.*missing\.pem cannot be read/);
  });
});

describe('a start that fails', () => {
  it('reports a port in use in one line, and exits with 1', async ({ cleanUp }) => {
    const holder = createServer();
    await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
    cleanUp.add(() => new Promise((resolve) => holder.close(resolve)));
    const { port } = holder.address() as AddressInfo;
    const { code, output } = await ranGateway(cleanUp, ['--config', folder.write('taken.kdl', serving(port))]);
    expect({ code, output }).toEqual({
      code: 1,
      output: `error: cannot listen on 127.0.0.1:${port}: another program uses the port\n`,
    });
  });

  it('opens no port if the second is in use', async ({ cleanUp }) => {
    const holder = createServer();
    await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
    cleanUp.add(() => new Promise((resolve) => holder.close(resolve)));
    const { port } = holder.address() as AddressInfo;
    const config = serving(await freePort(), `admin { address "127.0.0.1:${port}" }`);
    const { code, output } = await ranGateway(cleanUp, ['--config', folder.write('half.kdl', config)]);
    expect(code).toBe(1);
    expect(output).toContain(`cannot listen on 127.0.0.1:${port}`);
  });

  it('reports an unknown log format', async ({ cleanUp }) => {
    const file = folder.write('format.kdl', serving(await freePort()));
    const { code, output } = await ranGateway(cleanUp, ['--config', file], { GATEWAY_LOG_FORMAT: 'yaml' });
    expect(code).toBe(1);
    expect(output).toMatch(/^error: .*GATEWAY_LOG_FORMAT.*\n$/);
  });
});

/** Ports below this one are for the privileged. In many containers it is 0: nobody is refused one there. */
const firstFreeForAll = Number(readFileSync('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8'));
const lowPort = 81;

if (firstFreeForAll > lowPort) {
  describeWithPeers(process.getuid?.() === 0 ? ['setpriv'] : [], 'a port below 1024', () => {
    it('is a clear error without the permission to bind it', async ({ cleanUp }) => {
      const file = folder.write('low.kdl', serving(lowPort));
      const program = fileURLToPath(new URL('../../../dist/programs/main-gateway.js', import.meta.url));
      // Root keeps everything but that one permission, so that the program's files can be read wherever they are.
      const dropped = ['--bounding-set=-net_bind_service', '--inh-caps=-net_bind_service', process.execPath];
      const setpriv = process.getuid?.() === 0 ? peerPath('setpriv') : null;
      const args = [program, '--config', file];
      const started = setpriv ? startProcess(setpriv, [...dropped, ...args]) : startProcess(process.execPath, args);
      const { code, output } = await ended(cleanUp, started);
      expect(code).toBe(1);
      expect(output).toMatch(/^error: cannot listen on 127\.0\.0\.1:81: permission denied for a port below 1024.*\n$/);
    });
  });
}

describe('the environment of the gateway', () => {
  const started = async (
    cleanUp: CleanUp,
    env: Readonly<Record<string, string>>,
  ): Promise<{ port: number; gateway: RunningProcess }> => {
    const port = await freePort();
    const file = folder.write('environment.kdl', serving(port));
    const gateway = await startBuiltGateway(file, [port], env);
    cleanUp.add(() => gateway.stop());
    return { port, gateway };
  };

  it('names the configuration file in GATEWAY_CONFIG', async ({ cleanUp }) => {
    const file = folder.write('by-variable.kdl', serving(8080));
    expect((await ranGateway(cleanUp, ['--test'], { GATEWAY_CONFIG: file })).code).toBe(0);
  });

  it('warns about an unprotected route if an agent protects no route, unless it is explicit', async ({ cleanUp }) => {
    const upstream = 'upstreams { upstream "u" { target "127.0.0.1:9" } }';
    const agent = 'agents { agent "auth" { transport "embedded"; config { api-keys "key:alice" } } }';
    const outputOf = async (agents: string): Promise<string> => {
      const port = await freePort();
      const route = `routes { route "api" { matches { path-prefix "/api" }; upstream "u"; ${agents} } }`;
      const file = folder.write(`open-${port}.kdl`, serving(port, `${route}\n${upstream}\n${agent}`));
      const gateway = await startBuiltGateway(file, [port], {});
      cleanUp.add(() => gateway.stop());
      return gateway.output();
    };
    expect(await outputOf('')).toMatch(
      /"level":"warn".*route \\"api\\" has no agents.*no route lists the agent \\"auth\\"/,
    );
    expect(await outputOf('agents #null')).not.toContain('has no agents');
  });

  it('selects JSON logs by default, one object per line', async ({ cleanUp }) => {
    const { port, gateway } = await started(cleanUp, {});
    const correlationId = 'the-request-of-this-test';
    await call(port, { path: '/health?secret=1', headers: { 'X-Correlation-Id': correlationId } });
    await gateway.wrote(new RegExp(correlationId));
    await gateway.stop();
    const lines = gateway
      .output()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.find((line) => line['correlation_id'] === correlationId)).toMatchObject({
      level: 'info',
      message: 'request',
      method: 'GET',
      path: '/health',
      route: 'health',
      status: 200,
      duration_ms: expect.any(Number),
      trace_id: expect.any(String),
    });
  });

  it('selects readable logs with GATEWAY_LOG_FORMAT=pretty', async ({ cleanUp }) => {
    const { port, gateway } = await started(cleanUp, { GATEWAY_LOG_FORMAT: 'pretty' });
    await call(port, { path: '/health', headers: { 'X-Correlation-Id': 'the-request-of-this-test' } });
    const output = await gateway.wrote(/the-request-of-this-test/);
    expect(output).toMatch(/INFO.*the gateway listens/i);
    expect(output).not.toContain('{"level"');
  });

  it('suppresses access lines with RUST_LOG=warn', async ({ cleanUp }) => {
    const { port, gateway } = await started(cleanUp, { RUST_LOG: 'warn' });
    await call(port, { path: '/health' });
    await gateway.stop();
    expect(gateway.output()).toBe('');
  });
});
