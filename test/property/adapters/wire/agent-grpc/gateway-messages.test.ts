import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type GrpcServiceDefinition,
  servedAgentService,
} from '../../../../../src/adapters/wire/agent-grpc/agent-service-definition.js';
import { readGrpcGatewayMessage, writeEvent } from '../../../../../src/adapters/wire/agent-grpc/gateway-message.js';
import { gatewayMessageFault } from '../../../../../src/adapters/wire/agent-grpc/message-shape.js';
import { loadAgentGrpc } from '../../../../../src/bootstrap/shared/load-agent-grpc.js';
import type { AgentEvent } from '../../../../../src/domain/agent-protocol/messages.js';

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
  fc
    .record({
      kind: fc.constant('request_complete' as const),
      correlationId: id,
      status: count,
      durationMs: large,
      requestBodySize: large,
      responseBodySize: large,
      upstream: optionalText,
      error: optionalText,
    })
    // The transport says which upstream was asked, not how often.
    .map((event) => ({ ...event, upstreamAttempts: event.upstream === null ? 0 : 1 })),
);

describe('messages of a gateway over gRPC', () => {
  let service: GrpcServiceDefinition;
  let serialize: (message: object) => Uint8Array;

  beforeAll(async () => {
    const loaded = await loadAgentGrpc();
    service = servedAgentService(loaded.service) as GrpcServiceDefinition;
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
        let message: ReturnType<GrpcServiceDefinition['processStream']['requestDeserialize']>;
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
});
