import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readGatewayMessage } from '../../../../../src/adapters/wire/agent-frames/gateway-message.js';
import { HeadWriter } from '../../../../../src/adapters/wire/agent-frames/head-writer.js';
import { JsonOctets } from '../../../../../src/adapters/wire/agent-frames/json-octets.js';
import { RequestHeadReader } from '../../../../../src/adapters/wire/agent-frames/request-head-reader.js';
import type { RequestHeadersEvent } from '../../../../../src/domain/agent-protocol/messages.js';
import { headersEvent } from '../../../../support/shared/agent-events.js';

const oddText = fc.oneof(
  fc.string({ maxLength: 12, unit: fc.constantFrom(...'ab"\\{}[]:,é\u007f ') }),
  fc.constantFrom('__proto__', '0', '', 'null', 'x-correlation-id', '},"method":"DELETE"', '\u0001', '\ud800'),
);
const plainText = fc.string({ maxLength: 12, unit: fc.constantFrom(...'abc-/.:0 ') });
const anyText = fc.oneof({ weight: 6, arbitrary: plainText }, { weight: 1, arbitrary: oddText });
const optional = fc.option(anyText, { freq: 2 });
const id = fc.string({ minLength: 1, maxLength: 36, unit: fc.constantFrom(...'0123456789abcdef-') });

const metadata = fc.record({
  clientIp: anyText,
  clientPort: fc.nat(99_999),
  serverName: optional,
  protocol: anyText,
  tlsVersion: optional,
  tlsCipher: optional,
  routeId: optional,
  upstreamId: optional,
  timestampMs: fc.nat(4_000_000_000_000),
  traceparent: optional,
});

/** Heads of a few clients, who come again and again. */
const client = fc.record({
  metadata,
  method: fc.constantFrom('GET', 'POST', 'a"b'),
  fields: fc
    .array(fc.tuple(fc.oneof(anyText, fc.constantFrom('cookie', 'Accept', '1')), anyText), { maxLength: 6 })
    .map((pairs) => pairs.flat()),
});

const turn = fc.record({
  client: fc.nat(),
  id,
  requestId: fc.option(id),
  uri: anyText,
  /** The last header; null: there is none of that name. */
  headerId: fc.option(fc.oneof({ weight: 5, arbitrary: id }, { weight: 1, arbitrary: oddText }), { freq: 6 }),
  /** What stands somewhere in it, over what it has there. */
  change: fc.option(
    fc.tuple(fc.nat(600), fc.string({ maxLength: 6, unit: fc.constantFrom(...'"\\{}[]:,a0n\n é') }), fc.nat(8)),
    {
      freq: 2,
    },
  ),
});

const encoder = new TextEncoder();

const octetsOf = (event: RequestHeadersEvent): Uint8Array => {
  const into = new JsonOctets();
  new HeadWriter().addRequest(into, event);
  return into.view();
};

const changed = (octets: Uint8Array, change: readonly [number, string, number] | null): Uint8Array => {
  if (change === null) return octets;
  const [place, text, dropped] = change;
  const at = place % (octets.length + 1);
  return Uint8Array.from([...octets.subarray(0, at), ...encoder.encode(text), ...octets.subarray(at + dropped)]);
};

const frameOf = (payload: Uint8Array) => ({ name: 'request_headers', payload }) as const;

describe('a reader of the heads of requests', () => {
  it('reads what any reader of JSON does, whatever it has read before', () => {
    fc.assert(
      fc.property(
        fc.array(client, { minLength: 1, maxLength: 3 }),
        fc.array(turn, { minLength: 1, maxLength: 16 }),
        (clients, turns) => {
          const reader = new RequestHeadReader();
          for (const { client: which, id: correlationId, requestId, uri, headerId, change } of turns) {
            const { metadata: given, method, fields } = clients[which % clients.length] as (typeof clients)[number];
            const event: RequestHeadersEvent = {
              ...headersEvent(correlationId),
              metadata: { ...given, correlationId, requestId: requestId ?? correlationId },
              method,
              uri,
              headers: headerId === null ? fields : [...fields, 'x-correlation-id', headerId],
            };
            const frame = frameOf(changed(octetsOf(event), change));
            expect(readGatewayMessage(frame, reader)).toEqual(readGatewayMessage(frame));
          }
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('reads a head of plain texts by itself', () => {
    fc.assert(
      fc.property(metadata, id, (given, correlationId) => {
        const isPlain = Object.values(given).every(
          (value) => typeof value !== 'string' || /^[ !#-[\]-~]*$/.test(value),
        );
        fc.pre(isPlain);
        const event = {
          ...headersEvent(correlationId),
          metadata: { ...given, correlationId, requestId: correlationId },
          headers: ['host', 'a.test', 'x-correlation-id', correlationId],
        };
        const reader = new RequestHeadReader();
        for (let time = 0; time < 2; time += 1) expect(reader.read(octetsOf(event))).toEqual(event);
      }),
      { numRuns: 100 },
    );
  });
});
