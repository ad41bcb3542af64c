import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  noBody,
  unknownLength,
  upstreamRequestHead,
} from '../../../../../../src/adapters/outbound/upstream-clients/core/upstream-request-head.js';
import { fieldList } from '../../../../../../src/adapters/wire/http1/field-list.js';
import { FieldNames } from '../../../../../../src/adapters/wire/http1/field-names.js';
import { fieldLines } from '../../../../../../src/adapters/wire/http1/head-text.js';
import {
  requestHead as headRead,
  readRequestHead,
} from '../../../../../../src/adapters/wire/http1/read-request-head.js';
import {
  type RequestLines,
  repeatedLines,
  requestLines,
} from '../../../../../../src/adapters/wire/http1/request-lines.js';
import type { UpstreamRequest } from '../../../../../../src/application/ports/gateway/upstream-client.js';
import { fieldTraits } from '../../../../../../src/domain/http/field-traits.js';
import { octetsOf } from '../../../../../support/gateway/http1-stream.js';

const names = new FieldNames(fieldTraits);

type Pair = readonly [name: string, value: string];

/** The lines of a head that came for the first time; null where it is none. */
const readLines = (pairs: readonly Pair[]): RequestLines | null => {
  const text = `GET / HTTP/1.1\r\n${fieldLines(pairs.flat())}\r\n`;
  if (readRequestHead(octetsOf(text), 0, text.length, 65_536) !== text.length) return null;
  return requestLines(text, headRead, fieldList(text, headRead, names), names);
};

/** The same of one that came twice. */
const repeated = (pairs: readonly Pair[]): RequestLines | null => {
  const lines = readLines(pairs);
  return lines === null ? null : repeatedLines(lines, names);
};

const harmless = fc.constantFrom<Pair>(['Accept', 'a'], ['X-A', 'b'], ['X-B', ''], ['Transferring', 'c']);
/** What the client may have sent, besides: some of it takes the field away from the way of memory. */
const sentFields = fc
  .tuple(
    fc.array(harmless, { minLength: 1, maxLength: 4 }),
    fc.constantFrom<Pair[]>([], [['Host', 'a']], [['host', 'a']], [['Host', 'a']], [['Host', '']]),
    fc.oneof(
      { weight: 5, arbitrary: fc.constant<Pair[]>([]) },
      {
        weight: 1,
        arbitrary: fc.constantFrom<Pair[]>([['TE', 'trailers']], [['Connection', 'keep-alive']], [['Keep-Alive', '5']]),
      },
    ),
  )
  .map((parts) => parts.flat());

/** What agents and the gateway put behind the fields or between them, some of which may never go out. */
const put = fc.oneof(
  { weight: 3, arbitrary: harmless },
  fc.constantFrom<Pair>(
    ['Host', 'b'],
    ['host', 'c'],
    ['Host', ''],
    ['Content-Length', '3'],
    ['content-length', '0'],
    ['Content-Length', ''],
    ['Connection', 'close'],
    ['Connection', ''],
    ['Transfer-Encoding', 'chunked'],
    ['transfer-encoding', ''],
    ['Upgrade', 'websocket'],
    ['Keep-Alive', 'a'],
    ['Expect', '100-continue'],
    ['TE', 'trailers'],
    ['te', ''],
    ['X-A', 'a\r\nTransfer-Encoding: chunked'],
    ['X-A', 'a\u010d\u010aTransfer-Encoding: chunked'],
    ['X-A', '\0'],
    ['X-A', ' a b '],
    ['X A', 'a'],
    ['', 'a'],
  ),
);

interface Turn {
  readonly puts: readonly { readonly at: number; readonly removed: number; readonly pair: Pair }[];
  readonly method: string;
  readonly target: string;
  readonly authority: string;
  readonly octets: number;
  readonly isUpgrade: boolean;
}

const usually = <Value>(weight: number, value: Value, ...others: Value[]): fc.Arbitrary<Value> =>
  fc.oneof({ weight, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: fc.constantFrom(value, ...others) });

const turns = fc.array(
  fc.record<Turn>({
    puts: fc.oneof(
      { weight: 3, arbitrary: fc.constant([]) },
      {
        weight: 2,
        arbitrary: fc.array(fc.record({ at: fc.nat(), removed: fc.nat({ max: 1 }), pair: put }), { maxLength: 2 }),
      },
    ),
    method: usually(2, 'GET', 'HEAD', 'OPTIONS', 'DELETE', 'POST', 'PUT', 'PATCH', 'QUERY', 'get', 'G T', ''),
    target: usually(5, '/', '/other?a', '/a b', 'http://a/', '*', '', '/\r\n'),
    authority: fc.constantFrom('one.internal', 'other.internal'),
    octets: usually(5, noBody, unknownLength, 0, 3),
    isUpgrade: usually(8, false, true),
  }),
  { minLength: 2, maxLength: 8 },
);

const requestOf = (
  { method, target, isUpgrade }: Turn,
  headers: readonly string[],
  received: RequestLines | null,
): UpstreamRequest => ({
  method,
  target,
  headers,
  received,
  alike: null,
  body: null,
  upgradeToWebSocket: isUpgrade,
  timeoutMs: 1_000,
  readMs: null,
  patienceMs: 1_000,
});

/** What is made of it, or why nothing is. */
const outcome = (make: () => string): string => {
  try {
    return make();
  } catch (error) {
    return String(error);
  }
};

const withPuts = (fields: readonly string[], puts: Turn['puts']): readonly string[] =>
  puts.reduce<readonly string[]>(
    (list, { at, removed, pair }) => list.toSpliced((at % (list.length / 2 + 1)) * 2, removed * 2, ...pair),
    fields,
  );

const plainTurn: Turn = {
  puts: [],
  method: 'GET',
  target: '/',
  authority: 'target',
  octets: noBody,
  isUpgrade: false,
};

describe('the head of a request whose fields came before', () => {
  it('is what it would be if they came for the first time, or is refused alike', () => {
    const counts = { again: 0, refused: 0, refusedLater: 0 };
    fc.assert(
      fc.property(sentFields, turns, (sent, all) => {
        const received = repeated(sent);
        fc.pre(received !== null);
        all.forEach((turn, index) => {
          const own = ['X-Forwarded-For', '192.0.2.7', 'X-Correlation-Id', `c-${index}`];
          const headers = withPuts([...received.fields, ...own], turn.puts);
          const expected = outcome(() =>
            upstreamRequestHead(requestOf(turn, headers, null), turn.authority, turn.octets),
          );
          const isKept = received.sent !== null;
          const made = outcome(() =>
            upstreamRequestHead(requestOf(turn, headers, received), turn.authority, turn.octets),
          );
          expect(made).toBe(expected);
          if (isKept && received.sent?.head('GET', '/', headers) !== null) counts.again += 1;
          if (expected.includes('Error')) counts[isKept ? 'refusedLater' : 'refused'] += 1;
        });
      }),
      { numRuns: 3_000 },
    );
    expect(counts.again).toBeGreaterThan(1_000);
    expect(counts.refused).toBeGreaterThan(500);
    expect(counts.refusedLater).toBeGreaterThan(500);
  });

  const received = (read = repeated): RequestLines => {
    const lines = read([
      ['Host', 'a'],
      ['Accept', 'a'],
    ]);
    if (lines === null) throw new Error('a head that is none');
    return lines;
  };

  it('names the host of its own upstream where the client named none', () => {
    const lines = repeated([['Accept', 'a']]);
    for (const authority of ['one.internal', 'other.internal', 'one.internal']) {
      const head = upstreamRequestHead(requestOf(plainTurn, ['Accept', 'a', 'X-B', 'b'], lines), authority, noBody);
      expect(head).toBe(`GET / HTTP/1.1\r\nHost: ${authority}\r\nAccept: a\r\nX-B: b\r\n\r\n`);
    }
  });

  it('has the framing of its own body, whatever the one before had', () => {
    const lines = received();
    const fields = 'Host: a\r\nAccept: a\r\n';
    const turn = (method: string, octets: number, isUpgrade = false): string =>
      upstreamRequestHead(
        requestOf({ ...plainTurn, method, isUpgrade }, ['Host', 'a', 'Accept', 'a'], lines),
        'target',
        octets,
      );
    for (let time = 0; time < 2; time += 1) {
      expect(turn('POST', 3)).toBe(`POST / HTTP/1.1\r\n${fields}Content-Length: 3\r\n\r\n`);
      expect(turn('GET', noBody)).toBe(`GET / HTTP/1.1\r\n${fields}\r\n`);
      expect(turn('GET', unknownLength)).toBe(`GET / HTTP/1.1\r\n${fields}Transfer-Encoding: chunked\r\n\r\n`);
      expect(turn('POST', noBody)).toBe(`POST / HTTP/1.1\r\n${fields}Content-Length: 0\r\n\r\n`);
      expect(turn('GET', 0)).toBe(`GET / HTTP/1.1\r\n${fields}\r\n`);
      expect(turn('GET', noBody, true)).toBe(
        `GET / HTTP/1.1\r\n${fields}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
      );
      expect(lines.sent).not.toBeNull();
    }
  });

  it('says nothing of the length of a body that another request with the same fields had', () => {
    const lines = received();
    const headers = ['Host', 'a', 'Accept', 'a', 'Content-Length', '3'];
    const turn = (octets: number, fields = headers): string =>
      upstreamRequestHead(requestOf(plainTurn, fields, lines), 'target', octets);
    expect(turn(3)).toBe('GET / HTTP/1.1\r\nHost: a\r\nAccept: a\r\nContent-Length: 3\r\n\r\n');
    expect(turn(noBody)).toBe('GET / HTTP/1.1\r\nHost: a\r\nAccept: a\r\n\r\n');
    expect(() => turn(4)).toThrow('the body is not as long as the Content-Length says');
    expect(turn(noBody, headers.with(5, '7'))).toBe('GET / HTTP/1.1\r\nHost: a\r\nAccept: a\r\n\r\n');
    expect(() => turn(noBody, headers.with(5, 'x'))).toThrow('the Content-Length is not a number');
  });

  it('is kept in memory where it is short, and not where agents have put much to it', () => {
    const lines = received();
    const long = 'x'.repeat(17_000);
    const turn = (value: string): string =>
      upstreamRequestHead(
        requestOf(plainTurn, ['Host', 'a', 'Accept', 'a', 'X-Claim', value], lines),
        'target',
        noBody,
      );
    expect(turn(long)).toBe(`GET / HTTP/1.1\r\nHost: a\r\nAccept: a\r\nX-Claim: ${long}\r\n\r\n`);
    expect(lines.sent).toBeNull();
    expect(turn('b')).toBe('GET / HTTP/1.1\r\nHost: a\r\nAccept: a\r\nX-Claim: b\r\n\r\n');
    expect(lines.sent).not.toBeNull();
    expect(turn(long)).toBe(`GET / HTTP/1.1\r\nHost: a\r\nAccept: a\r\nX-Claim: ${long}\r\n\r\n`);
  });

  it('is not kept where the fields came for the first time', () => {
    const lines = received(readLines);
    upstreamRequestHead(requestOf(plainTurn, ['Host', 'a', 'Accept', 'a'], lines), 'target', noBody);
    expect(lines.sent).toBeNull();
  });
});
