// `npm run bench -- handshakes`: what a TLS handshake costs, in turns with nginx and caddy.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { makeCertificate } from '../certificate.js';
import { cpuTimeUs } from '../cpu-time.js';
import { median, renderRows } from '../report.js';
import { scenarios } from '../scenarios.js';
import { positive } from '../settings.js';
import { installed } from '../started.js';
import { startUpstream } from '../upstream.js';
import { runHandshakes } from './s-time.js';
import { startTlsProxies, type TlsProxy } from './tls-proxies.js';

const proxyCore = 0;
const otherCore = 1;
const warmUpSeconds = 8;

interface Kind {
  readonly name: string;
  readonly describes: string;
  readonly options: readonly string[];
}

const kinds: readonly Kind[] = [
  { name: 'full', describes: 'TLS 1.3, a full handshake for each connection', options: ['-new', '-tls1_3'] },
  { name: 'resumed', describes: 'TLS 1.3, each connection resumes a session', options: ['-reuse', '-tls1_3'] },
  { name: 'full 1.2', describes: 'TLS 1.2, a full handshake for each connection', options: ['-new', '-tls1_2'] },
  { name: 'resumed 1.2', describes: 'TLS 1.2, each connection resumes a session', options: ['-reuse', '-tls1_2'] },
];

const usage = `npm run bench -- handshakes [options]
  --seconds N    length of each measured run (default 3)
  --rounds N     rounds; in each, every proxy runs once (default 7)
  --clients N    connections at a time (default 8)
  --only KIND    ${kinds.map(({ name }) => `"${name}"`).join(', ')}; may be repeated (default: all)
  --proxy NAME   nginx, gateway, caddy; may be repeated (default: all that are installed)
  --other FILE   main-gateway.js of another build, which runs too
  --write FILE   also write the table to a file
  --help`;

interface Entry {
  readonly proxy: TlsProxy;
  /** CPU time of the proxy for each connection, in microseconds. */
  readonly costsUs: number[];
}

/** Runs the benchmark with the arguments of the command line. */
export const runHandshakeBench = async (args: readonly string[]): Promise<void> => {
  const { values } = parseArgs({
    args: [...args],
    strict: true,
    options: {
      seconds: { type: 'string', default: '3' },
      rounds: { type: 'string', default: '7' },
      clients: { type: 'string', default: '8' },
      only: { type: 'string', multiple: true },
      proxy: { type: 'string', multiple: true },
      other: { type: 'string' },
      write: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    return;
  }
  const openssl = installed('openssl');
  if (openssl === null || installed('taskset') === null) throw new Error('the benchmark needs openssl and taskset');
  const scenario = scenarios.find(({ name }) => name === 'repeated');
  const wanted = kinds.filter(({ name }) => values.only?.includes(name) ?? true);
  if (scenario === undefined || wanted.length === 0) throw new Error('there is nothing to measure');
  const [seconds, rounds] = [positive('seconds', values.seconds), positive('rounds', values.rounds)];
  const clients = positive('clients', values.clients);

  const folder = mkdtempSync(join(tmpdir(), 'pc-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const certificate = makeCertificate(openssl, folder);
  const upstream = await startUpstream(folder, otherCore, scenario);
  const place = { folder, core: proxyCore, upstreamPort: upstream.port, ...certificate };
  const rows: (readonly string[])[] = [];
  let proxies: readonly TlsProxy[] = [];
  try {
    proxies = await startTlsProxies(place, values.other ?? null, values.proxy ?? null);
    for (const kind of wanted) {
      const entries: readonly Entry[] = proxies.map((proxy) => ({ proxy, costsUs: [] }));
      const load = { openssl, core: otherCore, seconds, clients, options: kind.options };
      // Code is compiled after some thousand connections.
      for (const { proxy } of entries) await runHandshakes({ ...load, seconds: warmUpSeconds, port: proxy.port });
      for (let round = 1; round <= rounds; round += 1) {
        console.error(`${kind.name}: round ${round} of ${rounds}`);
        for (const { proxy, costsUs } of entries) {
          const before = cpuTimeUs([proxy.running.pid]);
          const count = await runHandshakes({ ...load, port: proxy.port });
          costsUs.push((cpuTimeUs([proxy.running.pid]) - before) / count);
        }
      }
      const base = entries.find(({ proxy }) => proxy.name === 'nginx');
      for (const { proxy, costsUs } of entries) {
        const ratios = costsUs.map((cost, round) => (base?.costsUs[round] ?? Number.NaN) / cost);
        rows.push([
          kind.name,
          proxy.name,
          median(costsUs).toFixed(0),
          median(ratios).toFixed(2),
          `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`,
        ]);
      }
    }
  } finally {
    for (const { running } of proxies) await running.stop();
    await upstream.stop();
  }
  const report = [
    `Node ${process.versions.node}; each proxy on one core, ${clients} connections at a time, ${rounds} rounds of ${seconds} s; ECDSA P-256; each connection carries one GET:`,
    ...wanted.map(({ name, describes }) => `- ${name}: ${describes}`),
    '',
    ...renderRows(['handshake', 'proxy', 'CPU us/connection', 'CPU : nginx', 'ratios'], rows),
    '',
  ].join('\n');
  console.log(`\n${report}`);
  if (values.write !== undefined) writeFileSync(values.write, report);
};
