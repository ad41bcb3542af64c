import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readAgentFrame } from '../../../../../src/adapters/wire/agent-frames/agent-message.js';
import { AnswerCache } from '../../../../../src/adapters/wire/agent-frames/answer-cache/answer-cache.js';
import { eventJson } from '../../../../../src/adapters/wire/agent-frames/gateway-message.js';
import { HeadWriter } from '../../../../../src/adapters/wire/agent-frames/head-writer.js';
import { JsonOctets } from '../../../../../src/adapters/wire/agent-frames/json-octets.js';
import { rememberAnswer } from '../../../../../src/domain/agent-protocol/lasting-answers.js';
import { type AgentAnswer, allowAnswer } from '../../../../../src/domain/agent-protocol/messages.js';
import { headersEvent } from '../../../../support/shared/agent-events.js';
import { answerJson } from '../../../../support/shared/answer-json.js';

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

const anyText = fc.oneof(
  fc.string({ maxLength: 30 }),
  fc.string({ maxLength: 30, unit: 'binary' }),
  fc.constantFrom('"', '\\', '\u0000', '\u007f', '\u0080', '\ud800', 'a\udfff', '__proto__', '0', '', 'é', '\u2028'),
);
/** As our gateway makes them, and what only looks so: 36 characters of any kind. */
const anyId = fc.oneof(
  anyText,
  fc.uuid(),
  fc.string({ minLength: 36, maxLength: 36 }),
  fc.constantFrom('"'.repeat(36), `${'a'.repeat(35)}\u0080`),
);
const optional = fc.option(anyText);
const headers = fc
  .array(fc.tuple(fc.oneof(anyText, fc.constantFrom('cookie', 'accept', '__proto__', '1')), anyText), { maxLength: 80 })
  .map((pairs): readonly string[] => pairs.flat());

/** Some events, again and again, each time with another id of the request in its last header. */
const repeated = <Event extends { readonly headers: readonly string[] }>(event: fc.Arbitrary<Event>) =>
  fc
    .tuple(
      fc.array(event, { minLength: 1, maxLength: 4 }),
      fc.array(fc.tuple(fc.nat(), fc.option(anyText)), { minLength: 1, maxLength: 12 }),
    )
    .map(([events, turns]) =>
      turns.map(([which, id]) => {
        const chosen = events[which % events.length] as Event;
        return { ...chosen, headers: id === null ? chosen.headers : [...chosen.headers, 'x-correlation-id', id] };
      }),
    );

const octetsOf = (write: (into: JsonOctets) => void): string => {
  const into = new JsonOctets();
  write(into);
  return decoder.decode(into.view());
};

describe('a string of JSON, written as octets', () => {
  it('is the text that JSON.stringify makes', () => {
    const quoted = fc.stringMatching(/^[ab"\\]{0,40}$/);
    fc.assert(
      fc.property(fc.oneof(anyText, quoted), (text) => {
        expect(octetsOf((into) => into.addString(text))).toBe(JSON.stringify(text));
      }),
    );
  });
});

describe('the head of a message, written as octets', () => {
  const anyMetadata = fc.record({
    requestId: anyText,
    clientIp: anyText,
    clientPort: fc.nat(65_535),
    serverName: optional,
    protocol: anyText,
    tlsVersion: optional,
    tlsCipher: optional,
    routeId: optional,
    upstreamId: optional,
    timestampMs: fc.oneof(fc.nat(4_000_000_000_000), fc.constantFrom(0, 1)),
    traceparent: optional,
  });
  /** Most requests go by the same route as the one before. */
  const oneRoute = { serverName: null, protocol: 'HTTP/1.1', tlsVersion: null, tlsCipher: null, upstreamId: null };
  const metadata = fc.oneof(
    anyMetadata,
    fc
      .tuple(anyMetadata, fc.constantFrom('one', 'other'))
      .map(([given, routeId]) => ({ ...given, ...oneRoute, routeId })),
  );

  it('says what the naive text of a request says, whatever was written before', () => {
    const isOwn = fc.tuple(fc.boolean(), fc.boolean());
    const parts = fc.tuple(anyId, metadata, anyText, anyText, headers, isOwn);
    const event = parts.map(([id, given, method, uri, fields, [isRequestId, isLastHeader]]) => ({
      ...headersEvent(id),
      metadata: { ...given, correlationId: id, requestId: isRequestId ? id : given.requestId },
      method,
      uri,
      headers: isLastHeader ? [...fields, 'x-correlation-id', id] : fields,
    }));
    fc.assert(
      fc.property(repeated(event), (events) => {
        const writer = new HeadWriter();
        for (const each of events) {
          const written = octetsOf((into) => writer.addRequest(into, each));
          expect(JSON.parse(written)).toEqual(JSON.parse(eventJson(each)));
        }
      }),
      { numRuns: 200 },
    );
  });

  it('says what the naive text of a response says, whatever was written before', () => {
    const event = fc
      .tuple(anyText, fc.nat(), headers)
      .map(
        ([correlationId, status, fields]) =>
          ({ kind: 'response_headers', correlationId, status, headers: fields }) as const,
      );
    fc.assert(
      fc.property(repeated(event), (events) => {
        const writer = new HeadWriter();
        for (const each of events) {
          const written = octetsOf((into) => writer.addResponse(into, each));
          expect(JSON.parse(written)).toEqual(JSON.parse(eventJson(each)));
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe('JsonOctets', () => {
  it('writes the string that JSON.stringify writes, one after the other', () => {
    fc.assert(
      fc.property(fc.array(anyText, { maxLength: 20 }), (texts) => {
        const written = octetsOf((into) => {
          for (const text of texts) into.addString(text);
        });
        expect(written).toBe(texts.map((text) => JSON.stringify(text)).join(''));
      }),
      { numRuns: 300 },
    );
  });

  it('loses nothing of long texts', () => {
    const texts = ['a'.repeat(9_000), 'é'.repeat(300_000), '\u0001'.repeat(20_000)];
    expect(
      octetsOf((into) => {
        for (const text of texts) into.addString(text);
      }),
    ).toBe(texts.map((text) => JSON.stringify(text)).join(''));
  });
});

const fieldText = fc.string({ maxLength: 12, unit: fc.constantFrom(...'abc:"{},-\\é ') });
const operation = fc.oneof(
  fc.record({
    kind: fc.constantFrom('set' as const, 'add' as const),
    name: fc.constantFrom('X-A', 'X-B'),
    value: fieldText,
  }),
  fc.record({ kind: fc.constant('remove' as const), name: fc.constantFrom('X-A', 'X-B') }),
);
const plainId = fc.string({ minLength: 8, maxLength: 36, unit: fc.constantFrom(...'0123456789abcdef-') });

/** Allows, as agents give them again and again. */
const allow: fc.Arbitrary<AgentAnswer> = fc
  .record({
    requestHeaders: fc.array(operation, { maxLength: 3 }),
    custom: fc.dictionary(fc.constantFrom('subject', 'correlation_id', 'x', '1'), fieldText, { noNullPrototype: true }),
    tags: fc.array(fc.oneof(fieldText, plainId), { maxLength: 2 }),
  })
  .map(({ requestHeaders, custom, tags }) => ({
    ...allowAnswer,
    requestHeaders,
    audit: { ...allowAnswer.audit, tags, custom },
  }));

describe('an answer that is given again', () => {
  it('is written as it would be anew', () => {
    fc.assert(
      fc.property(allow, fc.array(fc.oneof(plainId, anyText), { minLength: 1, maxLength: 3 }), (given, ids) => {
        const lasting = rememberAnswer({ ...given });
        for (const id of ids) {
          const { requestHeaders, audit } = given;
          const written = JSON.parse(answerJson(lasting, id));
          expect(answerJson(lasting, id)).toBe(answerJson({ ...given }, id));
          expect(written).toMatchObject({ version: 2, decision: 'allow', needs_more: false });
          expect(written.request_headers).toHaveLength(requestHeaders.length);
          expect(written.audit.custom).toEqual({ ...audit.custom, correlation_id: id });
        }
      }),
      { numRuns: 200 },
    );
  });

  it('is read as it would be without what is known', () => {
    fc.assert(
      fc.property(
        fc.array(allow, { minLength: 1, maxLength: 3 }),
        fc.array(fc.tuple(fc.nat(), fc.oneof(plainId, anyText), fc.nat(400), fc.option(fieldText)), { maxLength: 20 }),
        (answers, turns) => {
          const known = new AnswerCache();
          for (const [which, id, place, change] of turns) {
            const text = answerJson(answers[which % answers.length] as AgentAnswer, id);
            // Now and then something else stands somewhere in it.
            const sent = change === null ? text : text.slice(0, place) + change + text.slice(place + change.length);
            const frame = { name: 'agent_response', payload: encoder.encode(sent) } as const;
            expect(readAgentFrame(frame, known)).toEqual(readAgentFrame(frame));
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});
