// `npm run bench -- compress`: what a compressed response of 10 KB costs, in turns with nginx.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { cpuTimeUs } from '../cpu-time.js';
import { median, renderRows } from '../report.js';
import { positive } from '../settings.js';
import { freePort, installed, type Started, start, untilReady } from '../started.js';
import { runWrk } from '../wrk.js';

const proxyCore = 0;
const otherCore = 1;
const warmUpSeconds = 4;

const usage = `npm run bench -- compress [options]
  --seconds N      length of each measured run (default 3)
  --rounds N       rounds; in each, both proxies run once (default 7)
  --connections N  keep-alive connections of clients (default 64)
  --write FILE     also write the table to a file
  --help`;

/** What clients accept. */
interface Kind {
  readonly name: string;
  readonly describes: string;
  readonly accept: string;
  readonly hasNginx: boolean;
}

const kinds: readonly Kind[] = [
  { name: 'identity', describes: 'clients accept no coding', accept: 'identity', hasNginx: true },
  { name: 'gzip', describes: 'gzip, level 6 on both', accept: 'gzip', hasNginx: true },
  { name: 'br', describes: 'br, quality 4; nginx has no module for it', accept: 'br', hasNginx: false },
];

const bodies = 64;
const bodyOctets = 10_240;

/** JSON of an API: names repeat, values differ. */
const body = (seed: number): string => {
  const rows: string[] = [];
  for (let id = seed * 1_000, length = 0; length < bodyOctets; id += 1) {
    const row = JSON.stringify({
      id: (id * 7_919) % 100_003,
      name: `User ${(id * 31) % 977}`,
      email: `u${(id * 17) % 10_009}@example.org`,
      tags: [`a${id % 7}`, `b${id % 5}`],
      createdAt: new Date(1.7e12 + id * 86_413_000).toISOString(),
      score: Math.sin(id),
    });
    rows.push(row);
    length += row.length + 1;
  }
  return `[${rows.join(',')}]`.slice(0, bodyOctets);
};

const temporaryPaths = (folder: string, prefix: string): string =>
  ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${prefix}-${name};`)
    .join(' ');

const upstreamConfiguration = (folder: string, port: number): string => `
daemon off; worker_processes 1; pid ${folder}/upstream.pid; error_log stderr crit;
events { worker_connections 4096; }
http {
  access_log off; keepalive_requests 1000000000; keepalive_timeout 3600s; ${temporaryPaths(folder, 'u')}
  default_type application/json; open_file_cache max=1000; gzip off;
  server { listen 127.0.0.1:${port} backlog=4096; root ${folder}/bodies; }
}
`;

const nginxConfiguration = (folder: string, port: number, upstreamPort: number): string => `
daemon off; worker_processes 1; pid ${folder}/nginx.pid; error_log stderr crit;
events { worker_connections 8192; }
http {
  access_log off; keepalive_requests 1000000000; keepalive_timeout 3600s; ${temporaryPaths(folder, 'n')}
  gzip on; gzip_types application/json; gzip_comp_level 6; gzip_min_length 1024; gzip_proxied any; gzip_vary on;
  upstream back { server 127.0.0.1:${upstreamPort}; keepalive 128; keepalive_requests 1000000000; }
  server {
    listen 127.0.0.1:${port} backlog=4096;
    location / {
      proxy_pass http://back; proxy_http_version 1.1;
      proxy_set_header Connection ''; proxy_set_header Accept-Encoding '';
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Proto $scheme;
      proxy_set_header X-Forwarded-Host $http_host;
    }
  }
}
`;

const gatewayConfiguration = (port: number, upstreamPort: number): string => `
system { worker-threads 1 }
listeners { listener "bench" { address "127.0.0.1:${port}" } }
routes { route "everything" { matches { path-prefix "/" }; upstream "bench"; policies { compress { } } } }
upstreams {
  upstream "bench" { target "127.0.0.1:${upstreamPort}"; connection-pool { max-idle 128 } }
}
limits { max-connections-per-client 5000 }
`;

/** Bodies and cookies that differ from request to request, for wrk. */
const variedScript = (accept: string): string => `
local count = 0
request = function()
  count = count + 1
  local headers = { ["Cookie"] = "visitor=" .. (count * 104729 % 999983), ["X-Request-Id"] = tostring(count),
    ["Accept-Encoding"] = "${accept}", ["Accept"] = "application/json" }
  return wrk.format("GET", "/" .. (count % ${bodies}) .. ".json?page=" .. count, headers)
end
`;

const built = fileURLToPath(new URL('../../programs/main-gateway.js', import.meta.url));

/** Runs the benchmark with the arguments of the command line. */
export const runCompressionBench = async (args: readonly string[]): Promise<void> => {
  const { values } = parseArgs({
    args: [...args],
    strict: true,
    options: {
      seconds: { type: 'string', default: '3' },
      rounds: { type: 'string', default: '7' },
      connections: { type: 'string', default: '64' },
      write: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    return;
  }
  const [nginx, wrk] = [installed('nginx'), installed('wrk')];
  if (nginx === null || wrk === null || installed('taskset') === null) {
    throw new Error('the benchmark needs nginx, wrk and taskset');
  }
  const [seconds, rounds] = [positive('seconds', values.seconds), positive('rounds', values.rounds)];
  const connections = positive('connections', values.connections);
  const folder = mkdtempSync(join(tmpdir(), 'pc-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const write = (name: string, text: string): string => {
    const file = join(folder, name);
    writeFileSync(file, text);
    return file;
  };
  // The workers of nginx may run as another user.
  chmodSync(folder, 0o755);
  mkdirSync(join(folder, 'bodies'));
  for (let number = 0; number < bodies; number += 1) write(`bodies/${number}.json`, body(number));
  const nginxCommand = (file: string): readonly string[] => [nginx, '-p', folder, '-e', 'stderr', '-c', file];
  const running: Started[] = [];
  const begin = async (name: string, core: number, port: number, command: readonly string[]): Promise<Started> => {
    const started = start(name, core, command, { RUST_LOG: 'error', GATEWAY_WORKER_THREADS: '' });
    running.push(started);
    await untilReady(started, { port });
    return started;
  };
  const rows: (readonly string[])[] = [];
  try {
    const [upstreamPort, nginxPort, gatewayPort] = [await freePort(), await freePort(), await freePort()];
    const upstreamFile = write('u.conf', upstreamConfiguration(folder, upstreamPort));
    await begin('upstream', otherCore, upstreamPort, nginxCommand(upstreamFile));
    const nginxFile = write('n.conf', nginxConfiguration(folder, nginxPort, upstreamPort));
    const gatewayFile = write('g.kdl', gatewayConfiguration(gatewayPort, upstreamPort));
    const gatewayCommand = [process.execPath, built, '--config', gatewayFile];
    const proxies = [
      { name: 'nginx', port: nginxPort, started: await begin('nginx', proxyCore, nginxPort, nginxCommand(nginxFile)) },
      { name: 'gateway', port: gatewayPort, started: await begin('gateway', proxyCore, gatewayPort, gatewayCommand) },
    ];
    for (const kind of kinds) {
      const script = write(`${kind.name}.lua`, variedScript(kind.accept));
      const load = (port: number, time: number) =>
        runWrk(wrk, otherCore, {
          url: `http://127.0.0.1:${port}/`,
          seconds: time,
          connections,
          headers: [],
          script,
        });
      const entries = proxies
        .filter(({ name }) => kind.hasNginx || name !== 'nginx')
        .map((proxy) => ({ ...proxy, costsUs: [] as number[] }));
      for (const { port } of entries) await load(port, warmUpSeconds);
      for (let round = 1; round <= rounds; round += 1) {
        console.error(`${kind.name}: round ${round} of ${rounds}`);
        for (const { started, port, costsUs } of entries) {
          const before = cpuTimeUs([started.pid]);
          const { requests, errors } = await load(port, seconds);
          if (errors > 0) console.error(`${kind.name}: ${errors} errors`);
          costsUs.push((cpuTimeUs([started.pid]) - before) / requests);
        }
      }
      const base = kind.hasNginx ? (entries[0]?.costsUs ?? []) : [];
      for (const { name, costsUs } of entries) {
        const ratios = costsUs.map((cost, round) => cost / (base[round] ?? Number.NaN));
        const range = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
        const compared = kind.hasNginx ? [median(ratios).toFixed(2), range] : ['', ''];
        rows.push([kind.name, name, median(costsUs).toFixed(1), ...compared]);
      }
    }
  } finally {
    for (const each of running) await each.stop();
  }
  const report = [
    `Node ${process.versions.node}; each proxy on one core, ${connections} connections of clients, ${rounds} rounds of ${seconds} s; varied GETs, ${bodies} different responses of 10 KB of JSON:`,
    ...kinds.map(({ name, describes }) => `- ${name}: ${describes}`),
    '',
    ...renderRows(['coding', 'proxy', 'CPU us/request', 'times nginx', 'ratios'], rows),
    '',
  ].join('\n');
  console.log(`\n${report}`);
  if (values.write !== undefined) writeFileSync(values.write, report);
};
