import { connect, type Socket } from 'node:net';
import { describe, expect } from 'vitest';
import { startHttpUpstream } from '../../support/gateway/http-upstream.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { eventually } from '../../support/shared/eventually.js';
import { it } from '../../support/shared/fixtures.js';
import { freePort } from '../../support/shared/free-port.js';
import { untilTrue } from '../../support/shared/gateway-stack.js';
import { call } from '../../support/shared/http-call.js';
import { startProcess } from '../../support/shared/processes.js';
import { builtProgram } from '../../support/shared/running-gateway.js';
import { temporaryFolder } from '../../support/shared/temporary-folder.js';

const exhausted = /no file descriptor is free/;

interface Plan {
  readonly upstreamKeys?: string;
  readonly connections?: number;
  readonly sockets?: 'auto' | 'native' | 'node';
}

/** A gateway that may have 100 descriptors in each process, and an upstream that keeps its answers back. */
const start = async (
  cleanUp: CleanUp,
  workers: number,
  { upstreamKeys = '', connections = 5000, sockets = 'auto' }: Plan = {},
) => {
  const answers: (() => void)[] = [];
  const upstream = await startHttpUpstream((_, response) => answers.push(() => response.end('ok')));
  cleanUp.add(() => upstream.close());
  const [port, adminPort] = [await freePort(), await freePort()];
  const folder = temporaryFolder();
  cleanUp.add(() => folder.remove());
  const text = (clients: number): string => `system { worker-threads ${workers}; sockets "${sockets}" }
listeners { listener "main" { address "127.0.0.1:${port}" } }
admin { address "127.0.0.1:${adminPort}" }
limits { max-total-connections ${clients}; max-connections-per-client 5000 }
routes { route "up" { matches { path-prefix "/" }; upstream "up"; agents #null } }
upstreams { upstream "up" { target "127.0.0.1:${upstream.port}"; ${upstreamKeys} } }
`;
  const file = folder.write('gateway.kdl', text(connections));
  const limited = [
    '-c',
    'ulimit -n 100 && exec "$0" "$@"',
    process.execPath,
    builtProgram('main-gateway'),
    '--config',
    file,
  ];
  const gateway = startProcess('sh', limited);
  cleanUp.add(() => gateway.stop());
  await gateway.wrote(/the admin endpoints are served/);
  const rewrite = (clients: number) => folder.write('gateway.kdl', text(clients));
  return { gateway, port, adminPort, answers, rewrite };
};

const openConnections = (cleanUp: CleanUp, port: number, count: number): readonly Socket[] => {
  const sockets = Array.from({ length: count }, () => connect(port, '127.0.0.1').on('error', () => undefined));
  cleanUp.add(() => {
    for (const socket of sockets) socket.destroy();
  });
  return sockets;
};

/** 0 also while the admin endpoints cannot be asked. */
const countOf = async (adminPort: number): Promise<number> => {
  const { body } = await call(adminPort, { path: '/metrics' }).catch(() => ({ body: '' }));
  return Number(/^gateway_descriptors_exhausted_total\S* (\d+)$/m.exec(body)?.[1] ?? 0);
};

describe.each([1, 2])('a gateway of %i workers that runs out of descriptors', (workers) => {
  it('warns about its limits at the start, logs and counts the exhaustion, and recovers', async ({ cleanUp }) => {
    const { gateway, port, adminPort, answers } = await start(cleanUp, workers);
    await gateway.wrote(/the limits allow 5000 client connections/);
    expect(await countOf(adminPort)).toBe(0);
    const sockets = openConnections(cleanUp, port, 300);
    await gateway.wrote(exhausted);
    await eventually(() => sockets.some((socket) => socket.closed));
    for (const socket of sockets) socket.destroy();
    await untilTrue('it is counted', async () => (await countOf(adminPort)) > 0);
    const asked = call(port, { path: '/' });
    await eventually(() => answers.length === 1);
    answers[0]?.();
    expect((await asked).status).toBe(200);
    expect(gateway.output()).not.toMatch(/is replaced/);
    // A line each ten seconds, for each process.
    expect(
      gateway
        .output()
        .split('\n')
        .filter((line) => exhausted.test(line)).length,
    ).toBeLessThanOrEqual(workers * 3);
  });
});

it.for([1, 2])(
  'a gateway of %i workers warns at a reload if its limits exceed the descriptors',
  async (workers, { cleanUp }) => {
    const warning = /the limits allow \d+ client connections/;
    const plan = { upstreamKeys: 'connection-pool { max-connections 5 }', connections: 10 };
    const { gateway, rewrite } = await start(cleanUp, workers, plan);
    expect(gateway.output()).not.toMatch(warning);
    rewrite(90);
    gateway.signal('SIGHUP');
    await gateway.wrote(
      /the limits allow 90 client connections \(max-total-connections\) and [35] upstream connections/,
    );
  },
);

it('counts the exhaustion on node:net too, and accepts clients again', async ({ cleanUp }) => {
  const { gateway, port, adminPort, answers } = await start(cleanUp, 1, { sockets: 'node' });
  const sockets = openConnections(cleanUp, port, 300);
  await gateway.wrote(exhausted);
  for (const socket of sockets) socket.destroy();
  await untilTrue('it is counted', async () => (await countOf(adminPort)) > 0);
  const asked = call(port, { path: '/' });
  await eventually(() => answers.length === 1);
  answers[0]?.();
  expect((await asked).status).toBe(200);
});

it('answers 503 if no upstream connection can be opened, and blames no target', async ({ cleanUp }) => {
  const { gateway, port, adminPort, answers } = await start(cleanUp, 1, {
    upstreamKeys: 'circuit-breaker { failure-threshold 1 }; retries { max-attempts 1 }',
  });
  // A client whose connection found no descriptor either is reset; those count as 0.
  const asked = Array.from({ length: 60 }, () => call(port, { path: '/' }).catch(() => ({ status: 0, body: '' })));
  const refused = await Promise.any(
    asked.map(async (one) => {
      const answer = await one;
      if (answer.status !== 503) throw new Error(`status ${answer.status}`);
      return answer;
    }),
  );
  expect(JSON.parse(refused.body)).toMatchObject({ code: 'upstream_overloaded' });
  await gateway.wrote(exhausted);
  let areOver = false;
  const over = Promise.all(asked).finally(() => {
    areOver = true;
  });
  await eventually(() => {
    for (const answer of answers.splice(0)) answer();
    return areOver;
  });
  await over;
  const statuses = await Promise.all(asked.map(async (one) => (await one).status));
  expect([...new Set(statuses.filter((status) => status > 0))].sort()).toEqual([200, 503]);
  expect(await countOf(adminPort)).toBeGreaterThan(0);
  const after = call(port, { path: '/' });
  await eventually(() => answers.length === 1);
  answers[0]?.();
  expect((await after).status).toBe(200);
});
