import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Http1ResponseReader } from '../../../../../../src/adapters/outbound/upstream-clients/core/http1-response-reader.js';
import { cut } from '../../../../../support/gateway/http1-arbitraries.js';
import { octetsOf } from '../../../../../support/gateway/http1-stream.js';
import {
  ObservedResponses,
  ResponseReading,
  type ResponseTurn,
  readTogether,
} from '../../../../../support/gateway/response-readings.js';

const long = 'a body that is l\xf6ng '.repeat(300);
const chunks = '5\r\nhello\r\n0\r\n\r\n';
const framings = fc.constantFrom<readonly [lines: string, body: string]>(
  ['Content-Length: 5\r\n', 'hell\xf6'],
  ['Content-Length: 7\r\n', 'goodbye'],
  ['Content-Length: 0\r\n', ''],
  ['Content-Length: 4096\r\n', long.slice(0, 4_096)],
  ['Content-Length: 4097\r\n', long.slice(0, 4_097)],
  ['Content-Length: 6000\r\n', long],
  ['', 'till the end'],
  ['Transfer-Encoding: chunked\r\n', chunks],
  ['Transfer-Encoding: chunked\r\nTrailer: X-Sum\r\n', '1\r\na\r\n1\r\nb\r\n0\r\nX-Sum: 42\r\nA:\r\n\r\n'],
  ['Transfer-Encoding: chunked\r\n', `1388\r\n${long.slice(0, 5_000)}\r\n0\r\n\r\n`],
  ['Transfer-Encoding: chunked\r\n', '5\r\nhello\r0\r\n\r\n'],
);
/** Whole lines; those of one length are others with as many octets. */
const fieldLines = [
  'Server: a\r\n',
  'Server: b\r\n',
  'server: a\r\n',
  'ETag: "a: b"\r\n',
  'X-Empty: \r\n',
  'X-Octets: \xff\t\x80\r\n',
  'Connection: keep-alive\r\nKeep-Alive: timeout=5\r\n',
  'Keep-Alive: timeout=6\r\n',
  'RateLimit: "c";r=0\r\n',
  'X-Correlation-Id: 1\r\n',
  'Connection: x-empty\r\n',
  'Content_Length: 9\r\n',
];
/** They are not remembered, or written in another way than this program writes them. */
const otherLines = [
  'Connection: close\r\n',
  'Set-Cookie: a=b\r\n',
  'Location: /a\r\n',
  'X-Plain:no\r\n',
  'X-Plain: no \r\n',
  'Connection: upgrade\r\nUpgrade: websocket\r\n',
  'Content-Length: 5\r\n',
  'X Y: a\r\n',
  ' folded\r\n',
  '\r\n',
];
/** But for the odd ones all have the same length, so that heads differ in little. */
const statusLines = ['HTTP/1.1 200 X\r\n', 'HTTP/1.1 200 X\r\n', 'HTTP/1.1 404 X\r\n'];
const bodylessLines = ['HTTP/1.1 204 X\r\n', 'HTTP/1.1 304 X\r\n'];
const oddLines = [
  'HTTP/1.0 200 X\r\n',
  'HTTP/1.1 101 X\r\n',
  'HTTP/1.1 101 X\r\nConnection: upgrade\r\nUpgrade: websocket\r\n',
  'HTTP/1.1 200\r\n',
  'HTTP/1.1 999 X\r\n',
  'HTTP/1.2 200 X\r\n',
  'HTTP/1.1 200 X\n',
  'HTTP/2.0 200 X\r\n',
  'http/1.1 200 X\r\n',
];
/**
 * What may come before a response; `as long`: an interim response that is as long as the head. The last is no
 * response of its own: the next status line is the value of its field.
 */
const fronts = [
  'as long',
  'HTTP/1.1 100 Continue\r\n\r\n',
  'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n',
  'HTTP/1.1 100 X\r\nConnection: close\r\n\r\n',
  'HTTP/1.1 100 X\r\n\r\nHTTP/1.1 102 X\r\n\r\n',
  'HTTP/1.1 200 X\r\nX-Line: ',
];

const usually = <Value>(weight: number, usual: fc.Arbitrary<Value>, rarely: fc.Arbitrary<Value>): fc.Arbitrary<Value> =>
  fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: rarely });

interface Said {
  readonly head: string;
  readonly body: string;
}

/** What a target says again and again. */
const said: fc.Arbitrary<Said> = fc
  .tuple(
    usually(
      5,
      usually(3, fc.constantFrom(...statusLines), fc.constantFrom(...bodylessLines)),
      fc.constantFrom(...oddLines),
    ),
    fc.array(fc.constantFrom(...fieldLines), { maxLength: 3 }),
    usually(7, fc.constant(''), fc.constantFrom(...otherLines)),
    framings,
  )
  .map(([line, fields, other, [framing, body]]) => ({
    head: `${line}${fields.join('')}${other}${framing}\r\n`,
    body: /^HTTP\/1.1 (?:204|304)/.test(line) ? '' : body,
  }));

/** Often two heads of a target are of one length, and differ in an octet. */
const pools: fc.Arbitrary<readonly Said[]> = fc
  .tuple(said, fc.array(said, { maxLength: 2 }), fc.boolean())
  .map(([first, others, hasTwin]) => {
    const twin = { head: first.head.replace(' X\r\n', ' Y\r\n'), body: first.body };
    return hasTwin ? [first, twin, ...others] : [first, ...others];
  });

interface Turn extends ResponseTurn {
  /** Which connection it comes on, and which of what is said. */
  readonly connection: number;
  readonly said: number;
  readonly before: string;
  /** An octet of the head that is another one; null: none. */
  readonly change: { readonly at: number; readonly put: string } | null;
  /** Octets that nobody asked for; `again`: the same response once more. */
  readonly behind: string;
  /** How much of it comes. */
  readonly isCutShort: boolean;
  readonly cuts: readonly number[] | 'each';
  /** What the places are counted from: `front` is cut between what comes before and the head, too. */
  readonly cutBy: 'all' | 'head' | 'front';
}

const turn: fc.Arbitrary<Turn> = fc.record({
  connection: fc.nat({ max: 2 }),
  said: fc.constantFrom(0, 0, 0, 0, 1, 1, 2),
  isToHead: usually(4, fc.constant(false), fc.constant(true)),
  maySwitch: usually(4, fc.constant(false), fc.constant(true)),
  before: usually(6, fc.constant(''), fc.constantFrom(...fronts)),
  change: usually(
    7,
    fc.constant(null),
    fc.record({ at: fc.nat(), put: fc.constantFrom('b', 'B', '2', '0', ' ', '\r', '\n', '\0', ':', '\xfe', '') }),
  ),
  behind: usually(8, fc.constant(''), fc.constantFrom('x', '\r\n', 'again', 'HTTP/1.1 200 X\r\n\r\n')),
  isCutShort: usually(10, fc.constant(false), fc.constant(true)),
  cuts: fc.oneof(
    { weight: 6, arbitrary: fc.constant([]) },
    { weight: 4, arbitrary: fc.array(fc.nat(), { minLength: 1, maxLength: 4 }) },
    { weight: 1, arbitrary: fc.constant('each' as const) },
  ),
  cutBy: fc.constantFrom('all', 'head', 'front'),
  endsConnection: usually(4, fc.constant(false), fc.constant(true)),
  manner: fc.constantFrom<Turn['manner']>('octets', 'text'),
});

const bareInterim = 'HTTP/1.1 103 X\r\n\r\n';

/** As long as another head, or but for a few octets. */
const interimAsLong = ({ length }: string): string => {
  const room = length - bareInterim.length - 'A:\r\n'.length;
  return room < 0 ? bareInterim : `${bareInterim.slice(0, -2)}A:${'a'.repeat(room)}\r\n\r\n`;
};

/** What comes in a turn, read by read. */
const piecesOf = (pool: readonly Said[], one: Turn): readonly Uint8Array[] => {
  const { head, body } = pool[one.said % pool.length] as Said;
  const { change, isToHead } = one;
  const at = change === null ? 0 : change.at % head.length;
  const put = change === null ? head : head.slice(0, at) + change.put + head.slice(at + 1);
  const behind = one.behind === 'again' ? put + body : one.behind;
  const before = one.before === 'as long' ? interimAsLong(put) : one.before;
  const text = `${before}${put}${isToHead ? '' : body}${behind}`;
  const octets = octetsOf(one.isCutShort ? text.slice(0, -1 - (one.said % 3)) : text);
  if (one.cuts === 'each' && octets.length < 400) return cut(octets, 'each');
  const headEnd = before.length + put.length;
  const places = one.cuts === 'each' ? [1] : [...one.cuts];
  if (one.cutBy === 'front') places.push(before.length);
  // Close behind the head, or close to its end: there the first read has all of it, or all but a little.
  const near = places.map((place) => headEnd + (place % 12) - 4).filter((place) => place <= octets.length);
  return cut(octets, one.cutBy === 'head' ? near : places).filter(({ length }) => length > 0);
};

/** Turns that are under way at once: each on another connection. */
const roundsOf = (turns: readonly Turn[]): readonly (readonly Turn[])[] => {
  const rounds: Turn[][] = [[]];
  for (const one of turns) {
    const round = rounds.at(-1) as Turn[];
    if (round.some(({ connection }) => connection === one.connection)) rounds.push([one]);
    else round.push(one);
  }
  return rounds;
};

/** What readers tell that share what is remembered. */
const readInTurns = (pool: readonly Said[], turns: readonly Turn[]): readonly ResponseReading[] => {
  const repeated = new ObservedResponses();
  const readers = [0, 1, 2].map(() => new Http1ResponseReader(repeated));
  return roundsOf(turns).flatMap((round) => {
    const readings = round.map(
      (one) => new ResponseReading(readers[one.connection] as Http1ResponseReader, repeated, piecesOf(pool, one), one),
    );
    readTogether(readings);
    return readings;
  });
};

/** What a reader tells that has come across nothing before. */
const readAlone = (pool: readonly Said[], one: Turn): ResponseReading => {
  const repeated = new ObservedResponses();
  const reading = new ResponseReading(new Http1ResponseReader(repeated), repeated, piecesOf(pool, one), one);
  readTogether([reading]);
  return reading;
};

it('a response is the same whatever its target has said before', () => {
  const met = {
    all: 0,
    replaced: 0,
    toHead: 0,
    bodyless: 0,
    text: 0,
    chunked: 0,
    long: 0,
    late: 0,
    behindFront: 0,
    unasked: 0,
    ended: 0,
    short: 0,
  };
  fc.assert(
    fc.property(pools, fc.array(turn, { minLength: 2, maxLength: 24, size: 'max' }), (pool, turns) => {
      const inTurns = readInTurns(pool, turns);
      const alone = turns.map((one) => readAlone(pool, one));
      expect(inTurns.map((reading) => reading.outcome())).toEqual(alone.map((reading) => reading.outcome()));
      expect(alone.every(({ known }) => known === null)).toBe(true);

      const heads = inTurns.flatMap(({ known }) => known ?? []);
      met.replaced += heads.filter((known, index) => index > 0 && known !== heads[index - 1]).length;
      inTurns.forEach(({ known, pieces, isReusable, hasEnded }, index) => {
        const { isToHead, before, behind, change, isCutShort } = turns[index] as Turn;
        if (known === null) return;
        met.all += 1;
        // Whatever it is alone: no other response may come behind these.
        if (behind !== '' && change === null && !isCutShort) expect(isReusable).toBe(false);
        if (isToHead) met.toHead += 1;
        else if (known.status === 204 || known.status === 304) met.bodyless += 1;
        else if (known.contentLength < 0 && !known.isChunked) expect(isReusable).toBe(false);
        else if (known.isChunked) met.chunked += 1;
        else if (known.contentLength > 4_096) met.long += 1;
        else if (known.contentLength > 0) met.text += 1;

        if (hasEnded) met.ended += 1;
        if (pieces.length > 1) met.late += 1;
        if (before !== '') met.behindFront += 1;
        if (behind !== '') met.unasked += 1;
        if (isCutShort) met.short += 1;
      });
    }),
    { numRuns: 3_000 },
  );
  expect(met.all).toBeGreaterThan(3_000);
  expect(met.replaced).toBeGreaterThan(400);
  expect(met.toHead).toBeGreaterThan(500);
  expect(met.bodyless).toBeGreaterThan(400);
  expect(met.text).toBeGreaterThan(600);
  expect(met.chunked).toBeGreaterThan(700);
  expect(met.long).toBeGreaterThan(500);
  expect(met.ended).toBeGreaterThan(30);
  expect(met.late).toBeGreaterThan(400);
  expect(met.unasked).toBeGreaterThan(300);
  expect(met.behindFront).toBeGreaterThan(50);
  expect(met.short).toBeGreaterThan(150);
});
