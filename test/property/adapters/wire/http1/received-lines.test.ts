import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type HeadLines, headLines } from '../../../../../src/adapters/wire/http1/head-lines.js';
import { requestHeadText, responseHeadText } from '../../../../../src/adapters/wire/http1/head-text.js';
import { fieldList } from '../../../../../src/adapters/wire/http1/message-head.js';
import {
  readRequestHead,
  readResponseHead,
  requestHead,
  responseHead,
} from '../../../../../src/adapters/wire/http1/read-head.js';
import { fieldValue, target, token } from '../../../../support/gateway/http1-arbitraries.js';
import { octetsOf } from '../../../../support/gateway/http1-stream.js';

type Pair = readonly [name: string, value: string];

/** Few of them, so that fields are repeated, and names have several values. */
const name = fc.oneof(
  fc.constantFrom('X-A', 'x-a', 'X-B'),
  token.map((text) => `x${text}`),
);
const value = fc.oneof(fc.constantFrom('', 'a', 'a: b', 'X-A: a'), fieldValue);
const pair: fc.Arbitrary<Pair> = fc.tuple(name, value);
/** Around a value: as this program writes it, or in another way. */
const blanks = fc.constantFrom<Pair>([' ', ''], [' ', ''], [' ', ''], ['', ''], ['\t', ''], ['  ', ''], [' ', ' \t']);

/** A head in which most lines are as this program writes them. */
const receivedFields = fc.oneof(
  fc.array(fc.tuple(pair, fc.constant<Pair>([' ', ''])), { maxLength: 40 }),
  fc.array(fc.tuple(pair, blanks), { maxLength: 6 }),
);

const fieldText = (fields: readonly (readonly [Pair, Pair])[]): string =>
  fields.map(([[each, content], [before, behind]]) => `${each}:${before}${content}${behind}\r\n`).join('');

/** What may be done to a field on its way. */
type Change =
  | { readonly kind: 'keep' | 'drop' | 'twice' }
  | { readonly kind: 'move' | 'value' | 'insert'; readonly at: number; readonly pair: Pair };

const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 12, arbitrary: fc.constant<Change>({ kind: 'keep' }) },
  { weight: 3, arbitrary: fc.constantFrom<Change>({ kind: 'drop' }, { kind: 'twice' }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom('move', 'value', 'insert'), at: fc.nat({ max: 40 }), pair }),
  },
);

const pairsOf = (fields: readonly string[]): Pair[] =>
  fields.flatMap((each, at): Pair[] => (at % 2 === 0 ? [[each, fields[at + 1] as string]] : []));

const derived = (fields: readonly string[], changes: readonly Change[]): string[] => {
  const list: Pair[] = [];
  pairsOf(fields).forEach((each, index) => {
    const done = changes[index % changes.length] ?? { kind: 'keep' };
    if (done.kind === 'drop') return;
    if (done.kind === 'move') list.splice(Math.min(done.at, list.length), 0, each);
    else list.push(done.kind === 'value' ? [each[0], done.pair[1]] : each);
    if (done.kind === 'twice') list.push(each);
    if (done.kind === 'insert') list.push(done.pair);
  });
  return list.flat();
};

const changes = fc.array(change, { minLength: 1, maxLength: 12 });

interface Received {
  readonly fields: readonly string[];
  readonly lines: HeadLines | null;
}

const receivedRequest = (text: string): Received => {
  expect(readRequestHead(octetsOf(text), 0, text.length, 65_536)).toBe(text.length);
  const fields = fieldList(text, requestHead);
  return { fields, lines: headLines(text, requestHead, requestHead.methodEnd, fields, 0) };
};

const receivedResponse = (text: string): Received => {
  expect(readResponseHead(octetsOf(text), 0, text.length, 65_536)).toBe(text.length);
  const fields = fieldList(text, responseHead);
  return { fields, lines: headLines(text, responseHead, 0, fields, 0) };
};

/** What is written, or why nothing can be. */
const outcome = (write: () => string): string => {
  try {
    return write();
  } catch (error) {
    return String(error);
  }
};

describe('a head that is written with one that was received', () => {
  it('is the same as without it, and is read as the fields that were to be written: a request', () => {
    let plain = 0;
    const line = fc.tuple(token, target, fc.constantFrom('0', '1'));
    const sameLine = fc.constantFrom<Partial<Record<'method' | 'path', string>>>(
      {},
      {},
      { method: 'GET' },
      { path: '/' },
    );
    fc.assert(
      fc.property(line, receivedFields, changes, sameLine, ([verb, path, minor], sent, done, other) => {
        const text = `${verb} ${path} HTTP/1.${minor}\r\n${fieldText(sent)}\r\n`;
        const { fields, lines } = receivedRequest(text);
        if (lines !== null) plain += 1;
        const list = derived(fields, done);
        const [method, goal] = [other.method ?? verb, other.path ?? path];
        const written = requestHeadText(method, goal, list, lines);
        expect(written).toBe(requestHeadText(method, goal, list));
        expect(receivedRequest(`${written}\r\n`).fields).toEqual(list);
      }),
      { numRuns: 2_000 },
    );
    expect(plain).toBeGreaterThan(500);
  });

  it('is the same as without it, and is read as the fields that were to be written: a response', () => {
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 999 }), receivedFields, changes, (status, sent, done) => {
        const { fields, lines } = receivedResponse(`HTTP/1.1 ${status} Reason\r\n${fieldText(sent)}\r\n`);
        const list = derived(fields, done);
        const written = responseHeadText(status, list, lines);
        expect(written).toBe(responseHeadText(status, list));
        expect(receivedResponse(`${written}\r\n`).fields).toEqual(list);
      }),
      { numRuns: 1_000 },
    );
  });

  it('is refused as without it, whatever is put in', () => {
    const any = fc.string({
      maxLength: 4,
      unit: fc.oneof(
        fc.integer({ min: 0, max: 0x17f }).map((code) => String.fromCharCode(code)),
        fc.constantFrom('\r', '\n', ':', ' ', 'a'),
      ),
    });
    fc.assert(
      fc.property(any, any, receivedFields, fc.array(fc.tuple(any, any)), fc.nat(), (verb, path, sent, put, at) => {
        const { fields, lines } = receivedRequest(`GET / HTTP/1.1\r\n${fieldText(sent)}\r\n`);
        const list = fields.toSpliced((at % (fields.length / 2 + 1)) * 2, 0, ...put.flat());
        for (const [method, goal] of [
          ['GET', '/'],
          [verb, path],
        ] as const) {
          expect(outcome(() => requestHeadText(method, goal, list, lines))).toBe(
            outcome(() => requestHeadText(method, goal, list)),
          );
        }
      }),
      { numRuns: 1_000 },
    );
  });
});
