// `npm run bench -- reloads`: do requests fail while the configuration, the program or a worker is replaced?
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { renderRows } from '../report.js';
import { scenarios } from '../scenarios.js';
import { positive } from '../settings.js';
import { childrenOf } from '../soak/process-tree.js';
import { freePort, installed, start, untilReady } from '../started.js';
import { startUpstream } from '../upstream.js';
import { runWrk } from '../wrk.js';

const bothCores = '0,1';
const patienceMs = 30_000;
const pollMs = 50;

const usage = `npm run bench -- reloads [options]
  --seconds N      length of the run (default 60)
  --connections N  connections of wrk (default 16)
  --workers N      worker-threads; may be repeated (default: 1 and 2)
  --write FILE     also write the table to a file
  --help`;

const gatewayProgram = fileURLToPath(new URL('../../programs/main-gateway.js', import.meta.url));

interface Run {
  readonly wrk: string;
  readonly seconds: number;
  readonly connections: number;
  readonly workers: number;
  readonly upstreamPort: number;
  readonly folder: string;
}

const configuration = ({ workers, upstreamPort }: Run, port: number, adminPort: number, version: number): string => {
  const others = Array.from({ length: version % 20 }, (_, index) => {
    const id = `version-${version}-${index}`;
    return `  route "${id}" {\n    matches { path "/${id}" }\n    upstream "bench"\n  }`;
  });
  return `
system { worker-threads ${workers}; graceful-shutdown-timeout-secs 10 }
listeners { listener "bench" { address "127.0.0.1:${port}" } }
limits { max-connections-per-client 1000 }
routes {
  route "orders-${version}" {
    matches { path-prefix "/orders" }
    upstream "bench"
  }
${others.join('\n')}
}
upstreams { upstream "bench" { target "127.0.0.1:${upstreamPort}" } }
admin { address "127.0.0.1:${adminPort}" }
`;
};

/** A file written whole before it has its name. */
const put = (file: string, text: string): void => {
  writeFileSync(`${file}.new`, text, { mode: 0o600 });
  renameSync(`${file}.new`, file);
};

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** What goes on while wrk runs. */
interface Happenings {
  reloads: number;
  upgrades: number;
}

/** Reloads each second, and has the program replace itself after a third and after two thirds of the time. */
const disturb = async (
  run: Run,
  port: number,
  adminPort: number,
  file: string,
  pid: () => number,
): Promise<Happenings> => {
  const done: Happenings = { reloads: 0, upgrades: 0 };
  const endsMs = performance.now() + (run.seconds - 2) * 1000;
  const upgrades = [endsMs - (run.seconds * 2000) / 3, endsMs - run.seconds * 1000 * (1 / 3)];
  while (performance.now() < endsMs) {
    const [next] = upgrades;
    if (next !== undefined && performance.now() > next) {
      upgrades.shift();
      const before = pid();
      process.kill(before, 'SIGUSR2');
      const givesUpMs = performance.now() + patienceMs;
      while (pid() === before || isAlive(before)) {
        if (performance.now() > givesUpMs) throw new Error('the program was not replaced');
        await sleep(pollMs);
      }
      done.upgrades += 1;
      continue;
    }
    await sleep(1_000);
    put(file, configuration(run, port, adminPort, done.reloads + 1));
    process.kill(pid(), 'SIGHUP');
    done.reloads += 1;
  }
  return done;
};

const measure = async (run: Run): Promise<readonly string[]> => {
  const [port, adminPort] = [await freePort(), await freePort()];
  const [file, pidFile] = [join(run.folder, `${run.workers}.kdl`), join(run.folder, `${run.workers}.pid`)];
  put(file, configuration(run, port, adminPort, 0));
  const command = [process.execPath, gatewayProgram, '--config', file, '--pid-file', pidFile];
  const gateway = start('gateway', bothCores, command, { RUST_LOG: 'warn' });
  const pid = (): number => Number(readFileSync(pidFile, 'utf8'));
  try {
    await untilReady(gateway, { port });
    const load = { url: `http://127.0.0.1:${port}/orders/17`, seconds: run.seconds, headers: [] };
    const [outcome, done] = await Promise.all([
      runWrk(run.wrk, bothCores, { ...load, connections: run.connections }),
      disturb(run, port, adminPort, file, pid),
    ]);
    return [
      String(run.workers),
      String(childrenOf(pid()).length + 1),
      String(outcome.requests),
      String(done.reloads),
      String(done.upgrades),
      String(outcome.errors),
      outcome.p50Ms.toFixed(1),
      outcome.p99Ms.toFixed(1),
    ];
  } finally {
    // The one that serves now is no child of this process.
    const last = pid();
    process.kill(last, 'SIGTERM');
    await gateway.stop();
    const givesUpMs = performance.now() + patienceMs;
    while (isAlive(last) && performance.now() < givesUpMs) await sleep(pollMs);
  }
};

/** Runs the benchmark with the arguments of the command line. */
export const runReloads = async (args: readonly string[]): Promise<void> => {
  const { values } = parseArgs({
    args: [...args],
    strict: true,
    options: {
      seconds: { type: 'string', default: '60' },
      connections: { type: 'string', default: '16' },
      workers: { type: 'string', multiple: true, default: ['1', '2'] },
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
  const [scenario] = scenarios;
  if (scenario === undefined) throw new Error('there is nothing to measure');
  const folder = mkdtempSync(join(tmpdir(), 'pc-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const upstream = await startUpstream(folder, 1, scenario);
  const rows: (readonly string[])[] = [];
  try {
    for (const workers of values.workers) {
      const run: Run = {
        wrk,
        seconds: positive('seconds', values.seconds),
        connections: positive('connections', values.connections),
        workers: positive('workers', workers),
        upstreamPort: upstream.port,
        folder,
      };
      rows.push(await measure(run));
    }
  } finally {
    await upstream.stop();
  }
  const header = ['workers', 'processes', 'requests', 'reloads', 'upgrades', 'failed', 'p50 ms', 'p99 ms'];
  const report = [
    `Node ${process.versions.node}; wrk with ${values.connections} connections for ${values.seconds} s, a reload with other routes (SIGHUP) each second, and two upgrades (SIGUSR2):`,
    '',
    ...renderRows(header, rows),
    '',
  ].join('\n');
  console.log(`\n${report}`);
  if (values.write !== undefined) writeFileSync(values.write, report);
};
