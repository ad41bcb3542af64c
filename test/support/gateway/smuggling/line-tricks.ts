import { last, refused, smuggled, sources, type Trick } from './trick.js';

const line = (name: string, octets: string, source = sources.lineEnds): Trick =>
  refused(name, source, `${octets}${smuggled}`);

const field = (name: string, text: string, source = sources.fields): Trick =>
  line(`a field ${name}`, `GET /first HTTP/1.1\r\nHost: a\r\n${text}\r\n\r\n`, source);

const version = (text: string, source = sources.versions): Trick =>
  line(`the version ${JSON.stringify(text)}`, `GET /first ${text}\r\nHost: a\r\n\r\n`, source);

/** Heads whose lines and fields are not what they seem. */
export const lineTricks: readonly Trick[] = [
  line('a request line that ends in LF', 'GET /first HTTP/1.1\nHost: a\r\n\r\n'),
  line('a request line that ends in CR', 'GET /first HTTP/1.1\rHost: a\r\n\r\n'),
  line('a field line that ends in LF', 'GET /first HTTP/1.1\r\nHost: a\nX: y\r\n\r\n'),
  line('a field line that ends in CR', 'GET /first HTTP/1.1\r\nHost: a\rX: y\r\n\r\n'),
  line('a field line that ends in CR CR LF', 'GET /first HTTP/1.1\r\nHost: a\r\r\nX: y\r\n\r\n'),
  line('a head that ends in LF LF', 'GET /first HTTP/1.1\r\nHost: a\n\n'),
  line('a head that ends in CR CR', 'GET /first HTTP/1.1\r\nHost: a\r\r'),
  line('a head that ends in CR LF CR', 'GET /first HTTP/1.1\r\nHost: a\r\n\rX\n'),
  line('a space before the request line', ' GET /first HTTP/1.1\r\nHost: a\r\n\r\n'),
  line('a NUL before the request line', '\0GET /first HTTP/1.1\r\nHost: a\r\n\r\n'),
  line('a tab for the first space', 'GET\t/first HTTP/1.1\r\nHost: a\r\n\r\n'),
  line('a tab for the second space', 'GET /first\tHTTP/1.1\r\nHost: a\r\n\r\n'),
  line('a CR in the target', 'GET /fi\rrst HTTP/1.1\r\nHost: a\r\n\r\n', sources.targets),
  line('a NUL in the target', 'GET /fi\0rst HTTP/1.1\r\nHost: a\r\n\r\n', sources.targets),
  line('a high octet in the target', 'GET /fi\xffrst HTTP/1.1\r\nHost: a\r\n\r\n', sources.targets),
  line('a space in the target', 'GET /fi rst HTTP/1.1\r\nHost: a\r\n\r\n', sources.targets),
  line('a request line twice', 'GET /first HTTP/1.1 HTTP/1.1\r\nHost: a\r\n\r\n', sources.tReqs),
  line('HTTP/0.9', 'GET /first\r\n', sources.versions),
  line('a method with a NUL', 'GE\0T /first HTTP/1.1\r\nHost: a\r\n\r\n', sources.tReqs),
  line('no method', ' /first HTTP/1.1\r\nHost: a\r\n\r\n', sources.tReqs),
  version('HTTP/2.0'),
  version('HTTP/1.2'),
  version('HTTP/0.9'),
  version('http/1.1'),
  version('HTTP/1.1x', sources.tReqs),
  version('HTTP/1.10', sources.tReqs),
  version('HTTP/01.1', sources.tReqs),
  version('HTTP/1,1', sources.tReqs),
  version('HTTP/1.1 ', sources.tReqs),
  version('HTTP /1.1', sources.tReqs),
  version('HTTPS/1.1', sources.tReqs),
  field('folded', 'X: y\r\n z', 'RFC 9112, section 5.2'),
  field('folded with a tab', 'X: y\r\n\tz', 'RFC 9112, section 5.2'),
  field('with a NUL in its value', 'X: \0'),
  field('with a DEL in its value', 'X: \x7f'),
  field('with a vertical tab in its value', 'X: a\x0bb'),
  field('with a space before its colon', 'X : y'),
  field('with a space in its name', 'X Y: z'),
  field('without a colon', 'X'),
  field('without a name', ': y'),
  field('with parentheses in its name', 'X(Y): z'),
  field('with a high octet in its name', 'X\xe9: y'),
  field('with an = for a colon', 'X=y'),
  line('a NUL behind the head', 'GET /first HTTP/1.1\r\nHost: a\r\n\0\r\n'),
  line('a space between head and empty line', 'GET /first HTTP/1.1\r\nHost: a\r\n \r\n\r\n'),
  {
    name: 'empty lines before a request',
    source: sources.lineEnds,
    octets: `\r\n\r\n${last}`,
    statuses: [200],
    out: ['/last'],
  },
  refused('an LF before a request', sources.lineEnds, `\n${last}`),
  refused(
    'several spaces in a request line',
    sources.tReqs,
    'GET  /first HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
  ),
];
