import { connect } from 'node:net';
import { describe, expect } from 'vitest';
import { compileCidrs } from '../../../src/domain/http/cidr-set.js';
import { startInProcess, testConfiguration, testUpstream } from '../../support/gateway/in-process-gateway.js';
import { plainTimeouts } from '../../support/gateway/plain-configurations.js';
import { sleep, uncaught } from '../../support/gateway/stream-socket-attacks.js';
import { preparedTls, recordedListener } from '../../support/gateway/tls-listener.js';
import { it } from '../../support/shared/fixtures.js';
import { OpensslCertificates } from '../../support/shared/openssl-certificates.js';

const blocks = (text: string) => {
  const compiled = compileCidrs([text]);
  if (!compiled.ok) throw new Error(compiled.error);
  return compiled.value;
};

const resetOne = async (port: number, text: string): Promise<void> => {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('connect', resolve));
  socket.write(text);
  await sleep(100);
  socket.resetAndDestroy();
  await sleep(200);
};

describe('a reset by a client, where a reload changed a listener that began on native sockets', () => {
  it('to HTTP/2 is no uncaught exception', async ({ cleanUp }) => {
    const { listener } = await recordedListener(cleanUp, null);
    (listener as unknown as { acceptHttp2(on: boolean): void }).acceptHttp2(true);
    expect(await uncaught(() => resetOne(listener.address().port, 'PRI'))).toEqual([]);
  });
  it('to PROXY headers is no uncaught exception', async ({ cleanUp }) => {
    const { listener } = await recordedListener(cleanUp, null);
    (listener as unknown as { expectProxyHeaders(from: unknown, ms: number): void }).expectProxyHeaders(
      blocks('127.0.0.1'),
      100,
    );
    expect(await uncaught(() => resetOne(listener.address().port, 'PROXY '))).toEqual([]);
  });
  it('to TLS is no uncaught exception', async ({ cleanUp }) => {
    const pki = new OpensslCertificates();
    cleanUp.add(() => pki.remove());
    const server = pki.server('server', { by: pki.authority('root'), names: ['DNS:a.example'] });
    const { listener } = await recordedListener(cleanUp, null);
    (listener as unknown as { secure(tls: unknown, ms: number): void }).secure(preparedTls([server]), 100);
    expect(await uncaught(() => resetOne(listener.address().port, '\x16\x03\x01\x01'))).toEqual([]);
  });
  it('to HTTP/2, by a reload of the whole gateway, is no uncaught exception', async ({ cleanUp }) => {
    const before = testConfiguration([testUpstream(1)]);
    const gateway = await startInProcess(before);
    cleanUp.add(() => gateway.stop());
    const [main] = before.listeners;
    if (!main) throw new Error();
    const after = { ...before, listeners: [{ ...main, timeouts: plainTimeouts, http2: true }] };
    expect(await gateway.reload(after)).toMatchObject({ ok: true });
    const seen = await uncaught(() => resetOne(gateway.address.port, 'GET / HTTP/1.1\r\n'));
    expect(seen).toEqual([]);
  });
});
