// `npm run soak`: load at a steady rate for a long time, with reloads and faults: does anything grow?
import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Fault, faults } from '../faults/fault-kinds.js';
import { FaultTarget } from '../faults/fault-target.js';
import { failuresOf, hasFailed, RequestLoad, type RequestOutcome } from '../faults/request-load.js';
import { median, renderRows } from '../report.js';
import { positive } from '../settings.js';
import { freePort, installed, start, untilReady } from '../started.js';
import { type Holdings, holdingsOf } from './process-tree.js';
import { type SoakSettings, soakConfiguration } from './soak-configuration.js';
import { type Interval, type Trend, trendsOf } from './trend.js';

const otherCore = 1;
const intervalMs = 30_000;
const samplesInInterval = 6;
const reloadMs = 15_000;
/** Of a fault and the time after it until the next begins. */
const faultMs = 60_000;
const faultLastsMs = 8_000;

const usage = `npm run soak -- [options]
  --minutes N      how long (default 20)
  --rate N         requests a second (default 200)
  --workers N      worker-threads (default 2)
  --write FILE     also write the tables to a file
  --help`;

const gatewayProgram = fileURLToPath(new URL('../../programs/main-gateway.js', import.meta.url));

interface Measured extends Interval {
  readonly requests: number;
  readonly failures: Readonly<Record<string, number>>;
  readonly processes: number;
}

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;

const measured = (outcomes: readonly RequestOutcome[], samples: readonly Holdings[]): Measured => {
  const durations = outcomes
    .filter((outcome) => !hasFailed(outcome))
    .map(({ beganMs, endedMs }) => endedMs - beganMs)
    .sort((a, b) => a - b);
  return {
    requests: outcomes.length,
    failures: failuresOf(outcomes),
    processes: Math.max(...samples.map(({ processes }) => processes)),
    residentBytes: median(samples.map(({ residentBytes }) => residentBytes)),
    descriptors: median(samples.map(({ descriptors }) => descriptors)),
    p50Ms: quantile(durations, 0.5),
    p99Ms: quantile(durations, 0.99),
  };
};

const sampleIntervals = async (pid: number, load: RequestLoad, endsMs: number): Promise<readonly Measured[]> => {
  const intervals: Measured[] = [];
  let known = load.outcomes.length;
  while (performance.now() < endsMs) {
    const samples: Holdings[] = [];
    for (let index = 0; index < samplesInInterval; index += 1) {
      await sleep(intervalMs / samplesInInterval);
      samples.push(holdingsOf(pid));
    }
    const interval = measured(load.outcomes.slice(known), samples);
    known = load.outcomes.length;
    intervals.push(interval);
    const { residentBytes, descriptors, p99Ms } = interval;
    const memory = (residentBytes / 1_048_576).toFixed(0);
    console.error(`${intervals.length}: ${memory} MiB, ${descriptors} descriptors, p99 ${p99Ms.toFixed(1)} ms`);
  }
  return intervals;
};

const reloadAgainAndAgain = async (
  pid: number,
  file: string,
  settings: SoakSettings,
  endsMs: number,
): Promise<number> => {
  let version = 0;
  for (; performance.now() + reloadMs < endsMs; version += 1) {
    await sleep(reloadMs);
    // Renamed into place, so that no half of a file is read.
    writeFileSync(`${file}.new`, soakConfiguration(settings, version + 1), { mode: 0o600 });
    renameSync(`${file}.new`, file);
    process.kill(pid, 'SIGHUP');
  }
  return version;
};

/** What all three targets go down by fails every request, and says nothing of how things grow. */
const soakFaults: readonly Fault[] = faults.filter(({ name }) => name !== 'all killed');

const failAgainAndAgain = async (targets: readonly FaultTarget[], endsMs: number): Promise<number> => {
  let count = 0;
  for (; performance.now() + faultMs < endsMs; count += 1) {
    await sleep(faultMs - faultLastsMs);
    const fault = soakFaults[count % soakFaults.length] as Fault;
    console.error(`${fault.name}: ${fault.describes}`);
    await fault.begin(targets);
    await sleep(faultLastsMs);
    await fault.end(targets);
  }
  return count;
};

const intervalRow = (interval: Measured, index: number): readonly string[] => [
  ((index + 1) * (intervalMs / 60_000)).toFixed(1),
  String(interval.requests),
  Object.entries(interval.failures)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ') || 'none',
  interval.p50Ms.toFixed(1),
  interval.p99Ms.toFixed(1),
  (interval.residentBytes / 1_048_576).toFixed(0),
  String(interval.descriptors),
];

const trendRow = ({ figure, early, late, isFlat }: Trend): readonly string[] => [
  figure,
  early.toFixed(1),
  late.toFixed(1),
  isFlat ? 'yes' : 'NO',
];

/** Runs the soak with the arguments of the command line. */
export const runSoak = async (args: readonly string[]): Promise<void> => {
  const { values } = parseArgs({
    args: [...args],
    strict: true,
    options: {
      minutes: { type: 'string', default: '20' },
      rate: { type: 'string', default: '200' },
      workers: { type: 'string', default: '2' },
      write: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    return;
  }
  if (installed('taskset') === null) throw new Error('the soak needs taskset');
  if (!existsSync(gatewayProgram)) throw new Error('the gateway is not built');
  const minutes = positive('minutes', values.minutes);
  const perSecond = positive('rate', values.rate);
  const workers = positive('workers', values.workers);

  const folder = mkdtempSync(join(tmpdir(), 'pc-soak-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const targets: FaultTarget[] = [];
  for (const name of ['one', 'two', 'three']) targets.push(await FaultTarget.start(name, otherCore));
  const key = 'key-of-the-soak';
  const settings: SoakSettings = {
    port: await freePort(),
    adminPort: await freePort(),
    targetPorts: targets.map(({ port }) => port),
    workers,
    key,
  };
  const file = join(folder, 'gateway.kdl');
  writeFileSync(file, soakConfiguration(settings, 0), { mode: 0o600 });
  const env = { RUST_LOG: 'error' };
  const cores = Array.from({ length: 2 }, (_, core) => core).join(',');
  const gateway = start('gateway', cores, [process.execPath, gatewayProgram, '--config', file], env);
  try {
    await untilReady(gateway, { port: settings.port });
    const load = new RequestLoad({
      port: settings.port,
      path: '/orders',
      perSecond,
      methods: ['GET', 'POST'],
      headers: { 'X-API-Key': key },
    });
    const endsMs = performance.now() + minutes * 60_000;
    const [intervals, reloads, failed] = await Promise.all([
      sampleIntervals(gateway.pid, load, endsMs),
      reloadAgainAndAgain(gateway.pid, file, settings, endsMs),
      failAgainAndAgain(targets, endsMs),
    ]);
    await load.stop();
    const trends = trendsOf(intervals);
    const processes = Math.max(...intervals.map((interval) => interval.processes));
    const report = [
      `Node ${process.versions.node}; ${perSecond} requests a second (GET and POST in turn, with an agent) on three targets for ${minutes} minutes;`,
      `${workers} workers, ${processes} processes; ${reloads} reloads with other routes, weights and limits; ${failed} faults of ${faultLastsMs / 1000} s, by turns: ${soakFaults.map(({ name }) => name).join(', ')}.`,
      '',
      ...renderRows(
        ['minute', 'requests', 'failed', 'p50 ms', 'p99 ms', 'memory MiB', 'descriptors'],
        intervals.map(intervalRow),
      ),
      '',
      'After a fifth of the time as warm-up, the median of the first third beside that of the last:',
      '',
      ...renderRows(['figure', 'first', 'last', 'flat'], trends.map(trendRow)),
      '',
    ].join('\n');
    console.log(`\n${report}`);
    if (values.write !== undefined) writeFileSync(values.write, report);
    if (trends.some(({ isFlat }) => !isFlat)) process.exitCode = 1;
  } finally {
    await gateway.stop();
    for (const target of targets) await target.stop();
  }
};
