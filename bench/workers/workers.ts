// `npm run bench -- workers`: what a request costs in several processes, and what their supervisor does meanwhile.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { median, renderRows } from '../report.js';
import { scenarios } from '../scenarios.js';
import { positive } from '../settings.js';
import { freePort, installed, type Started, start, untilReady } from '../started.js';
import { startUpstream } from '../upstream.js';
import { runWrk } from '../wrk.js';
import { type Kind, kinds, workersConfiguration } from './kinds.js';
import { processFigures } from './process-figures.js';

/** All processes of a gateway share a core, so that a request has the same conditions in one process and in several. */
const gatewayCore = 0;
const otherCore = 1;

const usage = `npm run bench -- workers [options]
  --seconds N      length of each measured run (default 5)
  --rounds N       rounds; in each, one process and several run in turn (default 5)
  --connections N  keep-alive connections (default 64)
  --workers N      processes that serve, beside one that serves alone (default 2)
  --only NAME      ${kinds.map(({ name }) => `"${name}"`).join(', ')}; may be repeated (default: all)
  --write FILE     also write the table to a file
  --help`;

const gatewayProgram = fileURLToPath(new URL('../../programs/main-gateway.js', import.meta.url));

interface Run {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly errors: number;
  readonly workersUs: number;
  readonly supervisorUs: number;
  /** Of a core, in percent. */
  readonly supervisorShare: number;
  readonly toldPerSecond: number;
  readonly wokenPerSecond: number;
}

interface Entry {
  readonly workers: number;
  readonly gateway: Started;
  readonly port: number;
  readonly runs: Run[];
}

interface Load {
  readonly wrk: string;
  readonly seconds: number;
  readonly connections: number;
}

const enter = async (kind: Kind, workers: number, upstreamPort: number, folder: string): Promise<Entry> => {
  const port = await freePort();
  const file = join(folder, `${kind.name.replace(/ /g, '-')}-${workers}.kdl`);
  writeFileSync(file, workersConfiguration(kind, { port, upstreamPort, workers }), { mode: 0o600 });
  const command = [process.execPath, gatewayProgram, '--config', file];
  const gateway = start('gateway', gatewayCore, command, { RUST_LOG: 'error', GATEWAY_WORKER_THREADS: '' });
  await untilReady(gateway, { port });
  return { workers, gateway, port, runs: [] };
};

const run = async ({ gateway, port }: Entry, { wrk, seconds, connections }: Load): Promise<Run> => {
  const [before, beganMs] = [processFigures(gateway.pid), performance.now()];
  const url = `http://127.0.0.1:${port}/orders/17`;
  const outcome = await runWrk(wrk, otherCore, { url, seconds, connections, headers: [] });
  const [after, tookMs] = [processFigures(gateway.pid), performance.now() - beganMs];
  const supervisorUs = after.supervisorUs - before.supervisorUs;
  return {
    ...outcome,
    workersUs: (after.workersUs - before.workersUs) / outcome.requests,
    supervisorUs: supervisorUs / outcome.requests,
    supervisorShare: supervisorUs / tookMs / 10,
    toldPerSecond: (1000 * (after.told - before.told)) / tookMs,
    wokenPerSecond: (1000 * (after.woken - before.woken)) / tookMs,
  };
};

const row = (kind: Kind, { workers, runs }: Entry, one: Entry): readonly string[] => {
  const of = (figure: (each: Run) => number): number => median(runs.map(figure));
  const cost = ({ workersUs, supervisorUs }: Run): number => workersUs + supervisorUs;
  const ratios = runs.flatMap((each, round) => {
    const beside = one.runs[round];
    return beside === undefined ? [] : [cost(each) / cost(beside)];
  });
  const isOne = workers === 1;
  return [
    kind.name,
    String(workers),
    of(({ requestsPerSecond }) => requestsPerSecond).toFixed(0),
    of(({ p50Ms }) => p50Ms).toFixed(2),
    of(({ p99Ms }) => p99Ms).toFixed(2),
    kind.isRefused ? '-' : String(runs.reduce((sum, { errors }) => sum + errors, 0)),
    of(({ workersUs }) => workersUs).toFixed(1),
    isOne ? '-' : of(({ supervisorUs }) => supervisorUs).toFixed(2),
    isOne ? '-' : median(ratios).toFixed(2),
    isOne ? '-' : of(({ supervisorShare }) => supervisorShare).toFixed(1),
    isOne ? '-' : of(({ toldPerSecond }) => toldPerSecond).toFixed(0),
    isOne ? '-' : of(({ wokenPerSecond }) => wokenPerSecond).toFixed(0),
  ];
};

/** One process and several are up at the same time, and are loaded in turn. */
const measure = async (
  kind: Kind,
  workers: number,
  rounds: number,
  load: Load,
  place: { readonly upstreamPort: number; readonly folder: string },
): Promise<readonly (readonly string[])[]> => {
  const entries: Entry[] = [];
  try {
    for (const count of [1, workers]) {
      const entry = await enter(kind, count, place.upstreamPort, place.folder);
      entries.push(entry);
      await run(entry, load);
    }
    for (let round = 1; round <= rounds; round += 1) {
      console.error(`${kind.name}: round ${round} of ${rounds}`);
      for (const entry of entries) entry.runs.push(await run(entry, load));
    }
  } finally {
    for (const { gateway } of entries) await gateway.stop();
  }
  return entries.map((entry) => row(kind, entry, entries[0] as Entry));
};

/** Runs the benchmark with the arguments of the command line. */
export const runWorkers = async (args: readonly string[]): Promise<void> => {
  const { values } = parseArgs({
    args: [...args],
    strict: true,
    options: {
      seconds: { type: 'string', default: '5' },
      rounds: { type: 'string', default: '5' },
      connections: { type: 'string', default: '64' },
      workers: { type: 'string', default: '2' },
      only: { type: 'string', multiple: true },
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
  const wanted = kinds.filter(({ name }) => values.only?.includes(name) ?? true);
  const [scenario] = scenarios;
  if (scenario === undefined || wanted.length === 0) throw new Error('there is nothing to measure');
  const [seconds, rounds] = [positive('seconds', values.seconds), positive('rounds', values.rounds)];
  const load: Load = { wrk, seconds, connections: positive('connections', values.connections) };
  const workers = positive('workers', values.workers);

  const folder = mkdtempSync(join(tmpdir(), 'pc-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const upstream = await startUpstream(folder, otherCore, scenario);
  const rows: (readonly string[])[] = [];
  try {
    const place = { upstreamPort: upstream.port, folder };
    for (const kind of wanted) rows.push(...(await measure(kind, workers, rounds, load, place)));
  } finally {
    await upstream.stop();
  }
  const header = [
    'limits',
    'workers',
    'req/s',
    'p50 ms',
    'p99 ms',
    'errors',
    'worker us/req',
    'supervisor us/req',
    'CPU : one',
    'supervisor %',
    'told/s',
    'woken/s',
  ];
  const report = [
    `Node ${process.versions.node}; all processes of a gateway on one core, ${load.connections} connections, ${rounds} rounds of ${seconds} s:`,
    ...wanted.map(({ name, describes }) => `- ${name}: ${describes}`),
    '',
    ...renderRows(header, rows),
    '',
  ].join('\n');
  console.log(`\n${report}`);
  if (values.write !== undefined) writeFileSync(values.write, report);
};
