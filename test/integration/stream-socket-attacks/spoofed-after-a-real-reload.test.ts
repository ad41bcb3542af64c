import { spawn } from 'node:child_process';
import { describe, expect } from 'vitest';
import { startInProcess, testConfiguration, testUpstream } from '../../support/gateway/in-process-gateway.js';
import { startRawUpstream } from '../../support/gateway/raw-upstream.js';
import { it } from '../../support/shared/fixtures.js';

describe('a reload that adds PROXY headers', () => {
  it('lets no client name itself', async ({ cleanUp }) => {
    const upstream = await startRawUpstream(
      (socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'),
    );
    cleanUp.add(() => upstream.close());
    const before = testConfiguration([testUpstream(upstream.port)]);
    const gateway = await startInProcess(before);
    cleanUp.add(() => gateway.stop());
    const [main] = before.listeners;
    if (!main) throw new Error();
    const listeners = [{ ...main, trustedProxies: ['127.0.0.1'], proxyProtocol: true }];
    expect(await gateway.reload({ ...before, listeners })).toMatchObject({ ok: true });
    const ofProxy = 'PROXY TCP4 192.0.2.7 198.51.100.1 56324 443\r\n';
    const ofClient = 'PROXY TCP4 10.0.0.1 198.51.100.1 56324 443\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n';
    const script = `const s = require('node:net').connect(${gateway.address.port}, '127.0.0.1', () => s.write(${JSON.stringify(ofProxy)}));
      s.on('error', () => {}); s.on('data', () => {}); setTimeout(() => s.write(${JSON.stringify(ofClient)}), 1500); setTimeout(() => process.exit(), 3000);`;
    const child = spawn(process.execPath, ['-e', script], { stdio: 'ignore' });
    cleanUp.add(() => child.kill());
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 700);
    await new Promise((resolve) => child.once('close', resolve));
    expect(upstream.heads.join('\n')).not.toContain('10.0.0.1');
  });
});
