// `npm run bench -- overload`: what good clients and the gateway's memory feel of clients that nobody wants.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { renderRows } from '../report.js';
import { residentBytes } from '../resident.js';
import { scenarios } from '../scenarios.js';
import { positive } from '../settings.js';
import { freePort, installed, start, untilReady } from '../started.js';
import { startUpstream, type Upstream } from '../upstream.js';
import { runWrk, type WrkOutcome } from '../wrk.js';
import { type Crowd, crowds } from './crowds.js';

const gatewayCore = 0;
const otherCore = 1;
const patienceMs = 120_000;
const pollMs = 100;
const settleMs = 2_000;

const usage = `npm run bench -- overload [options]
  --seconds N      length of each measured run (default 10)
  --connections N  connections of good clients (default 8)
  --only KIND      ${crowds.map(({ kind }) => kind).join(', ')}; may be repeated (default: all)
  --write FILE     also write the table to a file
  --help`;

const gatewayProgram = fileURLToPath(new URL('../../programs/main-gateway.js', import.meta.url));
const crowdProgram = fileURLToPath(new URL('./crowd.js', import.meta.url));

const configuration = (port: number, upstreamPort: number, silentPort: number): string => `
listeners {
  listener "bench" {
    address "127.0.0.1:${port}"
    protocol "http"
  }
}
routes {
  route "everything" {
    matches {
      path-prefix "/"
    }
    upstream "bench"
  }
  route "keyed" {
    priority "high"
    matches {
      path "/keyed"
    }
    upstream "bench"
    policies {
      rate-limit {
        // Slow enough that no bucket is full again, and forgotten, while it is measured.
        requests-per-second 0.001
        burst 2
        key "header:x-key"
      }
    }
  }
  route "busy" {
    priority "high"
    matches {
      path "/busy"
    }
    upstream "silent"
    policies {
      timeout-secs 300
    }
  }
}
upstreams {
  upstream "bench" {
    target "127.0.0.1:${upstreamPort}"
  }
  upstream "silent" {
    target "127.0.0.1:${silentPort}"
    connection-pool {
      max-connections 5000
    }
    timeouts {
      request-secs 300
      read-secs 300
    }
  }
}
limits {
  max-total-connections 15000
  max-connections-per-route 15000
  max-in-flight-requests 5000
  max-in-flight-requests-per-worker 5000
}
`;

interface Figures extends WrkOutcome {
  /** Before the crowd came, in octets. */
  readonly residentBefore: number;
  /** While it stood. */
  readonly residentWith: number;
}

/** Resolves once the crowd stands. */
const gather = async ({ kind, count }: Crowd, port: number, silentPort: number): Promise<{ stop(): Promise<void> }> => {
  const crowd = start('the crowd', otherCore, [
    process.execPath,
    crowdProgram,
    ...[port, kind, count, silentPort].map(String),
  ]);
  const givesUpMs = Date.now() + patienceMs;
  while (!crowd.output().includes('ready')) {
    if (crowd.child.exitCode !== null || Date.now() > givesUpMs) {
      await crowd.stop();
      throw new Error(`the crowd did not gather:\n${crowd.output()}`);
    }
    await sleep(pollMs);
  }
  return crowd;
};

const measureWith = async (
  crowd: Crowd,
  upstream: Upstream,
  folder: string,
  load: { readonly wrk: string; readonly seconds: number; readonly connections: number },
): Promise<Figures> => {
  const port = await freePort();
  const silentPort = await freePort();
  const file = join(folder, `${crowd.kind}.kdl`);
  writeFileSync(file, configuration(port, upstream.port, silentPort), { mode: 0o600 });
  const env = { RUST_LOG: 'error', GATEWAY_WORKER_THREADS: '1' };
  const gateway = start('gateway', gatewayCore, [process.execPath, gatewayProgram, '--config', file], env);
  try {
    await untilReady(gateway, { port });
    const good = (seconds: number): Promise<WrkOutcome> =>
      runWrk(load.wrk, otherCore, {
        url: `http://127.0.0.1:${port}/orders/17`,
        seconds,
        connections: load.connections,
        headers: [],
      });
    await good(Math.min(2, load.seconds));
    await sleep(settleMs);
    const residentBefore = residentBytes(gateway.pid);
    const standing = crowd.kind === 'none' ? null : await gather(crowd, port, silentPort);
    try {
      await sleep(settleMs);
      const residentWith = residentBytes(gateway.pid);
      return { ...(await good(load.seconds)), residentBefore, residentWith };
    } finally {
      await standing?.stop();
    }
  } finally {
    await gateway.stop();
  }
};

const mebibytes = (octets: number): string => (octets / 1_048_576).toFixed(0);

const row = ({ kind, count }: Crowd, figures: Figures): readonly string[] => {
  const { residentBefore, residentWith } = figures;
  return [
    kind,
    mebibytes(residentWith),
    kind === 'none' || kind === 'refused' ? '-' : ((residentWith - residentBefore) / count / 1024).toFixed(1),
    figures.requestsPerSecond.toFixed(0),
    figures.p50Ms.toFixed(2),
    figures.p99Ms.toFixed(2),
    String(figures.errors),
  ];
};

/** Runs the benchmark with the arguments of the command line. */
export const runOverload = async (args: readonly string[]): Promise<void> => {
  const { values } = parseArgs({
    args: [...args],
    strict: true,
    options: {
      seconds: { type: 'string', default: '10' },
      connections: { type: 'string', default: '8' },
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
  const seconds = positive('seconds', values.seconds);
  const load = { wrk, seconds, connections: positive('connections', values.connections) };
  const wanted = crowds.filter(({ kind }) => values.only?.includes(kind) ?? true);
  const [scenario] = scenarios;
  if (scenario === undefined || wanted.length === 0) throw new Error('there is nothing to measure');

  const folder = mkdtempSync(join(tmpdir(), 'pc-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const upstream = await startUpstream(folder, otherCore, scenario);
  const rows: (readonly string[])[] = [];
  try {
    for (const crowd of wanted) {
      console.error(`${crowd.kind}: ${crowd.describes}`);
      rows.push(row(crowd, await measureWith(crowd, upstream, folder, load)));
    }
  } finally {
    await upstream.stop();
  }
  const header = ['crowd', 'memory MiB', 'KiB each', 'req/s', 'p50 ms', 'p99 ms', 'errors'];
  const report = [
    `Node ${process.versions.node}; ${load.connections} connections of good clients for ${seconds} s, beside:`,
    ...wanted.map(({ kind, describes }) => `- ${kind}: ${describes}`),
    '',
    ...renderRows(header, rows),
    '',
  ].join('\n');
  console.log(`\n${report}`);
  if (values.write !== undefined) writeFileSync(values.write, report);
};
