import { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { ProxyHeaders } from '../../../../../src/adapters/inbound/http-engines/connections/proxy-headers.js';
import { compileCidrs } from '../../../../../src/domain/http/cidr-set.js';

const peer = '192.0.2.1';

it('a bounded number of connections wait for their PROXY headers', async () => {
  const failures: (readonly [string, string])[] = [];
  const headers = new ProxyHeaders(
    () => 60_000,
    (peerAddress, reason) => failures.push([peerAddress, reason]),
  );
  const from = compileCidrs([peer]);
  headers.expectFrom(from.ok ? from.value : null);
  const take = (): Socket => {
    const raw = new Socket();
    headers.take(raw, peer, () => undefined);
    return raw;
  };
  const waiting = Array.from({ length: 1_024 }, take);
  expect(failures).toEqual([]);
  expect(take().destroyed).toBe(true);
  expect(failures).toEqual([[peer, 'too_many']]);
  const [first] = waiting;
  const closed = new Promise((resolve) => first?.once('close', resolve));
  first?.destroy();
  await closed;
  const next = take();
  expect(next.destroyed).toBe(false);
  headers.endWaiting(performance.now());
  expect([...waiting, next].every(({ destroyed }) => destroyed)).toBe(true);
  expect(failures).toHaveLength(1);
});
