import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readHeads } from '../../../../../support/gateway/read-heads.js';

const line = fc.constantFrom(
  'GET / HTTP/1.1\r\n',
  'GET /other?a=b HTTP/1.1\r\n',
  'POST /a HTTP/1.1\r\n',
  'x-own http://a/b HTTP/1.1\r\n',
  'CONNECT a:443 HTTP/1.1\r\n',
  `GET /${'long'.repeat(60)} HTTP/1.1\r\n`,
  '\r\nGET / HTTP/1.1\r\n',
  '\r\n\r\nGET / HTTP/1.1\r\n',
);
/** What may not be in front of fields that are known, or says something of its own. */
const oddLine = fc.constantFrom(
  '',
  '\r\n',
  '\n',
  'GET /\r\n',
  'GET / HTTP/1.0\r\n',
  'GET / HTTP/1.2\r\n',
  'GET / HTTP/2.0\r\n',
  'GET / HTTP/1.1\n',
  'GET / HTTP/1.1\r',
  'GET / HTTP/1.1 \r\n',
  'GET  / HTTP/1.1\r\n',
  'GET /a b HTTP/1.1\r\n',
  'GET HTTP/1.1\r\n',
  ' / HTTP/1.1\r\n',
  'GET /\0 HTTP/1.1\r\n',
  '\rGET / HTTP/1.1\r\n',
  '\nGET / HTTP/1.1\r\n',
  'GET / HTTP/1.1\r\n ',
  'GET / HTTP/1.1\r\n\r\n',
  'GET / HTTP/1.1\r\nX-Before: a\r\n',
  'GET / HTTP/1.1\r\nX-Before: a\n',
  'GET / HTTP/1.1\r\nHost: before\r\n',
  'GET / HTTP/1.1\r\nConnection: close\r\n',
  'POST / HTTP/1.1\r\nContent-Length: 9\r\n',
  'POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n',
  'POST / HTTP/1.1\r\nContent-Length: 16\r\n\r\nGET / HTTP/1.1\r\n',
  'POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabcGET / HTTP/1.1\r\n',
);
/** Whole lines; those of one length are other ones with the same number of octets. */
const hostLines = ['Host: a\r\n', 'Host: b\r\n', 'host: a\r\n', ''];
const fieldLines = [
  'Accept: */*\r\n',
  'Cookie: abc\r\n',
  'X-Octets: \xff\t\x80\r\n',
  'X-Empty: \r\n',
  'X-Long-Value: a value that is long enough to be a part of another text\r\n',
  `${'X'.repeat(70)}: a\r\n`,
  'TE: trailers\r\n',
  'X-Correlation-Id: 1\r\n',
  'Connection: keep-alive, X-Empty\r\n',
  'Content_Length: 5\r\n',
];
/** They frame a body, say something of the connection, or are not written as this program writes them. */
const otherLines = [
  'Content-Length: 0\r\n',
  'Content-Length: 9\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Connection: close\r\n',
  'Connection: upgrade\r\n',
  'Upgrade: websocket\r\n',
  'Expect: 100-continue\r\n',
  'Expect: else\r\n',
  'X-Plain:no\r\n',
  'Host : a\r\n',
];

const block = fc
  .tuple(
    fc.constantFrom(...hostLines),
    fc.array(fc.constantFrom(...fieldLines), { maxLength: 3 }),
    fc.oneof({ weight: 4, arbitrary: fc.constant('') }, { weight: 1, arbitrary: fc.constantFrom(...otherLines) }),
  )
  .map(([host, lines, other]) => `${host}${lines.join('')}${other}\r\n`);

/** The lines of a head that are nearly the same as others. */
const change = fc.record({
  at: fc.nat(),
  removed: fc.constantFrom(1, 1, 1, 0, 2),
  put: fc.constantFrom('b', 'B', '\t', ' ', '\r', '\n', '\0', ':', '\xfe', '', '\r\n', 'X: y\r\n'),
});

interface Message {
  readonly line: string;
  /** Which of the blocks of the connection. */
  readonly block: number;
  readonly change: { readonly at: number; readonly removed: number; readonly put: string } | null;
  /** It is sent twice before the others, so that it is known. */
  readonly isRepeated: boolean;
  /** Its body comes in a piece of its own. */
  readonly isBodyApart: boolean;
  /** It comes in one piece with the next one. */
  readonly isJoined: boolean;
  /** Where it is cut in two; -1: nowhere. */
  readonly cutAt: number;
}

const message: fc.Arbitrary<Message> = fc.record({
  line: fc.oneof({ weight: 8, arbitrary: line }, { weight: 1, arbitrary: oddLine }),
  block: fc.constantFrom(0, 0, 0, 1),
  change: fc.oneof({ weight: 8, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: change }),
  isRepeated: fc.boolean(),
  isBodyApart: fc.boolean(),
  isJoined: fc.constantFrom(false, false, false, false, false, true),
  cutAt: fc.oneof({ weight: 6, arbitrary: fc.constant(-1) }, fc.nat()),
});

const withChange = (text: string, { change }: Message): string => {
  if (change === null) return text;
  const at = change.at % text.length;
  return text.slice(0, at) + change.put + text.slice(at + change.removed);
};

/** A body where the lines announce one. */
const bodyOf = (lines: string): string => {
  if (lines.includes('Transfer-Encoding: chunked')) return '0\r\n\r\n';
  return lines.includes('Content-Length: 9') ? 'GET / HTT' : '';
};

/** The octets of a connection in the pieces in which they come. */
const piecesOf = (blocks: readonly string[], messages: readonly Message[]): Buffer[] => {
  const pieces: Buffer[] = [];
  let waiting = '';
  for (const one of messages) {
    const lines = blocks[one.block] as string;
    const body = bodyOf(`${one.line}${lines}`);
    const repeated = [`GET /repeated HTTP/1.1\r\n${lines}`, bodyOf(lines)].map((text) => Buffer.from(text, 'latin1'));
    if (one.isRepeated && waiting === '') pieces.push(...repeated, ...repeated);
    waiting += `${one.line}${withChange(lines, one)}${one.isBodyApart ? '' : body}`;
    if (one.isJoined && !one.isBodyApart) continue;
    const octets = Buffer.from(waiting, 'latin1');
    const cut = one.cutAt < 0 ? 0 : one.cutAt % octets.length;
    // As memory of their own: what is kept of a piece has to be a copy.
    pieces.push(copied(octets.subarray(0, cut)), copied(octets.subarray(cut)));
    if (one.isBodyApart) pieces.push(Buffer.from(body));
    waiting = '';
  }
  return pieces.filter(({ length }) => length > 0);
};

const copied = (octets: Buffer): Buffer => Buffer.from(octets);

it('a head is the same whatever came before it on its connection', () => {
  const met = { hits: 0, longer: 0, faults: 0, faultsBehindHits: 0, bodiesBehindHits: 0 };
  fc.assert(
    fc.property(
      fc.tuple(block, block),
      fc.array(message, { minLength: 2, maxLength: 16, size: 'max' }),
      fc.oneof({ weight: 5, arbitrary: fc.constant(null) }, fc.integer({ min: -3, max: 40 })),
      (blocks, messages, beyond) => {
        const pieces = piecesOf(blocks, messages);
        const maxOctets = beyond === null ? 65_536 : (pieces.at(0)?.length ?? 16) + beyond;
        const known = readHeads(pieces.map(copied), maxOctets);
        const anew = readHeads(pieces.map(copied), maxOctets, true);
        expect(known.map(({ facts }) => facts)).toEqual(anew.map(({ facts }) => facts));
        expect(anew.some(({ isKnown }) => isKnown)).toBe(false);

        const hits = known.filter(({ isKnown }) => isKnown).length;
        const isFault = typeof known.at(-1)?.facts === 'string';
        met.hits += hits;
        if (hits > 0 && maxOctets < 65_536) met.longer += 1;
        if (isFault) met.faults += 1;
        if (isFault && hits > 0) met.faultsBehindHits += 1;
        const first = known.findIndex(({ isKnown }) => isKnown);
        const hasBody = /"isChunked":true|"contentLength":9/.test(JSON.stringify(known.slice(first + 1)));
        if (first >= 0 && hasBody) met.bodiesBehindHits += 1;
      },
    ),
    { numRuns: 2_000 },
  );
  expect(met.hits).toBeGreaterThan(2_000);
  expect(met.longer).toBeGreaterThan(30);
  expect(met.faultsBehindHits).toBeGreaterThan(100);
  expect(met.bodiesBehindHits).toBeGreaterThan(10);
});
