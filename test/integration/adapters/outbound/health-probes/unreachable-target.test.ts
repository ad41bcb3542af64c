import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NodeHealthProber } from '../../../../../src/adapters/outbound/health-probes/node-health-prober.js';
import type { HealthProbe } from '../../../../../src/domain/gateway/configuration/upstream-options.js';
import { err } from '../../../../../src/domain/shared/result.js';

/** An address whose queue of connections is full: who connects hears nothing, as behind a firewall that drops. */
interface StuckListener {
  readonly port: number;
  close(): void;
}

/** Listens, says where, and never accepts. */
const program = `
const server = require('node:net').createServer();
server.listen({ host: '127.0.0.1', port: 0, backlog: 1 }, () => {
  require('node:fs').writeSync(1, String(server.address().port));
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});`;

const startStuckListener = async (): Promise<StuckListener> => {
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [written] = (await once(child.stdout, 'data')) as [Buffer];
  const port = Number(written.toString());
  const waiting: Socket[] = [];
  // As many as the system keeps for a program that does not accept, and some that it leaves unanswered.
  for (let count = 0; count < 4; count += 1) waiting.push(connect(port, '127.0.0.1').on('error', () => undefined));
  await once(waiting[0] as Socket, 'connect');
  return {
    port,
    close: () => {
      for (const socket of waiting) socket.destroy();
      child.kill('SIGKILL');
    },
  };
};

const probes: readonly HealthProbe[] = [
  { kind: 'tcp' },
  { kind: 'http', path: '/', expectedStatuses: [200], host: null },
  { kind: 'grpc', service: '' },
];

describe('a health check of a target that accepts no connection', () => {
  let listener: StuckListener;

  beforeAll(async () => {
    listener = await startStuckListener();
  });
  afterAll(() => listener.close());

  it.each(probes)('times out, by $kind', async (probe) => {
    const target = { address: { host: '127.0.0.1', port: listener.port }, authority: 'api.test:80', tls: null };
    expect(await new NodeHealthProber().probe(target, probe, 100)).toEqual(err('no connection within 0.1 s'));
  });
});
