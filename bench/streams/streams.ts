// `npm run bench -- streams`: what small requests feel of event streams and WebSockets to the same target.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { median, renderRows } from '../report.js';
import { positive } from '../settings.js';
import { freePort, installed, start, untilReady } from '../started.js';
import { runWrk, type WrkOutcome } from '../wrk.js';

const gatewayCore = 0;
const otherCore = 1;
const patienceMs = 30_000;
const pollMs = 50;
const warmUpSeconds = 1;

const usage = `npm run bench -- streams [options]
  --seconds N      length of each measured run (default 10)
  --rounds N       rounds; in each, the requests run alone and beside the streams (default 5)
  --connections N  clients of small requests (default 64)
  --streams N      event streams, and as many WebSockets (default 100)
  --write FILE     also write the table to a file
  --help`;

const gatewayProgram = fileURLToPath(new URL('../../programs/main-gateway.js', import.meta.url));
const targetProgram = fileURLToPath(new URL('./target.js', import.meta.url));
const clientsProgram = fileURLToPath(new URL('./stream-clients.js', import.meta.url));

/** Clients share one address, so their limit is raised; all other limits are the defaults. */
const configuration = (port: number, targetPort: number): string => `
listeners { listener "bench" { address "127.0.0.1:${port}" } }
routes { route "everything" { matches { path-prefix "/" }; upstream "bench" } }
upstreams { upstream "bench" { target "127.0.0.1:${targetPort}" } }
limits { max-connections-per-client 10000 }
`;

/** Opens the streams; resolves once all have begun. */
const openStreams = async (port: number, count: number): Promise<{ stop(): Promise<void> }> => {
  const clients = start('the streams', otherCore, [process.execPath, clientsProgram, String(port), String(count)]);
  const givesUpMs = Date.now() + patienceMs;
  while (!clients.output().includes('ready')) {
    if (clients.child.exitCode !== null || Date.now() > givesUpMs) {
      await clients.stop();
      throw new Error(`the streams did not open:\n${clients.output()}`);
    }
    await sleep(pollMs);
  }
  return {
    stop: async () => {
      if (clients.child.exitCode !== null) throw new Error(`a stream ended during the run:\n${clients.output()}`);
      await clients.stop();
    },
  };
};

interface Round {
  readonly alone: WrkOutcome;
  readonly beside: WrkOutcome;
}

const row = (name: string, runs: readonly WrkOutcome[]): readonly string[] => [
  name,
  median(runs.map(({ requestsPerSecond }) => requestsPerSecond)).toFixed(0),
  median(runs.map(({ p50Ms }) => p50Ms)).toFixed(2),
  median(runs.map(({ p99Ms }) => p99Ms)).toFixed(2),
  String(runs.reduce((sum, { errors }) => sum + errors, 0)),
];

/** Runs the benchmark with the arguments of the command line. */
export const runStreams = async (args: readonly string[]): Promise<void> => {
  const { values } = parseArgs({
    args: [...args],
    strict: true,
    options: {
      seconds: { type: 'string', default: '10' },
      rounds: { type: 'string', default: '5' },
      connections: { type: 'string', default: '64' },
      streams: { type: 'string', default: '100' },
      write: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    return;
  }
  const wrk = installed('wrk');
  if (wrk === null || installed('taskset') === null) throw new Error('the benchmark needs wrk and taskset');
  if (!existsSync(gatewayProgram)) throw new Error('the gateway is not built');
  const seconds = positive('seconds', values.seconds);
  const rounds = positive('rounds', values.rounds);
  const connections = positive('connections', values.connections);
  const count = positive('streams', values.streams);

  const folder = mkdtempSync(join(tmpdir(), 'pc-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const [port, targetPort] = [await freePort(), await freePort()];
  const file = join(folder, 'streams.kdl');
  writeFileSync(file, configuration(port, targetPort), { mode: 0o600 });
  const target = start('the target', otherCore, [process.execPath, targetProgram, String(targetPort)]);
  const env = { RUST_LOG: 'error', GATEWAY_WORKER_THREADS: '1' };
  const gateway = start('gateway', gatewayCore, [process.execPath, gatewayProgram, '--config', file], env);
  const url = `http://127.0.0.1:${port}/orders/17`;
  const run = (length: number): Promise<WrkOutcome> =>
    runWrk(wrk, otherCore, { url, seconds: length, connections, headers: [] });
  const measured: Round[] = [];
  try {
    await untilReady(target, { port: targetPort });
    await untilReady(gateway, { port });
    for (let round = 0; round < rounds; round += 1) {
      await run(warmUpSeconds);
      const alone = await run(seconds);
      const streams = await openStreams(port, count);
      await run(warmUpSeconds);
      const beside = await run(seconds);
      await streams.stop();
      measured.push({ alone, beside });
      console.error(`round ${round + 1}: p99 ${alone.p99Ms.toFixed(2)} ms alone, ${beside.p99Ms.toFixed(2)} ms beside`);
    }
  } finally {
    await gateway.stop();
    await target.stop();
  }
  const ratio = median(measured.map(({ alone, beside }) => beside.p99Ms / alone.p99Ms));
  const report = [
    `Node ${process.versions.node}; ${connections} clients of small requests for ${seconds} s, ${rounds} rounds;`,
    `beside them ${count} event streams and ${count} WebSockets to the same target, a message each second on each.`,
    '',
    ...renderRows(
      ['requests', 'req/s', 'p50 ms', 'p99 ms', 'errors'],
      [
        row(
          'alone',
          measured.map(({ alone }) => alone),
        ),
        row(
          'beside streams',
          measured.map(({ beside }) => beside),
        ),
      ],
    ),
    '',
    `p99 beside streams : p99 alone, median of the rounds: ${ratio.toFixed(2)}`,
    '',
  ].join('\n');
  console.log(`\n${report}`);
  if (values.write !== undefined) writeFileSync(values.write, report);
};
