import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type ServedAgentService,
  servedAgentService,
} from '../../../../../src/adapters/wire/agent-grpc/agent-service-definition.js';
import { writeEvent } from '../../../../../src/adapters/wire/agent-grpc/event-writer.js';
import { readGrpcGatewayMessage } from '../../../../../src/adapters/wire/agent-grpc/gateway-message.js';
import { gatewayMessageFault } from '../../../../../src/adapters/wire/agent-grpc/gateway-message-shape.js';
import { PrefixedMessageDecoder } from '../../../../../src/adapters/wire/agent-grpc/prefixed-message-decoder.js';
import { loadAgentGrpc } from '../../../../../src/bootstrap/load-agent-grpc.js';
import type { AgentEvent } from '../../../../../src/domain/agent-protocol/messages.js';
import { prefixed } from '../../../../support/raw-http2-gateway.js';

const text = fc.string({ unit: 'binary', maxLength: 20 }).filter((value) => !value.includes('\ufffd'));
const id = text.filter((value) => value !== '');
const optionalText = fc.option(text);
const count = fc.nat({ max: 0xffff_ffff });
const large = fc.nat({ max: Number.MAX_SAFE_INTEGER });
const data = fc.uint8Array({ maxLength: 40 });
const headers = fc
  .array(
    fc.tuple(
      text.map((name) => name.toLowerCase()),
      text,
    ),
    { maxLength: 5 },
  )
  .map((fields) => fields.flat());

const requestHeaders = id.chain((correlationId) =>
  fc.record({
    kind: fc.constant('request_headers' as const),
    correlationId: fc.constant(correlationId),
    metadata: fc.record({
      correlationId: fc.constant(correlationId),
      requestId: text,
      clientIp: text,
      clientPort: count,
      serverName: optionalText,
      protocol: text,
      tlsVersion: optionalText,
      tlsCipher: fc.constant(null),
      routeId: optionalText,
      upstreamId: optionalText,
      timestampMs: large,
      traceparent: optionalText,
    }),
    method: text,
    uri: text,
    headers,
  }),
);
const chunk = { correlationId: id, data, isLast: fc.boolean(), totalSize: fc.option(large), chunkIndex: count };
const anEvent: fc.Arbitrary<AgentEvent> = fc.oneof(
  requestHeaders,
  fc.record({ kind: fc.constant('request_body_chunk' as const), ...chunk, bytesReceived: large }),
  fc.record({ kind: fc.constant('response_body_chunk' as const), ...chunk, bytesSent: large }),
  fc.record({ kind: fc.constant('response_headers' as const), correlationId: id, status: count, headers }),
  fc.record({
    kind: fc.constant('request_complete' as const),
    correlationId: id,
    status: count,
    durationMs: large,
    requestBodySize: large,
    responseBodySize: large,
    upstreamAttempts: fc.constant(0),
    error: optionalText,
  }),
);

describe('messages of a gateway over gRPC', () => {
  let service: ServedAgentService;
  let serialize: (message: object) => Uint8Array;

  beforeAll(async () => {
    const loaded = await loadAgentGrpc();
    service = servedAgentService(loaded.service) as ServedAgentService;
    serialize = (message) => loaded.service['ProcessStream']?.requestSerialize(message) ?? Buffer.alloc(0);
  });

  const read = (octets: Uint8Array) => {
    const fault = gatewayMessageFault(octets);
    return fault ?? readGrpcGatewayMessage(service.processStream.requestDeserialize(Buffer.from(octets)));
  };

  it('are read as the events that they were written from', () => {
    fc.assert(
      fc.property(anEvent, (event) => {
        const message = read(serialize(writeEvent(event, 5)));
        // What is read holds its octets in a Buffer.
        const plain =
          typeof message === 'object' && message.ok && message.value.kind === 'event' && 'data' in message.value.event
            ? { ...message.value.event, data: Uint8Array.from(message.value.event.data) }
            : typeof message === 'object' && message.ok && message.value.kind === 'event' && message.value.event;
        expect(plain).toEqual(event);
      }),
      { numRuns: 300 },
    );
  });

  it('are read or refused, whatever octets they are, and never thrown at', () => {
    fc.assert(
      fc.property(anEvent, fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { maxLength: 4 }), (event, changes) => {
        const octets = Uint8Array.from(serialize(writeEvent(event, 5)));
        for (const [place, octet] of changes) octets[place % octets.length] = octet;
        const fault = gatewayMessageFault(octets);
        if (fault !== null) return;
        let message: ReturnType<ServedAgentService['processStream']['requestDeserialize']>;
        try {
          message = service.processStream.requestDeserialize(Buffer.from(octets));
        } catch {
          return;
        }
        expect(typeof readGrpcGatewayMessage(message).ok).toBe('boolean');
      }),
      { numRuns: 500 },
    );
  });

  it('come out of a stream as they went in, however it is cut', () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 6 }),
        fc.array(fc.integer({ min: 1, max: 97 }), { minLength: 1, maxLength: 9 }),
        (messages, sizes) => {
          const octets = Buffer.concat(messages.map((message) => prefixed(message)));
          const decoder = new PrefixedMessageDecoder();
          const found: Uint8Array[] = [];
          for (let offset = 0, turn = 0; offset < octets.length; turn += 1) {
            const end = offset + (sizes[turn % sizes.length] as number);
            decoder.push(octets.subarray(offset, end));
            for (let message = decoder.next(); message !== null; message = decoder.next()) found.push(message);
            offset = end;
          }
          expect(found.map((message) => Array.from(message))).toEqual(messages.map((message) => Array.from(message)));
          expect([decoder.heldBytes, decoder.hasBegun]).toEqual([0, false]);
        },
      ),
      { numRuns: 200 },
    );
  });
});
