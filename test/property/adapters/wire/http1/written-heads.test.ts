import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  chunkEnd,
  chunkStart,
  lastChunk,
  requestHeadText,
  responseHeadText,
} from '../../../../../src/adapters/wire/http1/head-text.js';
import { cut, cuts, fieldValue, target, token } from '../../../../support/gateway/http1-arbitraries.js';
import { octetsOf, readPieces, textOf } from '../../../../support/gateway/http1-stream.js';

/** Fields that have no say in framing or connection. */
const fields = fc
  .array(
    fc.tuple(
      token.map((name) => `x${name}`),
      fieldValue,
    ),
    { maxLength: 8 },
  )
  .map((pairs) => pairs.flat());

type Body = readonly [
  framing: 'none' | 'length' | 'chunked',
  chunks: readonly Uint8Array[],
  trailers: readonly string[],
];

const body: fc.Arbitrary<Body> = fc.oneof(
  fc.constant<Body>(['none', [], []]),
  fc.uint8Array({ minLength: 1, maxLength: 50 }).map((octets): Body => ['length', [octets], []]),
  fc
    .tuple(fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 }), { maxLength: 5 }), fields)
    .map(([chunks, trailers]): Body => ['chunked', chunks, trailers]),
);

const framingFields = ([framing, chunks]: Body): string[] => {
  if (framing === 'chunked') return ['Transfer-Encoding', 'chunked'];
  return framing === 'length' ? ['Content-Length', String(chunks[0]?.length)] : ['Content-Length', '0'];
};

const bodyText = ([framing, chunks, trailers]: Body): string => {
  const texts = chunks.map((chunk) => textOf(chunk));
  if (framing !== 'chunked') return texts.join('');
  return texts.map((text) => `${chunkStart(text.length)}${text}${chunkEnd}`).join('') + lastChunk(trailers);
};

const contentOf = ([framing, chunks, trailers]: Body) => ({
  framing,
  body: chunks.map((chunk) => textOf(chunk)).join(''),
  trailers,
  isComplete: true,
});

describe('what the writers write', () => {
  it('is read back as the requests that it was, one behind the other', () => {
    const request = fc.record({ method: token.filter((name) => name !== 'CONNECT'), target, fields, body });
    fc.assert(
      fc.property(fc.array(request, { minLength: 1, maxLength: 4 }), cuts, (requests, places) => {
        const texts = requests.map(
          (one) =>
            `${requestHeadText(one.method, one.target, [...framingFields(one.body), ...one.fields])}\r\n${bodyText(one.body)}`,
        );
        const stream = readPieces('request', cut(octetsOf(texts.join('')), places));
        expect(stream.ending).toBe('between');
        expect(stream.messages).toEqual(
          requests.map((one) => ({
            line: [one.method, one.target],
            minorVersion: 1,
            fields: [...framingFields(one.body), ...one.fields],
            isPersistent: true,
            ...contentOf(one.body),
          })),
        );
      }),
      { numRuns: 500 },
    );
  });

  it('is read back as the responses that it was, one behind the other', () => {
    const status = fc.integer({ min: 200, max: 999 }).filter((code) => code !== 204 && code !== 304);
    const response = fc.record({ status, fields, body });
    fc.assert(
      fc.property(fc.array(response, { minLength: 1, maxLength: 4 }), cuts, (responses, places) => {
        const texts = responses.map(
          (one) =>
            `${responseHeadText(one.status, [...framingFields(one.body), ...one.fields])}\r\n${bodyText(one.body)}`,
        );
        const stream = readPieces('response', cut(octetsOf(texts.join('')), places));
        expect(stream.ending).toBe('between');
        expect(stream.messages).toMatchObject(
          responses.map((one) => ({
            line: [String(one.status), expect.any(String)],
            fields: [...framingFields(one.body), ...one.fields],
            ...contentOf(one.body),
          })),
        );
      }),
      { numRuns: 500 },
    );
  });

  it('is one message with the fields that were meant, or nothing, whatever names and values are asked for', () => {
    const any = fc.string({
      maxLength: 12,
      unit: fc.oneof(
        fc.integer({ min: 0, max: 0x17f }).map((code) => String.fromCharCode(code)),
        fc.constantFrom('\r', '\n', ':', ' '),
      ),
    });
    const written = (text: () => string): string | null => {
      try {
        return text();
      } catch {
        return null;
      }
    };
    fc.assert(
      fc.property(
        any,
        any,
        fc.array(
          fc.tuple(
            any.map((name) => `x${name}`),
            any,
          ),
          { maxLength: 3 },
        ),
        (method, path, pairs) => {
          const text = written(() => `${requestHeadText(method, path, pairs.flat())}\r\n`);
          if (text === null) return;
          const { messages, ending } = readPieces('request', [octetsOf(text)]);
          expect([messages.length, ending]).toEqual([1, method === 'CONNECT' ? 'tunnel' : 'between']);
          expect(messages[0]?.line).toEqual([method, path]);
          expect(messages[0]?.fields).toEqual(
            pairs.flatMap(([name, value]) => [name, value.replace(/^[ \t]+|[ \t]+$/g, '')]),
          );
        },
      ),
      { numRuns: 3_000 },
    );
  });
});
