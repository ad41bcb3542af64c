import fc from 'fast-check';
import { octetsOf } from './http1-stream.js';

const tokenCharacters = [..."!#$%&'*+-.^_`|~09AZaz"];

/** A method or a field name. */
export const token = fc.string({ minLength: 1, maxLength: 20, unit: fc.constantFrom(...tokenCharacters) });

/** A request-target. */
export const target = fc.string({
  minLength: 1,
  maxLength: 40,
  unit: fc.integer({ min: 0x21, max: 0x7e }).map(toCharacter),
});

/** A field value, one character for each octet, without blanks at its ends. */
export const fieldValue = fc
  .string({
    maxLength: 60,
    unit: fc
      .oneof(fc.integer({ min: 0x20, max: 0x7e }), fc.integer({ min: 0x80, max: 0xff }), fc.constant(9))
      .map(toCharacter),
  })
  .map((text) => text.replace(/^[ \t]+|[ \t]+$/g, ''));

function toCharacter(code: number): string {
  return String.fromCharCode(code);
}

const firstLines = [
  'GET / HTTP/1.1\r\n',
  'POST /a?b=c HTTP/1.1\r\n',
  'GET / HTTP/1.0\r\n',
  'PUT http://a/ HTTP/1.1\r\n',
  'CONNECT a:443 HTTP/1.1\r\n',
  '\r\nGET / HTTP/1.1\r\n',
];
const statusLines = [
  'HTTP/1.1 200 OK\r\n',
  'HTTP/1.1 100 Continue\r\n',
  'HTTP/1.0 200 OK\r\n',
  'HTTP/1.1 304\r\n',
  'HTTP/1.1 204 \r\n',
  'HTTP/1.1 101 X\r\n',
];
const fieldLines = [
  'Host: a.example\r\n',
  'Content-Length: 5\r\n',
  'Content-Length: 0\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Transfer-Encoding: CHUNKED  \r\n',
  'Transfer-Encoding: chunked\t\r\n',
  'Content-Length:\t5\r\n',
  'Connection: close\r\n',
  'Connection: keep-alive, upgrade\r\n',
  'Connection: ,\t,x\r\n',
  'Upgrade: websocket\r\n',
  'Expect: 100-continue\r\n',
  'X-Empty:\r\n',
  'X-Long: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n',
  'Set-Cookie: a=\xff; b\r\n',
];
const bodies = [
  '',
  'hello',
  '5\r\nhello\r\n0\r\n\r\n',
  '1\r\na\r\n1\r\nb\r\n0\r\nX-Sum: 42\r\nA:\r\n\r\n',
  '0\r\n\r\n',
  'a\r\n01234',
];
/** What an attacker puts where it does not belong. */
const oddities = [
  '\r',
  '\n',
  '\r\n',
  '\r\n\r\n',
  '\n\n',
  '\0',
  ' ',
  '\t',
  ':',
  ';',
  ',',
  '"',
  '\x0b',
  '\x7f',
  '\x80',
  '0',
  '1',
  'f',
  ';a=b',
  'Transfer-Encoding: chunked\r\n',
  'Content-Length: 5\r\n',
  'Content-Length: 5, 5\r\n',
  ' folded\r\n',
  'HTTP/1.1',
  'chunked',
];

interface Change {
  readonly at: number;
  readonly removed: number;
  readonly put: string;
}

const change: fc.Arbitrary<Change> = fc.record({
  at: fc.nat(),
  removed: fc.nat({ max: 3 }),
  put: fc.oneof(fc.constant(''), fc.constantFrom(...oddities), fc.integer({ min: 0, max: 255 }).map(toCharacter)),
});

const changed = (text: string, changes: readonly Change[]): string => {
  let result = text;
  for (const { at, removed, put } of changes) {
    const place = at % (result.length + 1);
    result = result.slice(0, place) + put + result.slice(place + removed);
  }
  return result;
};

const message = (lines: readonly string[]): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.constantFrom(...lines),
      fc.array(fc.constantFrom(...fieldLines), { maxLength: 5 }),
      fc.constantFrom(...bodies),
    )
    .map(([first, fields, body]) => `${first}${fields.join('')}\r\n${body}`);

/** Octets that are messages, or nearly so, one behind the other. */
export const hostileStream = (kind: 'request' | 'response'): fc.Arbitrary<Uint8Array> =>
  fc
    .tuple(
      fc.array(message(kind === 'request' ? firstLines : statusLines), { minLength: 1, maxLength: 4 }),
      fc.oneof(fc.constant([]), fc.array(change, { maxLength: 3 })),
    )
    .map(([messages, changes]) => octetsOf(changed(messages.join(''), changes)));

/** Where a stream is cut: often into single octets. */
export const cuts: fc.Arbitrary<readonly number[] | 'each'> = fc.oneof(
  fc.constant('each' as const),
  fc.array(fc.nat(), { maxLength: 12 }),
);

/** The pieces of octets that are cut so. Each is memory of its own: what is read of it later has been copied. */
export const cut = (octets: Uint8Array, at: readonly number[] | 'each'): Uint8Array[] => {
  if (at === 'each') return Array.from(octets, (octet) => Uint8Array.of(octet));
  const places = [...new Set(at.map((place) => place % (octets.length + 1)))].sort((one, other) => one - other);
  return [0, ...places].map((place, index) => octets.slice(place, places[index] ?? octets.length));
};
