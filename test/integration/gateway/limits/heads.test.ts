import { describe, expect } from 'vitest';
import type { LimitsConfiguration } from '../../../../src/domain/gateway/configuration/gateway-configuration.js';
import { behindProxy, get, refusalOf, startLimited } from '../../../support/gateway/limited-gateway.js';
import { it } from '../../../support/shared/fixtures.js';

/** What `Host: a` costs of the size of all fields, and another field with a name of one letter and no value. */
const hostOctets = 9;
const fieldOctets = 5;

/** A head that has so much of what the limit counts. */
type Head = (actual: number) => string;

const rows: readonly (readonly [string, number, Partial<LimitsConfiguration>, Head])[] = [
  [
    'max-header-size-bytes',
    300,
    { maxHeaderSizeBytes: 300 },
    (size) => get('/', `A: ${'x'.repeat(size - hostOctets - fieldOctets)}`),
  ],
  ['max-header-count', 6, { maxHeaderCount: 6 }, (count) => get('/', ...new Array(count - 1).fill('A: x'))],
  ['max-header-name-bytes', 40, { maxHeaderNameBytes: 40 }, (length) => get('/', `${'a'.repeat(length)}: x`)],
  ['max-header-value-bytes', 50, { maxHeaderValueBytes: 50 }, (length) => get('/', `A: ${'x'.repeat(length)}`)],
];

describe.each(rows)('%s', (name, limit, limits, head) => {
  it('accepts heads up to it on one connection, and refuses one above', async ({ cleanUp }) => {
    const gateway = await startLimited(cleanUp, limits);
    const client = gateway.client();
    expect((await client.ask(head(limit - 1))).status).toBe(200);
    expect((await client.ask(head(limit))).status).toBe(200);
    expect(await refusalOf(gateway, await client.ask(head(limit + 1)))).toEqual({
      status: 431,
      code: 'header_too_large',
      retryAfter: null,
      closes: true,
      limit_name: name,
      limit,
      actual: limit + 1,
      client_ip: '127.0.0.1',
      isTraced: true,
      counted: { gateway_header_size_exceeded_total: 1 },
    });
    await client.closed;
    expect(gateway.upstream.reached).toHaveLength(2);
  });
});

it('the defaults apply without configuration', async ({ cleanUp }) => {
  const gateway = await startLimited(cleanUp, {});
  const large = (octets: number) => get('/', `A: ${'x'.repeat(4_096)}`, `B: ${'x'.repeat(octets)}`);
  const rest = 8_192 - hostOctets - 2 * fieldOctets - 4_096;
  const statuses: number[] = [];
  for (const head of [
    large(rest),
    large(rest + 1),
    get('/', ...new Array(99).fill('A: x')),
    get('/', ...new Array(100).fill('A: x')),
    get('/', `${'a'.repeat(256)}: x`),
    get('/', `${'a'.repeat(257)}: x`),
    get('/', `A: ${'x'.repeat(4_096)}`),
    get('/', `A: ${'x'.repeat(4_097)}`),
  ]) {
    statuses.push((await gateway.ask(head)).status);
  }
  expect(statuses).toEqual([200, 431, 200, 431, 200, 431, 200, 431]);
});

it('the log line names the client behind a trusted proxy', async ({ cleanUp }) => {
  const gateway = await startLimited(cleanUp, { maxHeaderCount: 2 }, behindProxy);
  const refused = await gateway.ask(get('/', 'X-Forwarded-For: 192.0.2.7', 'A: x'));
  expect(await refusalOf(gateway, refused)).toMatchObject({ client_ip: '192.0.2.7', actual: 3 });
});
