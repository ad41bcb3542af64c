import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clientSecret, ExchangeWorld, exchangeFields, seen } from '../../../../support/agent/fake-token-exchange.js';
import { neverCancelled } from '../../../../support/shared/never-cancelled.js';

const names = [...Object.keys(exchangeFields), 'audience', 'resource', 'scope', 'actor_token', 'actor_token_type'];
const nearlyRight = fc.constantFrom(
  ...Object.values(exchangeFields),
  'urn:ietf:params:oauth:token-type:access_token',
  'the-token-of-the-desk',
  'billing',
  'https://orders.example',
  'read',
  '',
);
const pair = fc.tuple(
  fc.oneof(fc.constantFrom(...names), fc.string()),
  fc.oneof({ weight: 4, arbitrary: nearlyRight }, { weight: 1, arbitrary: fc.string({ unit: 'binary' }) }),
);
const goodForm = fc.constant(new URLSearchParams(exchangeFields).toString());
const form = fc
  .tuple(fc.oneof(goodForm, fc.constant('')), fc.array(pair, { maxLength: 8 }))
  .map(([start, pairs]) => new TextEncoder().encode(`${start}&${new URLSearchParams(pairs).toString()}`));
const anyBody = fc.oneof({ weight: 3, arbitrary: form }, { weight: 1, arbitrary: fc.uint8Array({ maxLength: 300 }) });
const authorization = fc.oneof(
  fc.constant(`Basic ${btoa(`desk:${clientSecret}`)}`),
  fc.string().map((text) => `Basic ${Buffer.from(text).toString('base64')}`),
);

describe('any request to the token endpoint', () => {
  it('gets either a token or an OAuth error, one log line and one count', async () => {
    await fc.assert(
      fc.asyncProperty(anyBody, fc.boolean(), authorization, async (body, hasClient, credential) => {
        const world = new ExchangeWorld({ hasClient });
        const event = world.event({ headers: ['authorization', credential] });
        const {
          status,
          body: told,
          headers,
        } = seen(await world.endpoint.answerForm(event, '/token/exchange', body, neverCancelled));
        expect(headers['cache-control']).toEqual(['no-store']);
        expect(headers['content-type']).toEqual(['application/json']);
        expect(world.results).toHaveLength(1);
        expect(world.logger.lines).toHaveLength(1);
        const isIssued = status === 200;
        expect(world.results[0] === 'issued').toBe(isIssued);
        expect(world.signed).toHaveLength(isIssued ? 1 : 0);
        expect(typeof told[isIssued ? 'access_token' : 'error']).toBe('string');
        // A fault of ours is never what somebody else can bring about.
        expect(world.results[0]).not.toBe('signing_failed');
      }),
      { numRuns: 500 },
    );
  });
});
