import { describe, expect } from 'vitest';
import { testRoute } from '../../../support/gateway/in-process-gateway.js';
import { type LimitedGateway, post, refusalOf, startLimited } from '../../../support/gateway/limited-gateway.js';
import { plainPolicies } from '../../../support/gateway/plain-configurations.js';
import { it } from '../../../support/shared/fixtures.js';

const framings = [
  ['with a length', false],
  ['in chunks', true],
] as const;

/** One body below the limit, one at it, and what one above it came to. */
const tryAround = async (gateway: LimitedGateway, limit: number, isChunked: boolean) => {
  const client = gateway.client();
  const below = (await client.ask(post(limit - 1, isChunked))).status;
  const at = (await client.ask(post(limit, isChunked))).status;
  const above = await refusalOf(gateway, await client.ask(post(limit + 1, isChunked)));
  await client.closed;
  return { below, at, above };
};

const refusedAt = (name: string, limit: number) => ({
  below: 200,
  at: 200,
  above: {
    status: 413,
    code: 'body_too_large',
    retryAfter: null,
    closes: true,
    limit_name: name,
    limit,
    actual: limit + 1,
    client_ip: '127.0.0.1',
    isTraced: true,
    counted: { gateway_body_size_exceeded_total: 1 },
  },
});

describe.each(framings)('a body %s', (_, isChunked) => {
  it('is limited by max-body-size-bytes', async ({ cleanUp }) => {
    const gateway = await startLimited(cleanUp, { maxBodySizeBytes: 200 });
    expect(await tryAround(gateway, 200, isChunked)).toEqual(refusedAt('max-body-size-bytes', 200));
  });

  it.for([
    ['less', 100],
    ['more', 300],
  ] as const)(
    'is limited by max-body-size of its route, %s than max-body-size-bytes',
    async ([_less, maxBodySize], { cleanUp }) => {
      const routes = [testRoute({ policies: { ...plainPolicies, maxBodySize } })];
      const gateway = await startLimited(cleanUp, { maxBodySizeBytes: 200 }, { routes });
      expect(await tryAround(gateway, maxBodySize, isChunked)).toEqual(refusedAt('max-body-size', maxBodySize));
    },
  );

  it('is limited by max-body-size-bytes if buffered', async ({ cleanUp }) => {
    const routes = [testRoute({ policies: { ...plainPolicies, bufferRequests: true } })];
    const gateway = await startLimited(cleanUp, { maxBodySizeBytes: 200, maxBodyBufferBytes: 1_000 }, { routes });
    expect(await tryAround(gateway, 200, isChunked)).toEqual(refusedAt('max-body-size-bytes', 200));
    expect(gateway.upstream.reached).toHaveLength(2);
  });
});

it('a body that is refused for its length does not reach the upstream', async ({ cleanUp }) => {
  const gateway = await startLimited(cleanUp, { maxBodySizeBytes: 200 });
  expect((await gateway.ask('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 201\r\n\r\n')).status).toBe(413);
  expect(gateway.upstream.reached).toEqual([]);
});
