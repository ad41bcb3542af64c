// `npm run bench -- upstream-tls`: what TLS to an upstream costs, in turns with nginx.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type BenchCertificate, makeCertificate } from '../certificate.js';
import { cpuTimeUs } from '../cpu-time.js';
import { median, renderRows } from '../report.js';
import { positive } from '../settings.js';
import { freePort, installed, type Started, start, untilReady } from '../started.js';
import { runWrk } from '../wrk.js';

const proxyCore = 0;
const otherCore = 1;
const warmUpSeconds = 6;

const usage = `npm run bench -- upstream-tls [options]
  --seconds N      length of each measured run (default 3)
  --rounds N       rounds; in each, every proxy runs once (default 7)
  --connections N  keep-alive connections of clients (default 64)
  --other FILE     main-gateway.js of another build, which runs too
  --write FILE     also write the table to a file
  --help`;

interface Place extends BenchCertificate {
  readonly folder: string;
  readonly upstreamPort: number;
}

/** How connections to the upstream are used. */
interface Kind {
  readonly name: string;
  readonly describes: string;
  readonly keeps: boolean;
  readonly isTls: boolean;
}

const kinds: readonly Kind[] = [
  { name: 'plain, kept', describes: 'connections without TLS are kept', keeps: true, isTls: false },
  { name: 'TLS, kept', describes: 'connections with TLS 1.3 are kept', keeps: true, isTls: true },
  {
    name: 'TLS, new',
    describes: 'each request opens a connection, which resumes a session',
    keeps: false,
    isTls: true,
  },
];

const temporaryPaths = (folder: string, prefix: string): string =>
  ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${prefix}-${name};`)
    .join(' ');

const upstreamConfiguration = ({ folder, upstreamPort, certFile, keyFile }: Place, plainPort: number): string => `
daemon off; worker_processes 1; pid ${folder}/upstream.pid; error_log stderr crit;
events { worker_connections 4096; }
http {
  access_log off; keepalive_requests 1000000000; keepalive_timeout 3600s; ${temporaryPaths(folder, 'u')}
  server {
    listen 127.0.0.1:${plainPort} backlog=4096;
    listen 127.0.0.1:${upstreamPort} ssl backlog=4096;
    ssl_certificate ${certFile}; ssl_certificate_key ${keyFile}; ssl_protocols TLSv1.3;
    ssl_session_tickets on; ssl_session_cache off;
    default_type application/json;
    add_header ETag '"$connection-$connection_requests"';
    location / { return 200 '${'x'.repeat(1024)}'; }
  }
}
`;

const nginxConfiguration = (place: Place, port: number, plainPort: number, { keeps, isTls }: Kind): string => `
daemon off; worker_processes 1; pid ${place.folder}/nginx.pid; error_log stderr crit;
events { worker_connections 8192; }
http {
  access_log off; keepalive_requests 1000000000; keepalive_timeout 3600s; ${temporaryPaths(place.folder, 'n')}
  upstream back {
    server 127.0.0.1:${isTls ? place.upstreamPort : plainPort};
    ${keeps ? 'keepalive 128; keepalive_requests 1000000000;' : ''}
  }
  server {
    listen 127.0.0.1:${port} backlog=4096;
    location / {
      proxy_pass ${isTls ? 'https' : 'http'}://back; proxy_http_version 1.1;
      proxy_set_header Connection '${keeps ? '' : 'close'}';
      proxy_ssl_trusted_certificate ${place.certFile}; proxy_ssl_verify on; proxy_ssl_protocols TLSv1.3;
      proxy_ssl_name shop.example.com; proxy_ssl_server_name on; proxy_ssl_session_reuse on;
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Proto $scheme;
      proxy_set_header X-Forwarded-Host $http_host;
    }
  }
}
`;

const gatewayConfiguration = (place: Place, port: number, plainPort: number, { keeps, isTls }: Kind): string => `
system { worker-threads 1 }
listeners { listener "bench" { address "127.0.0.1:${port}" } }
routes { route "everything" { matches { path-prefix "/" }; upstream "bench" } }
upstreams {
  upstream "bench" {
    target "127.0.0.1:${isTls ? place.upstreamPort : plainPort}"
    ${isTls ? `tls { sni "shop.example.com"; ca-cert "${place.certFile}" }` : ''}
    connection-pool { max-idle ${keeps ? 128 : 0} }
  }
}
limits {
  max-connections-per-client 5000
}
`;

/** Paths, queries, cookies and ids that differ from request to request, for wrk. */
const variedScript = `
local count = 0
request = function()
  count = count + 1
  local path = "/orders/" .. (count * 7919 % 99991) .. "?page=" .. (count % 97)
  local headers = { ["Cookie"] = "visitor=" .. (count * 104729 % 999983), ["X-Request-Id"] = tostring(count),
    ["User-Agent"] = "bench/" .. (count % 13), ["Accept"] = "application/json" }
  return wrk.format("GET", path, headers)
end
`;

const built = fileURLToPath(new URL('../../programs/main-gateway.js', import.meta.url));

/** Runs the benchmark with the arguments of the command line. */
export const runUpstreamTlsBench = async (args: readonly string[]): Promise<void> => {
  const { values } = parseArgs({
    args: [...args],
    strict: true,
    options: {
      seconds: { type: 'string', default: '3' },
      rounds: { type: 'string', default: '7' },
      connections: { type: 'string', default: '64' },
      other: { type: 'string' },
      write: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    return;
  }
  const [openssl, nginx, wrk] = [installed('openssl'), installed('nginx'), installed('wrk')];
  if (openssl === null || nginx === null || wrk === null || installed('taskset') === null) {
    throw new Error('the benchmark needs openssl, nginx, wrk and taskset');
  }
  const [seconds, rounds] = [positive('seconds', values.seconds), positive('rounds', values.rounds)];
  const connections = positive('connections', values.connections);
  const folder = mkdtempSync(join(tmpdir(), 'pc-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const place: Place = { folder, upstreamPort: await freePort(), ...makeCertificate(openssl, folder) };
  const write = (name: string, text: string): string => {
    const file = join(folder, name);
    writeFileSync(file, text, { mode: 0o600 });
    return file;
  };
  const nginxCommand = (file: string): readonly string[] => [nginx, '-p', folder, '-e', 'stderr', '-c', file];
  const running: Started[] = [];
  const rows: (readonly string[])[] = [];
  try {
    const plainPort = await freePort();
    const upstream = start(
      'upstream',
      otherCore,
      nginxCommand(write('u.conf', upstreamConfiguration(place, plainPort))),
    );
    running.push(upstream);
    await untilReady(upstream, { port: plainPort });
    const script = write('varied.lua', variedScript);
    for (const kind of kinds) {
      const entries: { name: string; started: Started; port: number; costsUs: number[] }[] = [];
      const add = async (name: string, command: (port: number) => readonly string[]): Promise<void> => {
        const port = await freePort();
        const started = start(name, proxyCore, command(port), { RUST_LOG: 'error', GATEWAY_WORKER_THREADS: '' });
        running.push(started);
        await untilReady(started, { port });
        entries.push({ name, started, port, costsUs: [] });
      };
      await add('nginx', (port) => nginxCommand(write('n.conf', nginxConfiguration(place, port, plainPort, kind))));
      for (const [name, program] of [['gateway', built] as const, ['other gateway', values.other] as const]) {
        if (program === undefined) continue;
        await add(name, (port) => {
          const file = write(`${name}.kdl`, gatewayConfiguration(place, port, plainPort, kind));
          return [process.execPath, program, '--config', file];
        });
      }
      const load = (port: number, time: number) =>
        runWrk(wrk, otherCore, {
          url: `http://127.0.0.1:${port}/`,
          seconds: time,
          connections,
          headers: [],
          script,
        });
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
      const base = entries[0]?.costsUs ?? [];
      for (const { name, costsUs } of entries) {
        const ratios = costsUs.map((cost, round) => (base[round] ?? Number.NaN) / cost);
        const range = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
        rows.push([kind.name, name, median(costsUs).toFixed(1), median(ratios).toFixed(2), range]);
      }
      for (const { started } of entries) await started.stop();
    }
  } finally {
    for (const each of running) await each.stop();
  }
  const report = [
    `Node ${process.versions.node}; each proxy on one core, ${connections} connections of clients, ${rounds} rounds of ${seconds} s; varied GETs, response of 1 KB; ECDSA P-256:`,
    ...kinds.map(({ name, describes }) => `- ${name}: ${describes}`),
    '',
    ...renderRows(['connections to the upstream', 'proxy', 'CPU us/request', 'CPU : nginx', 'ratios'], rows),
    '',
  ].join('\n');
  console.log(`\n${report}`);
  if (values.write !== undefined) writeFileSync(values.write, report);
};
