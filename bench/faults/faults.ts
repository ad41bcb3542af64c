// `npm run bench -- faults`: which requests fail when a target does, with what, and how long until all is well again.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { renderRows } from '../report.js';
import { positive } from '../settings.js';
import { freePort, installed, start, untilReady } from '../started.js';
import { type Fault, faults } from './fault-kinds.js';
import { FaultTarget } from './fault-target.js';
import { failuresOf, hasFailed, RequestLoad } from './request-load.js';

const gatewayCore = 0;
const otherCore = 1;
const pollMs = 20;
/** How long a target that is well again may take to be used. */
const patienceMs = 120_000;
const quietMs = 3_000;

const usage = `npm run bench -- faults [options]
  --seconds N      how long each fault lasts (default 15)
  --rate N         requests a second (default 200)
  --only NAME      ${faults.map(({ name }) => name).join(', ')}; may be repeated (default: all)
  --write FILE     also write the table to a file
  --help`;

const gatewayProgram = fileURLToPath(new URL('../../programs/main-gateway.js', import.meta.url));

const configuration = (port: number, targets: readonly FaultTarget[]): string => `
listeners {
  listener "bench" {
    address "127.0.0.1:${port}"
  }
}
limits {
  max-connections-per-client 2000
}
routes {
  route "everything" {
    matches {
      path-prefix "/"
    }
    upstream "bench"
  }
}
upstreams {
  upstream "bench" {
${targets.map((target) => `    target "127.0.0.1:${target.port}"`).join('\n')}
    health-check {
      type "http" {
        path "/health"
      }
      interval-secs 5
      timeout-secs 2
      healthy-threshold 2
      unhealthy-threshold 2
    }
    timeouts {
      connect-secs 2
      request-secs 2
    }
  }
}
`;

/** Resolves once each of the targets has answered a request that began later than this. */
const untilAllAreUsed = async (load: RequestLoad, targets: readonly FaultTarget[], sinceMs: number): Promise<void> => {
  const givesUpMs = performance.now() + patienceMs;
  const isUsed = ({ name }: FaultTarget): boolean => load.since(sinceMs).some(({ text }) => text.startsWith(name));
  while (!targets.every(isUsed)) {
    if (performance.now() > givesUpMs) throw new Error('a target that is well again is not used');
    await sleep(pollMs);
  }
};

const inSeconds = (milliseconds: number): string => (milliseconds / 1000).toFixed(1);

const runFault = async (
  fault: Fault,
  load: RequestLoad,
  targets: readonly FaultTarget[],
  lastsMs: number,
): Promise<readonly string[]> => {
  const known = load.outcomes.length;
  const beganMs = performance.now();
  await fault.begin(targets);
  await sleep(lastsMs);
  const endBeginsMs = performance.now();
  await fault.end(targets);
  const wellMs = performance.now();
  await untilAllAreUsed(load, targets, wellMs);
  const usedMs = performance.now();
  await sleep(quietMs);
  await load.settled();
  const outcomes = load.outcomes.slice(known);
  const failed = outcomes.filter(hasFailed);
  const during = failed.filter(({ beganMs: at }) => at < endBeginsMs);
  const after = failed.filter(({ beganMs: at }) => at >= wellMs);
  const lastOf = (of: typeof failed, sinceMs: number): string =>
    of.length === 0 ? '-' : inSeconds(Math.max(...of.map((each) => each.beganMs)) - sinceMs);
  const counts = Object.entries(failuresOf(outcomes)).map(([name, count]) => `${count} ${name}`);
  return [
    fault.name,
    String(outcomes.length),
    counts.length === 0 ? 'none' : counts.join(', '),
    lastOf(during, beganMs),
    lastOf(after, wellMs),
    inSeconds(usedMs - wellMs),
  ];
};

/** Runs the benchmark with the arguments of the command line. */
export const runFaults = async (args: readonly string[]): Promise<void> => {
  const { values } = parseArgs({
    args: [...args],
    strict: true,
    options: {
      seconds: { type: 'string', default: '15' },
      rate: { type: 'string', default: '200' },
      only: { type: 'string', multiple: true },
      write: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    return;
  }
  if (installed('taskset') === null) throw new Error('the benchmark needs taskset');
  if (!existsSync(gatewayProgram)) throw new Error('the gateway is not built');
  const seconds = positive('seconds', values.seconds);
  const perSecond = positive('rate', values.rate);
  const wanted = faults.filter(({ name }) => values.only?.includes(name) ?? true);
  if (wanted.length === 0) throw new Error('there is nothing to measure');

  const folder = mkdtempSync(join(tmpdir(), 'pc-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const port = await freePort();
  const targets: FaultTarget[] = [];
  for (const name of ['one', 'two', 'three']) targets.push(await FaultTarget.start(name, otherCore));
  const file = join(folder, 'gateway.kdl');
  writeFileSync(file, configuration(port, targets), { mode: 0o600 });
  const gateway = start('gateway', gatewayCore, [process.execPath, gatewayProgram, '--config', file], {
    RUST_LOG: 'error',
    GATEWAY_WORKER_THREADS: '1',
  });
  const rows: (readonly string[])[] = [];
  try {
    await untilReady(gateway, { port });
    const load = new RequestLoad({ port, path: '/orders', perSecond, methods: ['GET', 'POST'] });
    await untilAllAreUsed(load, targets, performance.now());
    await sleep(quietMs);
    for (const fault of wanted) {
      console.error(`${fault.name}: ${fault.describes}`);
      rows.push(await runFault(fault, load, targets, seconds * 1000));
    }
    await load.stop();
  } finally {
    await gateway.stop();
    for (const target of targets) await target.stop();
  }
  const header = ['fault', 'requests', 'failed', 'last s', 'last after s', 'used again s'];
  const report = [
    `Node ${process.versions.node}; ${perSecond} requests a second, GET and POST in turn, on three targets; each fault lasts ${seconds} s.`,
    ...wanted.map(({ name, describes }) => `- ${name}: ${describes}`),
    '',
    ...renderRows(header, rows),
    '',
  ].join('\n');
  console.log(`\n${report}`);
  if (values.write !== undefined) writeFileSync(values.write, report);
};
