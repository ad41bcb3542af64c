import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readAgentFrame } from '../../../../../src/adapters/wire/agent-frames/agent-message.js';
import { type Frame, FrameDecoder } from '../../../../../src/adapters/wire/agent-frames/frame-decoder.js';
import { FrameOutbox } from '../../../../../src/adapters/wire/agent-frames/frame-outbox.js';
import { eventJson, readGatewayMessage } from '../../../../../src/adapters/wire/agent-frames/gateway-message.js';
import {
  agentMessageNames,
  gatewayMessageNames,
  type MessageName,
} from '../../../../../src/adapters/wire/agent-frames/message-codes.js';
import { encodeBase64 } from '../../../../../src/adapters/wire/agent-messages/base64-encoding.js';
import type {
  AgentAnswer,
  AgentEvent,
  BodyMutation,
  HeaderOperation,
} from '../../../../../src/domain/agent-protocol/messages.js';
import { chunkEvent, headersEvent } from '../../../../support/shared/agent-events.js';
import { answerJson } from '../../../../support/shared/answer-json.js';

const byteString = fc
  .uint8Array({ maxLength: 30 })
  .map((octets) => String.fromCharCode(...octets.map((octet) => (octet < 0x20 ? octet + 0x20 : octet))));
const token = fc.oneof(
  fc.string({ minLength: 1, maxLength: 12, unit: fc.constantFrom(...'abcXYZ-_~!#$%^&*.|09') }),
  fc.constantFrom('__proto__', 'constructor', 'toString', 'hasOwnProperty', '0', '1'),
);
const record = fc.dictionary(fc.string({ maxLength: 8 }), fc.string({ maxLength: 8 }), { noNullPrototype: true });

const operation: fc.Arbitrary<HeaderOperation> = fc.oneof(
  fc.record({ kind: fc.constantFrom('set' as const, 'add' as const), name: token, value: byteString }),
  fc.record({ kind: fc.constant('remove' as const), name: token }),
);

const mutation: fc.Arbitrary<BodyMutation | null> = fc.option(
  fc.record({ chunkIndex: fc.nat(), data: fc.option(fc.uint8Array({ maxLength: 50 })) }),
);

const answer: fc.Arbitrary<AgentAnswer> = fc.record({
  decision: fc.oneof(
    fc.constant({ kind: 'allow' as const }),
    fc.record({
      kind: fc.constant('block' as const),
      status: fc.integer({ min: 200, max: 599 }),
      body: fc.option(fc.string()),
      headers: fc.tuple(token, byteString).map((pair): readonly string[] => pair),
    }),
    fc.record({ kind: fc.constant('redirect' as const), url: byteString, status: fc.integer({ min: 300, max: 399 }) }),
    fc.record({ kind: fc.constant('challenge' as const), challengeType: token, params: record }),
  ),
  requestHeaders: fc.array(operation, { maxLength: 5 }),
  responseHeaders: fc.array(operation, { maxLength: 5 }),
  needsMore: fc.boolean(),
  audit: fc.record({
    tags: fc.array(fc.string(), { maxLength: 3 }),
    ruleIds: fc.array(fc.string(), { maxLength: 3 }),
    confidence: fc.option(fc.double({ min: 0, max: 1, noNaN: true }).map((value) => value + 0)),
    reasonCodes: fc.array(fc.string(), { maxLength: 3 }),
    custom: record.map(({ correlation_id: _, ...custom }) => custom),
  }),
  requestBodyMutation: mutation,
  responseBodyMutation: mutation,
});

const sent = (name: MessageName, payload: string | Uint8Array): Frame => {
  let written = new Uint8Array(0);
  const outbox = new FrameOutbox(
    (octets) => {
      written = Uint8Array.from(octets);
      return true;
    },
    () => {},
  );
  expect(outbox.send(name, payload)).toBe(true);
  outbox.flush();
  const decoder = new FrameDecoder(agentMessageNames.has(written[4] ?? 0) ? agentMessageNames : gatewayMessageNames);
  decoder.push(written);
  const frame = decoder.next();
  expect(decoder.next()).toBeNull();
  return frame as Frame;
};

describe('the agent frames', () => {
  it('give the same frames however the reads are split', () => {
    const names = [...gatewayMessageNames.values()];
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom(...names), fc.uint8Array({ maxLength: 40 })), { maxLength: 8 }),
        fc.array(fc.integer({ min: 1, max: 17 }), { minLength: 1, maxLength: 10 }),
        (messages, sizes) => {
          const written: Uint8Array[] = [];
          const outbox = new FrameOutbox(
            (octets) => {
              written.push(octets);
              return false;
            },
            () => {},
          );
          for (const [name, payload] of messages) outbox.send(name, payload);
          outbox.flush();
          const stream = written[0] ?? new Uint8Array(0);
          const decoder = new FrameDecoder(gatewayMessageNames);
          const read: [string, number[]][] = [];
          for (let start = 0, turn = 0; start < stream.length; turn += 1) {
            const end = start + (sizes[turn % sizes.length] as number);
            decoder.push(stream.subarray(start, end));
            // Every other read is left for the next one to find.
            if (turn % 2 === 0 || end >= stream.length) {
              for (let frame = decoder.next(); frame !== null; frame = decoder.next()) {
                read.push([frame.name, [...frame.payload]]);
              }
            }
            start = end;
          }
          expect(read).toEqual(messages.map(([name, payload]) => [name, [...payload]]));
          expect(decoder.isInsideFrame).toBe(false);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('carry any answer to the call that it is for', () => {
    fc.assert(
      fc.property(answer, fc.string(), (given, correlationId) => {
        const message = readAgentFrame(sent('agent_response', answerJson(given, correlationId)));
        expect(message).toEqual({
          ok: true,
          value: { kind: 'answer', correlationId, answer: { ok: true, value: given } },
        });
      }),
      { numRuns: 200 },
    );
  });

  it('carry any event', () => {
    const pairs = fc.uniqueArray(
      fc.tuple(
        token.map((name) => name.toLowerCase()),
        byteString,
      ),
      {
        selector: ([name]) => name,
        maxLength: 8,
      },
    );
    const byName = (headers: readonly string[]): ReadonlyMap<string, string> =>
      new Map(headers.flatMap((text, index) => (index % 2 === 0 ? [[text, headers[index + 1] ?? '']] : [])));
    fc.assert(
      fc.property(pairs, fc.string(), byteString, (headers, correlationId, uri) => {
        const event = headersEvent(correlationId, { uri, headers: headers.flat() });
        const given: AgentEvent = { ...event, metadata: { ...event.metadata, correlationId } };
        const message = readGatewayMessage(sent('request_headers', eventJson(given)));
        expect(message.ok && message.value.kind === 'event' && message.value.event).toMatchObject({
          ...given,
          headers: expect.anything(),
        });
        const read = message.ok && message.value.kind === 'event' ? message.value.event : null;
        expect(byName(read?.kind === 'request_headers' ? read.headers : [])).toEqual(byName(given.headers));
      }),
      { numRuns: 200 },
    );
  });

  it('carry any piece of a body', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.boolean(), (data, isLast) => {
        expect(encodeBase64(data)).toBe(Buffer.from(data).toString('base64'));
        const given = chunkEvent('c', { data, isLast, totalSize: 200, chunkIndex: 3, bytesReceived: data.length });
        const message = readGatewayMessage(sent('request_body_chunk', eventJson(given)));
        expect(message).toEqual({ ok: true, value: { kind: 'event', event: given } });
      }),
      { numRuns: 200 },
    );
  });

  it('carry any event of a response, and of its end', () => {
    const id = fc.string({ maxLength: 20 });
    const size = fc.nat();
    const event: fc.Arbitrary<AgentEvent> = fc.oneof(
      fc.record({
        kind: fc.constant('response_headers' as const),
        correlationId: id,
        status: fc.integer({ min: 100, max: 599 }),
        headers: fc
          .tuple(
            token.map((name) => name.toLowerCase()),
            byteString,
          )
          .map((pair): readonly string[] => pair),
      }),
      fc.record({
        kind: fc.constant('response_body_chunk' as const),
        correlationId: id,
        data: fc.uint8Array({ maxLength: 50 }),
        isLast: fc.boolean(),
        totalSize: fc.option(size),
        chunkIndex: size,
        bytesSent: size,
      }),
      fc.record({
        kind: fc.constant('request_complete' as const),
        correlationId: id,
        status: size,
        durationMs: size,
        requestBodySize: size,
        responseBodySize: size,
        upstreamAttempts: size,
        upstream: fc.constant(null),
        error: fc.option(fc.string()),
      }),
    );
    fc.assert(
      fc.property(event, (given) => {
        const message = readGatewayMessage(sent(given.kind, eventJson(given)));
        expect(message).toEqual({ ok: true, value: { kind: 'event', event: given } });
      }),
      { numRuns: 200 },
    );
  });

  it('end in an error or a message, never in an exception, whatever JSON is in them', () => {
    const names = fc.constantFrom(...gatewayMessageNames.values());
    const agentNames = fc.constantFrom(...agentMessageNames.values());
    const member = fc.constantFrom(
      'correlation_id',
      'decision',
      'metadata',
      'audit',
      'headers',
      'state',
      'capabilities',
      'request_body_mutation',
      'update_type',
      'action',
      'resources',
      'status',
      'data',
    );
    const soup = fc.dictionary(member, fc.jsonValue({ maxDepth: 3 }), { noNullPrototype: true });
    fc.assert(
      fc.property(names, agentNames, soup, (gatewayName, agentName, value) => {
        const payload = new TextEncoder().encode(JSON.stringify(value));
        expect(typeof readGatewayMessage({ name: gatewayName, payload }).ok).toBe('boolean');
        const message = readAgentFrame({ name: agentName, payload });
        if (message.ok && message.value.kind === 'answer' && message.value.answer.ok) {
          expect(value['decision']).not.toBeUndefined();
        }
      }),
      { numRuns: 300 },
    );
  });
});
