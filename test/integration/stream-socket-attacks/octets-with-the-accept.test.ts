import { spawn } from 'node:child_process';
import { describe, expect } from 'vitest';
import { compileCidrs } from '../../../src/domain/http/cidr-set.js';
import { recordedListener } from '../../support/gateway/tls-listener.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { it } from '../../support/shared/fixtures.js';

/** What a client of another process gets, which sent this before its connection was accepted. */
const early = async (cleanUp: CleanUp, port: number, text: string): Promise<string> => {
  const script = `const s = require('node:net').connect(${port}, '127.0.0.1', () => s.write(${JSON.stringify(text)}));
    s.on('data', (d) => process.stdout.write(d)); s.on('error', () => {}); setTimeout(() => process.exit(), 3000);`;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  cleanUp.add(() => child.kill());
  let out = '';
  child.stdout.on('data', (octets) => {
    out += String(octets);
  });
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 700);
  await new Promise((resolve) => child.once('close', resolve));
  return out;
};

const request = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

describe('octets that arrive with their connection', () => {
  it('are read, as long as nothing was reloaded', async ({ cleanUp }) => {
    const { listener, handler } = await recordedListener(cleanUp, null);
    handler.handle = (_request, response) => response.send(200, [], 'done', false);
    expect(await early(cleanUp, listener.address().port, request)).toContain('done');
  });
  it('are read where a reload added HTTP/2', async ({ cleanUp }) => {
    const { listener, handler } = await recordedListener(cleanUp, null);
    handler.handle = (_request, response) => response.send(200, [], 'done', false);
    (listener as unknown as { acceptHttp2(on: boolean): void }).acceptHttp2(true);
    expect(await early(cleanUp, listener.address().port, request)).toContain('done');
  });
  it('are read where a reload added PROXY headers', async ({ cleanUp }) => {
    const { listener, handler } = await recordedListener(cleanUp, null);
    handler.handle = (_request, response) => response.send(200, [], 'done', false);
    const from = compileCidrs(['127.0.0.1']);
    if (!from.ok) throw new Error(from.error);
    (listener as unknown as { expectProxyHeaders(from: unknown, ms: number): void }).expectProxyHeaders(from.value, 0);
    const line = 'PROXY TCP4 192.0.2.7 198.51.100.1 56324 443\r\n';
    expect(await early(cleanUp, listener.address().port, `${line}${request}`)).toContain('done');
  });
});
