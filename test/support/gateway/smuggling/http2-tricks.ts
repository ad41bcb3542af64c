import { endHeaders, endStream, fieldBlock, frame, frameTypes, type RawField } from '../http2-frames.js';

/** What a client of HTTP/2 sends to have lines of HTTP/1.1 come out that it did not ask for. */
export interface Http2Trick {
  readonly name: string;
  /** Section, paper or advisory. */
  readonly source: string;
  /** Frames of stream 1. */
  readonly frames: readonly Buffer[];
  /** Status of the answer; null: the stream, or the connection, is ended instead. */
  readonly status: number | null;
  /** Targets of the requests that the upstream gets whole: one or none. */
  readonly out: readonly string[];
  /** Of that one. */
  readonly body?: string;
  readonly host?: string;
  /** Names of fields that must not come with it. */
  readonly without?: readonly string[];
}

const always = 'Kettle, HTTP/2: The Sequel is Always Worse (2021)';
const sections = {
  malformed: 'RFC 9113, section 8.1.1',
  fields: 'RFC 9113, section 8.2.1',
  connection: 'RFC 9113, section 8.2.2',
  pseudo: 'RFC 9113, section 8.3',
  request: 'RFC 9113, section 8.3.1',
  trailers: 'RFC 9113, section 8.1',
  connect: 'RFC 9113, section 8.5',
  intermediaries: 'RFC 9113, section 10.3',
};

const smuggled = 'GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n';

const pseudo = (changes: Readonly<Record<string, string | null>> = {}): RawField[] =>
  Object.entries({ ':method': 'POST', ':scheme': 'http', ':path': '/first', ':authority': 'a', ...changes }).flatMap(
    ([name, value]): RawField[] => (value === null ? [] : [[name, value]]),
  );

const whole = (fields: readonly RawField[]): Buffer[] => [
  frame(frameTypes.headers, endHeaders + endStream, 1, fieldBlock(fields)),
];

const withBody = (fields: readonly RawField[], ...pieces: readonly string[]): Buffer[] => [
  frame(frameTypes.headers, endHeaders, 1, fieldBlock(fields)),
  ...pieces.map((piece, index) =>
    frame(frameTypes.data, index === pieces.length - 1 ? endStream : 0, 1, Buffer.from(piece, 'latin1')),
  ),
];

const withTrailers = (...trailers: readonly RawField[]): Buffer[] => [
  frame(frameTypes.headers, endHeaders, 1, fieldBlock(pseudo())),
  frame(frameTypes.data, 0, 1, Buffer.from('ab')),
  frame(frameTypes.headers, endHeaders + endStream, 1, fieldBlock(trailers)),
];

const reset = (name: string, source: string, frames: readonly Buffer[]): Http2Trick => ({
  name,
  source,
  frames,
  status: null,
  out: [],
});

const refused = (name: string, source: string, frames: readonly Buffer[], status = 400): Http2Trick => ({
  name,
  source,
  frames,
  status,
  out: [],
});

/** Goes on, but without these fields. */
const stripped = (name: string, source: string, field: RawField, body = 'ab'): Http2Trick => ({
  name,
  source,
  frames: withBody([...pseudo(), field], body),
  status: 200,
  out: ['/first'],
  body,
  without: [field[0].toLowerCase(), 'x-smuggled'],
});

const lengthTricks: readonly Http2Trick[] = [
  reset('a length beyond its data (H2.CL)', always, withBody([...pseudo(), ['content-length', '9']], 'ab')),
  reset('a length short of its data (H2.CL)', always, withBody([...pseudo(), ['content-length', '0']], smuggled)),
  reset(
    'a length of some of its data (H2.CL)',
    always,
    withBody([...pseudo(), ['content-length', '2']], 'ab', smuggled),
  ),
  reset('a length and no data', sections.malformed, whole([...pseudo(), ['content-length', '2']])),
  reset(
    'two lengths',
    sections.malformed,
    withBody([...pseudo(), ['content-length', '2'], ['content-length', '0']], 'ab'),
  ),
  reset('a length with a sign', sections.malformed, withBody([...pseudo(), ['content-length', '+2']], 'ab')),
  reset('a list of lengths', sections.malformed, withBody([...pseudo(), ['content-length', '2, 2']], 'ab')),
  reset(
    'a length beyond its data, and one with a line end',
    always,
    withBody([...pseudo(), ['content-length', '2\r\n'], ['content-length', '9']], 'ab'),
  ),
  stripped('a length with a line behind it', always, ['content-length', '0\r\nx-smuggled: 1'], `ab${smuggled}`),
  stripped('a length with a blank before it', sections.fields, ['content-length', ' 0'], `ab${smuggled}`),
  {
    ...stripped('what looks like chunks', always, ['x', 'y'], `0\r\n\r\n${smuggled}`),
    without: ['x-smuggled'],
  },
];

const connectionTricks: readonly Http2Trick[] = [
  reset('chunked (H2.TE)', always, withBody([...pseudo(), ['transfer-encoding', 'chunked']], `0\r\n\r\n${smuggled}`)),
  reset(
    'chunked with a blank before it (H2.TE)',
    always,
    withBody([...pseudo(), ['Transfer-Encoding', 'chunked']], `0\r\n\r\n${smuggled}`),
  ),
  ...['connection', 'keep-alive', 'proxy-connection', 'upgrade'].map((name) =>
    reset(name, sections.connection, whole([...pseudo(), [name, 'transfer-encoding']])),
  ),
  reset('TE of a coding', sections.connection, whole([...pseudo(), ['te', 'chunked']])),
  {
    ...stripped('a coding by another name', always, ['transfer-encoding\0', 'chunked'], `0\r\n\r\n${smuggled}`),
    without: ['transfer-encoding\0'],
  },
];

const lineTricks: readonly Http2Trick[] = [
  ...(
    [
      ['CR LF', '\r\n'],
      ['CR', '\r'],
      ['LF', '\n'],
      ['NUL', '\0'],
    ] as const
  ).flatMap(([name, octets]) => [
    stripped(`${name} in a name`, always, [`foo: bar${octets}transfer-encoding`, 'chunked'], `0\r\n\r\n${smuggled}`),
    stripped(`${name} in a value`, always, ['foo', `bar${octets}x-smuggled: 1`]),
    stripped(`${name} and a request in a value`, always, ['foo', `bar${octets}${octets}${smuggled}`]),
    stripped(`${name} at the end of a value`, sections.fields, ['foo', `bar${octets}`]),
    reset(`${name} in the path`, always, whole(pseudo({ ':path': `/first HTTP/1.1${octets}x-smuggled: 1` }))),
    reset(`${name} in the method`, always, whole(pseudo({ ':method': `GET /smuggled HTTP/1.1${octets}x` }))),
    reset(`${name} in the authority`, always, whole(pseudo({ ':authority': `a${octets}x-smuggled: 1` }))),
    reset(`${name} in the scheme`, always, whole(pseudo({ ':scheme': `http${octets}x-smuggled` }))),
  ]),
  reset('a request line in the method', always, whole(pseudo({ ':method': 'GET /smuggled HTTP/1.1' }))),
  reset('a blank in the path', always, whole(pseudo({ ':path': '/first /smuggled' }))),
  ...['authorization', 'cookie', 'content-type', 'x-forwarded-for-all', 'range'].map((name) =>
    stripped(`${name} with a line end`, sections.intermediaries, [name, 'a\r\nx-smuggled: 1']),
  ),
  reset('a name in capitals', sections.fields, whole([...pseudo(), ['Foo', 'bar']])),
  stripped('a colon in a name', sections.fields, ['foo:', 'bar']),
  stripped('no name', sections.fields, ['', 'x-smuggled: 1']),
  stripped('a blank in a name', sections.fields, ['foo bar', 'baz']),
];

const authorityTricks: readonly Http2Trick[] = [
  refused('a Host of another name', sections.request, whole([...pseudo(), ['host', 'b']])),
  reset('two Hosts', sections.request, whole([...pseudo(), ['host', 'a'], ['host', 'b']])),
  reset(
    'two Hosts, no authority',
    sections.request,
    whole([...pseudo({ ':authority': null }), ['host', 'a'], ['host', 'b']]),
  ),
  reset(
    'a Host with a line end, no authority',
    always,
    whole([...pseudo({ ':authority': null }), ['host', 'a\r\nx-smuggled: 1']]),
  ),
  {
    ...stripped('a Host with a line end', always, ['host', 'b\r\nx-smuggled: 1']),
    without: ['x-smuggled'],
    host: 'a',
  },
  reset('neither', sections.request, whole(pseudo({ ':authority': null }))),
  reset('an empty authority', sections.request, whole(pseudo({ ':authority': '' }))),
  refused('an authority with a user', sections.request, whole(pseudo({ ':authority': 'u@a' }))),
  reset('an authority with a path', always, whole(pseudo({ ':authority': 'a/smuggled?' }))),
  reset('an absolute path', sections.request, whole(pseudo({ ':path': 'http://b/smuggled' }))),
  reset('a path without a slash', sections.request, whole(pseudo({ ':path': 'smuggled' }))),
  reset('a path of an authority', always, whole(pseudo({ ':path': '@b/smuggled' }))),
  reset('an empty path', sections.request, whole(pseudo({ ':path': '' }))),
  reset('an asterisk for a path', sections.request, whole(pseudo({ ':path': '*' }))),
  refused('a fragment in the path', sections.request, whole(pseudo({ ':path': '/first#x' }))),
  refused('an octet above 127 in the path', sections.request, whole(pseudo({ ':path': '/first\xe9' }))),
];

const pseudoTricks: readonly Http2Trick[] = [
  ...[':method', ':path', ':authority', ':scheme'].map((name) =>
    reset(`${name} twice`, always, whole([...pseudo(), [name, name === ':path' ? '/smuggled' : 'b']])),
  ),
  ...[':method', ':path', ':scheme'].map((name) =>
    reset(`no ${name}`, sections.request, whole(pseudo({ [name]: null }))),
  ),
  reset(
    'one behind a field',
    sections.pseudo,
    whole([...pseudo({ ':path': null }), ['x', 'y'], [':path', '/smuggled']]),
  ),
  reset('one that is not known', sections.pseudo, whole([...pseudo(), [':x', 'y']])),
  reset('one of responses', sections.pseudo, whole([...pseudo(), [':status', '200']])),
  reset('one in the trailers', sections.trailers, withTrailers([':path', '/smuggled'])),
  reset('a coding in the trailers', sections.trailers, withTrailers(['transfer-encoding', 'chunked'])),
  {
    ...stripped('a line in the trailers', always, ['x', 'y']),
    frames: withTrailers(['x', 'y\r\n\r\nGET /smuggled HTTP/1.1']),
    without: ['x'],
  },
];

const connectTricks: readonly Http2Trick[] = [
  refused(
    'CONNECT',
    sections.connect,
    whole([
      [':method', 'CONNECT'],
      [':authority', 'b:80'],
    ]),
    501,
  ),
  refused(
    'CONNECT with what would go through',
    sections.connect,
    withBody(
      [
        [':method', 'CONNECT'],
        [':authority', 'b:80'],
      ],
      smuggled,
    ),
    501,
  ),
  reset('CONNECT with a path', sections.connect, whole(pseudo({ ':method': 'CONNECT' }))),
  reset(
    'extended CONNECT',
    'RFC 8441, section 4',
    whole([...pseudo({ ':method': 'CONNECT' }), [':protocol', 'websocket']]),
  ),
];

export const http2Tricks: readonly (readonly [string, readonly Http2Trick[]])[] = [
  ['lengths', lengthTricks],
  ['fields of a connection', connectionTricks],
  ['lines', lineTricks],
  ['authorities and paths', authorityTricks],
  ['pseudo-header fields', pseudoTricks],
  ['CONNECT', connectTricks],
];
