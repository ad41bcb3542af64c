import { spawn } from 'node:child_process';
import { describe, expect } from 'vitest';
import { compileCidrs } from '../../../src/domain/http/cidr-set.js';
import { recordedListener } from '../../support/gateway/tls-listener.js';
import { it } from '../../support/shared/fixtures.js';

describe('a client behind a proxy', () => {
  it('cannot name itself: the header of the proxy comes first, also after a reload', async ({ cleanUp }) => {
    const { listener, handler } = await recordedListener(cleanUp, null);
    const seen: string[] = [];
    handler.handle = (request, response) => {
      seen.push(request.connection.peerAddress);
      response.send(200, [], 'done', true);
    };
    const from = compileCidrs(['127.0.0.1']);
    if (!from.ok) throw new Error(from.error);
    (listener as unknown as { expectProxyHeaders(from: unknown, ms: number): void }).expectProxyHeaders(from.value, 0);
    const ofProxy = 'PROXY TCP4 192.0.2.7 198.51.100.1 56324 443\r\n';
    const ofClient = 'PROXY TCP4 10.0.0.1 198.51.100.1 56324 443\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n';
    const script = `const s = require('node:net').connect(${listener.address().port}, '127.0.0.1', () => s.write(${JSON.stringify(ofProxy)}));
      s.on('error', () => {}); s.on('data', () => {}); setTimeout(() => s.write(${JSON.stringify(ofClient)}), 1500); setTimeout(() => process.exit(), 3000);`;
    const child = spawn(process.execPath, ['-e', script], { stdio: 'ignore' });
    cleanUp.add(() => child.kill());
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 700);
    await new Promise((resolve) => child.once('close', resolve));
    expect(seen).not.toContain('10.0.0.1');
  });
});
