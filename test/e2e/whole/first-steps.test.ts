import { execFile } from 'node:child_process';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeWithPeers } from '../../support/shared/peers.js';
import { type RunningProcess, startProcess } from '../../support/shared/processes.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Those of config/gateway.kdl. */
const ports = [8080, 8081, 9090];

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });

const taken: number[] = [];
for (const port of ports) if (!(await isFree(port))) taken.push(port);

const name = 'npm start';
const tests = (): void => {
  let started: RunningProcess;
  let curlLines: readonly string[];

  beforeAll(async () => {
    started = startProcess(process.execPath, ['scripts/start.mjs'], { cwd: root, env: { RUST_LOG: 'info' } });
    const output = await started.wrote(/Press Ctrl-C to stop/);
    curlLines = [...output.matchAll(/^ *(curl .*)$/gm)].map(([, line = '']) => line);
  });
  afterAll(() => started.stop());

  /** What a person sees who pastes a line into a terminal. */
  const paste = async (line: string | undefined): Promise<string> =>
    (await promisify(execFile)('/bin/sh', ['-c', `${line} --silent --show-error`])).stdout;

  it('prints three commands: without a credential, with one, and for metrics', () => {
    expect(curlLines).toHaveLength(3);
  });

  it('refuses the first with 401 and a challenge', async () => {
    const answer = await paste(curlLines[0]);
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
    expect(answer).toMatch(/^www-authenticate: Bearer realm="gateway"\r$/im);
    expect(answer).toContain('"code":"unauthenticated"');
  });

  it('answers 200 to the second, and identifies the user to the upstream', async () => {
    const answer = await paste(curlLines[1]);
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    const echo = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))) as { readonly headers: Record<string, string> };
    expect(echo.headers).toMatchObject({ 'x-user-id': 'alice', 'x-auth-method': 'api_key' });
    expect(echo.headers).not.toHaveProperty('x-api-key');
  });

  it('counts both requests', async () => {
    const metrics = await paste(curlLines[2]);
    expect(metrics).toMatch(/^gateway_requests_total\{.*status="401".*\} 1$/m);
    expect(metrics).toMatch(/^gateway_requests_total\{.*status="200".*\} 1$/m);
  });

  it('exits with 0 on Ctrl-C', async () => {
    started.signal('SIGINT');
    expect(await started.exited).toEqual({ code: 0, signal: null });
  });
};

if (taken.length === 0) describeWithPeers(['curl'], name, tests);
else describe.skip(`${name} (ports in use: ${taken.join(', ')})`, tests);
