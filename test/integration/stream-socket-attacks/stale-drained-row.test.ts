import { spawn } from 'node:child_process';
import { describe, expect } from 'vitest';
import { testSocketLayers } from '../../support/gateway/socket-layers.js';
import { serverOf, sleep } from '../../support/gateway/stream-socket-attacks.js';
import { eventually } from '../../support/shared/eventually.js';
import { it } from '../../support/shared/fixtures.js';

describe('a queue that was sent in the same turn before a handler writes again', () => {
  it('does not make the new octets count as sent', async ({ cleanUp }) => {
    const script = `require('node:net').createServer((s) => { s.pause(); s.on('error', () => {});
      s.on('data', (d) => { if (Date.now() > t + 700) return; }); s.pause(); const t = Date.now() + 1500;
      setTimeout(() => { s.resume(); setTimeout(() => s.pause(), 300); }, 1500);
      }).listen(0, '127.0.0.1', function () { console.log(this.address().port); });`;
    const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    cleanUp.add(() => child.kill());
    const slowPort = Number(await new Promise((resolve) => child.stdout.once('data', resolve)));
    const { port, sockets } = await serverOf(cleanUp, () => undefined);
    const slow = testSocketLayers.current.connect({ host: '127.0.0.1', port: slowPort }, () => true);
    slow.on('error', () => undefined);
    cleanUp.add(() => void slow.destroy());
    await new Promise<void>((resolve) => slow.on('connect', resolve));
    let lengthAfterWrite = -1;
    const quick = testSocketLayers.current.connect({ host: '127.0.0.1', port }, () => {
      slow.write(Buffer.alloc(64_000_000));
      lengthAfterWrite = slow.writableLength;
      return true;
    });
    quick.on('error', () => undefined);
    cleanUp.add(() => void quick.destroy());
    await eventually(() => sockets.length === 1);
    await sleep(100);
    while (slow.writableLength === 0) slow.write(Buffer.alloc(20_000));
    const before = slow.writableLength;
    let lengthAtDrain = -1;
    slow.on('drain', () => {
      if (lengthAtDrain < 0) lengthAtDrain = slow.writableLength;
    });
    sockets[0]?.write('x');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_500);
    await sleep(50);
    expect({ before, lengthAfterWrite, now: slow.writableLength, lengthAtDrain }).toMatchObject({ lengthAtDrain: -1 });
    expect(slow.writableLength).toBeGreaterThan(0);
  });
});
