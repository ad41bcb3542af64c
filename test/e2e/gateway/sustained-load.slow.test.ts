import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { it } from '../../support/shared/fixtures.js';
import { type GatewayStack, startStack, untilTrue } from '../../support/shared/gateway-stack.js';
import { call } from '../../support/shared/http-call.js';
import { describeWithPeers, peerPath } from '../../support/shared/peers.js';
import { openDescriptors, residentBytes } from '../../support/shared/process-memory.js';

const requests = 40_000;
const connections = 64;
/** Of a run; longer than a request may take, so that one without an answer is told of. */
const secondsEach = 6;
const requestSeconds = 5;
/** By then the heap has come to its size. */
const warmUpRequests = 25_000;
/** Of the heap's own coming and going; a leak of 1.2 kB a request would show. `npm run soak` looks closer. */
const allowedGrowthBytes = 48 * 1024 * 1024;

interface Tally {
  readonly requests: number;
  /** What was refused, failed or not answered; empty where nothing was. */
  readonly errors: string;
}

const runWrk = async (port: number): Promise<Tally> => {
  const { stdout } = await promisify(execFile)(peerPath('wrk') ?? 'wrk', [
    ...['-t', '2', '-c', String(connections), '-d', `${secondsEach}s`, '-H', 'X-API-Key: key'],
    ...['--timeout', `${requestSeconds}s`],
    `http://127.0.0.1:${port}/orders`,
  ]);
  const errors = stdout.split('\n').filter((line) => /Socket errors|Non-2xx/.test(line));
  return { requests: Number(/(\d+) requests in/.exec(stdout)?.[1] ?? 0), errors: errors.join() };
};

describeWithPeers(['wrk'], `${requests} requests on ${connections} connections, the agent on its socket`, () => {
  let stack: GatewayStack;

  it.beforeAll(async ({ fileCleanUp: cleanUp }) => {
    stack = await startStack(cleanUp, {
      transport: 'socket',
      // A busy machine is no outage.
      agentMembers: 'timeout-ms 5000',
      agentConfig: 'api-keys "key:alice"',
      env: { RUST_LOG: 'warn' },
    });
    stack.upstream.answer = (_request, response) => {
      // Nobody looks at so many heads.
      stack.upstream.received.splice(0);
      response.end('ok');
    };
  });

  const untilEveryClientHasGone = (): Promise<void> =>
    untilTrue('every client has gone', async () => {
      const { connections: open } = (await stack.report('/admin/stats')) as { connections: { total: number } };
      return open.total === 0;
    });

  /** Open files of the gateway but for the connections that it keeps to its upstream. */
  const ownDescriptors = async (): Promise<number> => {
    const { body } = await call(stack.adminPort, { path: '/metrics' });
    const pool = /^gateway_connection_pool_size\{.* (\d+)$/m.exec(body);
    return openDescriptors(stack.gateway.pid) - Number(pool?.[1]);
  };

  it('end without an error, and leak neither descriptors nor memory', { timeout: 600_000 }, async () => {
    const pids = [stack.gateway.pid, stack.agent().pid];
    for (let done = 0; done < warmUpRequests; ) done += (await runWrk(stack.port)).requests;
    await untilEveryClientHasGone();
    const memoryBefore = pids.map(residentBytes);
    const descriptorsBefore = await ownDescriptors();
    const agentDescriptorsBefore = openDescriptors(stack.agent().pid);

    let done = 0;
    while (done < requests) {
      const tally = await runWrk(stack.port);
      expect(tally.errors).toBe('');
      expect(tally.requests).toBeGreaterThan(0);
      done += tally.requests;
    }

    await untilEveryClientHasGone();
    await untilTrue('no descriptor is left', async () => (await ownDescriptors()) <= descriptorsBefore);
    expect(openDescriptors(stack.agent().pid)).toBeLessThanOrEqual(agentDescriptorsBefore);
    for (const [index, pid] of pids.entries()) {
      expect(residentBytes(pid) - (memoryBefore[index] ?? 0)).toBeLessThan(allowedGrowthBytes);
    }
  });
});
