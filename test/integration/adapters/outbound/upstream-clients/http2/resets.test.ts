import { expect } from 'vitest';
import type { UpstreamRequest } from '../../../../../../src/application/ports/gateway/upstream-client.js';
import {
  frameFlags,
  frameTypes,
  headers,
  type RawHttp2Peer,
  startRawHttp2Upstream,
} from '../../../../../support/gateway/raw-http2-upstream.js';
import { plainUpstreamRequest, targetClient } from '../../../../../support/gateway/target-clients.js';
import { eventually } from '../../../../../support/shared/eventually.js';
import { it } from '../../../../../support/shared/fixtures.js';

const get: UpstreamRequest = { ...plainUpstreamRequest, method: 'GET', timeoutMs: 20_000 };

const begun = (peers: readonly RawHttp2Peer[]): number =>
  peers.reduce((sum, peer) => sum + peer.of(frameTypes.headers).length, 0);

const resets = (peer: RawHttp2Peer): number => peer.of(frameTypes.resetStream).length;

it('mass cancellations use several sessions without losing other requests', async ({ cleanUp }) => {
  const upstream = await startRawHttp2Upstream(cleanUp, () => undefined);
  const client = targetClient(upstream.port, cleanUp, { httpVersion: '2' });
  const shared = client.send(get);
  await eventually(() => begun(upstream.peers) === 1);
  for (let round = 1; round <= 20; round += 1) {
    const cancelled = Array.from({ length: 20 }, () => client.send(get));
    await eventually(() => begun(upstream.peers) === 1 + round * 20);
    for (const exchange of cancelled) exchange.cancel();
    for (const { response } of cancelled) expect(await response).toMatchObject({ ok: false });
  }
  await eventually(() => upstream.peers.reduce((sum, peer) => sum + resets(peer), 0) === 400);
  expect(upstream.peers.length).toBeGreaterThanOrEqual(4);
  // No more than what its budget was, and the streams that were open then.
  for (const peer of upstream.peers) expect(resets(peer)).toBeLessThan(150);

  const [first] = upstream.peers;
  const [stream] = first?.of(frameTypes.headers).map((came) => came.stream) ?? [];
  first?.write(headers(stream ?? 0, [[':status', '204']], frameFlags.endHeaders + frameFlags.endStream));
  expect(await shared.response).toMatchObject({ ok: true, value: { status: 204 } });
});

it('a session is kept with occasional resets', async ({ cleanUp }) => {
  const upstream = await startRawHttp2Upstream(cleanUp, () => undefined);
  const client = targetClient(upstream.port, cleanUp, { httpVersion: '2' });
  for (let turn = 1; turn <= 40; turn += 1) {
    const exchange = client.send(get);
    await eventually(() => begun(upstream.peers) === turn);
    exchange.cancel();
    await exchange.response;
  }
  expect(upstream.peers).toHaveLength(1);
});
