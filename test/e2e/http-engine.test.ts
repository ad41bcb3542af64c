import { afterEach, describe, expect, it } from 'vitest';
import { CleanUp } from '../support/clean-up.js';
import { freePort } from '../support/free-port.js';
import { untilTrue } from '../support/gateway-stack.js';
import { call } from '../support/http-call.js';
import type { RunningProcess } from '../support/processes.js';
import { runGateway } from '../support/running-gateway.js';
import { endSuccessors, upgraded } from '../support/successors.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const cleanUp = new CleanUp();
afterEach(() => cleanUp.run());

interface Started {
  readonly gateway: RunningProcess;
  /** What answers on the listener: what it says of the version, or the status. */
  engine(path?: string): Promise<unknown>;
  /** Writes the file anew. */
  rewrite(engine: string, path: string): void;
  /** SIGHUP; resolves with what was written once that has an outcome. */
  reload(): Promise<string>;
}

const textOf = (port: number, engine: string, path: string): string => `
system { http-engine "${engine}" }
listeners { listener "main" { address "127.0.0.1:${port}" } }
routes { route "version" { matches { path "${path}" }; service-type "builtin"; builtin-handler "version" } }
`;

/** A gateway whose file names an engine; nothing of the test's own environment names another. */
const start = async (
  engine: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Started> => {
  const folder = temporaryFolder();
  cleanUp.add(() => folder.remove());
  const port = await freePort();
  const file = folder.write('gateway.kdl', textOf(port, engine, '/'));
  const gateway = runGateway(['--config', file, ...args], { GATEWAY_HTTP_ENGINE: '', ...env });
  cleanUp.add(() => gateway.stop());
  cleanUp.add(() => endSuccessors(gateway));
  await gateway.wrote(/the gateway listens/);
  return {
    gateway,
    engine: async (path = '/') => {
      const { status, body } = await call(port, { path });
      return status === 200 ? (JSON.parse(body) as Record<string, unknown>)['http_engine'] : status;
    },
    rewrite: (changed, path) => void folder.write('gateway.kdl', textOf(port, changed, path)),
    reload: async () => {
      const before = gateway.output().length;
      gateway.signal('SIGHUP');
      const written = () => gateway.output().slice(before);
      await untilTrue('the reload has an outcome', () => /was (?:not )?reloaded/.test(written()));
      return written();
    },
  };
};

describe('http-engine', () => {
  it('of the file stays through reloads, which refuse another one, and changes with an upgrade', async () => {
    const { gateway, engine, rewrite, reload } = await start('node', [], {});
    expect(await engine()).toBe('node');
    rewrite('core', '/new');
    const refused = await reload();
    expect(refused).toContain('the configuration was not reloaded');
    expect(refused).toContain('http-engine asks for core, and the program runs with node');
    expect([await engine(), await engine('/new')]).toEqual(['node', 404]);
    await upgraded(gateway, gateway.pid);
    await untilTrue('the successor serves', async () => (await engine('/new')) === 'core');
  });

  it('of the file stays in all workers', async () => {
    const { engine, rewrite, reload } = await start('node', [], { GATEWAY_WORKER_THREADS: '2' });
    rewrite('core', '/new');
    expect(await reload()).toContain('http-engine asks for core, and the program runs with node');
    expect([await engine(), await engine('/new')]).toEqual(['node', 404]);
    rewrite('node', '/new');
    expect(await reload()).toContain('the configuration was reloaded');
    expect([await engine(), await engine('/new')]).toEqual([404, 'node']);
  });

  it('of the command line holds in workers too, and what the file says of it changes nothing', async () => {
    const env = { GATEWAY_WORKER_THREADS: '2', GATEWAY_HTTP_ENGINE: 'core' };
    const { engine, rewrite, reload } = await start('core', ['--http-engine', 'node'], env);
    for (let asked = 0; asked < 6; asked += 1) expect(await engine()).toBe('node');
    rewrite('node', '/new');
    expect(await reload()).toContain('the configuration was reloaded');
    rewrite('core', '/newer');
    expect(await reload()).toContain('the configuration was reloaded');
    for (let asked = 0; asked < 6; asked += 1) expect(await engine('/newer')).toBe('node');
  });
});
