// Lists the source files of the gateway in which at least one function runs during one GET.
// usage: node scripts/request-path.mjs [--functions]   (after `npm run build`)
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inRoot } from './paths.mjs';

/**
 * Loaded into the gateway: starts to count calls, and answers each connection to a socket with the functions that ran
 * since the last one.
 */
const counter = `
  import inspector from 'node:inspector';
  import net from 'node:net';
  const session = new inspector.Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  net.createServer((socket) => {
    session.post('Profiler.takePreciseCoverage', (_, { result }) => socket.end(JSON.stringify(result)));
  }).listen(process.env.COUNTER_SOCKET).unref();
`;

const warmUps = 50;

/** @param {import('node:net').Server} server @returns {Promise<number>} */
const listening = (server) =>
  new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });

/** @param {number} milliseconds */
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** @param {http.RequestOptions} options @returns {Promise<void>} */
const get = (options) =>
  new Promise((resolve, reject) => {
    http
      .get(options, (response) => {
        response.resume().on('end', resolve);
      })
      .on('error', reject);
  });

/** @param {string} path @returns {Promise<import('node:inspector').Profiler.ScriptCoverage[]>} */
const callsSinceLast = (path) =>
  new Promise((resolve, reject) => {
    let text = '';
    net
      .connect(path)
      .setEncoding('utf8')
      .on('data', (part) => {
        text += part;
      })
      .on('end', () => resolve(JSON.parse(text)))
      .on('error', reject);
  });

/** @param {string} url The source file of a compiled module; null: not one of the gateway. */
const sourceOf = (url) => {
  if (!url.startsWith('file:')) return null;
  const path = relative(inRoot('dist'), fileURLToPath(url));
  return path.startsWith('..') ? null : join('src', path.replace(/\.js$/, '.ts'));
};

const main = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'request-path-'));
  const counterSocket = join(folder, 'counter');
  const upstream = http.createServer((_, response) => {
    response.end('hello');
  });
  const reserved = net.createServer();
  const port = await listening(reserved);
  await new Promise((resolve) => reserved.close(resolve));
  writeFileSync(
    join(folder, 'gateway.kdl'),
    `system { worker-threads 1; }
     listeners { listener "main" { address "127.0.0.1:${port}"; protocol "http"; }; }
     routes { route "all" { matches { path-prefix "/"; }; upstream "main"; }; }
     upstreams { upstream "main" { targets { target { address "127.0.0.1:${await listening(upstream)}"; }; }; }; }`,
  );
  const gateway = spawn(
    process.execPath,
    [
      '--import',
      `data:text/javascript,${encodeURIComponent(counter)}`,
      inRoot('dist', 'bootstrap', 'gateway', 'main-gateway.js'),
      '--config',
      join(folder, 'gateway.kdl'),
    ],
    {
      env: { ...process.env, COUNTER_SOCKET: counterSocket, RUST_LOG: 'error' },
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  );
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const request = { port, host: '127.0.0.1', path: '/orders/1?page=2', agent };
  try {
    for (let attempt = 0; attempt < 100; attempt += 1) {
      try {
        await get(request);
        break;
      } catch {
        await pause(50);
      }
    }
    for (let count = 0; count < warmUps; count += 1) await get(request);
    await pause(20);
    await callsSinceLast(counterSocket);
    await get(request);
    const scripts = await callsSinceLast(counterSocket);
    const files = scripts.flatMap(({ url, functions }) => {
      const source = sourceOf(url);
      const ran = functions.filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0);
      return source === null || ran.length === 0
        ? []
        : [{ source, names: ran.map(({ functionName }) => functionName) }];
    });
    files.sort((a, b) => (a.source < b.source ? -1 : 1));
    const isVerbose = process.argv.includes('--functions');
    for (const { source, names } of files) {
      const lines = readFileSync(inRoot(source), 'utf8').split('\n').length - 1;
      console.log(`${String(lines).padStart(4)}  ${source}${isVerbose ? `: ${names.join(' ')}` : ''}`);
    }
    console.log(`${files.length} files`);
  } finally {
    agent.destroy();
    upstream.close();
    gateway.kill();
    rmSync(folder, { recursive: true });
  }
};

await main();
