import { type AddressInfo, createServer } from 'node:net';
import { describe, expect } from 'vitest';
import {
  frameFlags,
  frameTypes,
  headers,
  startRawHttp2Upstream,
} from '../../../../support/gateway/raw-http2-upstream.js';
import { plainUpstreamRequest, targetClient } from '../../../../support/gateway/target-clients.js';
import type { CleanUp } from '../../../../support/shared/clean-up.js';
import { it } from '../../../../support/shared/fixtures.js';

/** Answers each request with this status, in HTTP/1.1. */
const startHttp1 = async (cleanUp: CleanUp, status: number): Promise<number> => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', () => socket.write(`HTTP/1.1 ${status} X\r\nContent-Length: 2\r\n\r\nok`));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUp.add(() => void server.close());
  return (server.address() as AddressInfo).port;
};

/** The same, in HTTP/2. */
const startHttp2 = async (cleanUp: CleanUp, status: number): Promise<number> => {
  const { port } = await startRawHttp2Upstream(cleanUp, ({ type, stream }, peer) => {
    if (type !== frameTypes.headers) return;
    peer.write(headers(stream, [[':status', String(status)]], frameFlags.endHeaders + frameFlags.endStream));
  });
  return port;
};

describe.each([
  ['HTTP/1.1', startHttp1, { httpVersion: '1.1' }],
  ['HTTP/2', startHttp2, { httpVersion: '2' }],
] as const)('an upstream status (%s)', (_, start, changes) => {
  it.for([600, 799, 999])('is invalid if it is %d', async (status, { cleanUp }) => {
    const client = targetClient(await start(cleanUp, status), cleanUp, changes);
    const outcome = await client.send({ ...plainUpstreamRequest, method: 'GET' }).response;
    expect(outcome).toMatchObject({ ok: false, error: { code: 'invalid_response' } });
  });

  it('is forwarded up to 599', async ({ cleanUp }) => {
    const client = targetClient(await start(cleanUp, 599), cleanUp, changes);
    const outcome = await client.send({ ...plainUpstreamRequest, method: 'GET' }).response;
    expect(outcome).toMatchObject({ ok: true, value: { status: 599 } });
  });
});
