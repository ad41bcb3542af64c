import { sources } from './trick.js';

/** What an upstream answers to have the client, or the next one, see another response than the gateway does. */
export interface ResponseTrick {
  readonly name: string;
  readonly source: string;
  /** Each character is one octet. */
  readonly octets: string;
  /** Of the response that the client gets; null: it is cut off. */
  readonly status: number | null;
  /** Of what the client gets, without framing; null: the gateway's own. */
  readonly body: string | null;
}

const second = 'HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nsmuggled';
const head = 'HTTP/1.1 200 OK\r\n';

const refused = (name: string, source: string, octets: string): ResponseTrick => ({
  name,
  source,
  octets,
  status: 502,
  body: null,
});

const taken = (name: string, source: string, octets: string, body = 'hello'): ResponseTrick => ({
  name,
  source,
  octets,
  status: 200,
  body,
});

const chunks = '5\r\nhello\r\n0\r\n\r\n';

export const responseTricks: readonly ResponseTrick[] = [
  taken('two responses to one request', sources.desync2022, `${head}Content-Length: 5\r\n\r\nhello${second}`),
  taken('a response behind chunks', sources.desync2022, `${head}Transfer-Encoding: chunked\r\n\r\n${chunks}${second}`),
  taken('a length that is too short', sources.framing, `${head}Content-Length: 5\r\n\r\nhello, world`),
  taken('a status without a reason', 'RFC 9112, section 4', 'HTTP/1.1 200\r\nContent-Length: 5\r\n\r\nhello'),
  taken(
    'ten interim responses',
    'RFC 9110, section 15.2',
    `${'HTTP/1.1 103 X\r\n\r\n'.repeat(10)}${head}Content-Length: 5\r\n\r\nhello`,
  ),
  refused('a flood of interim responses', 'RFC 9110, section 15.2', 'HTTP/1.1 103 X\r\nX: y\r\n\r\n'.repeat(2_000)),
  refused(
    'length and coding',
    sources.framing,
    `${head}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`,
  ),
  refused('two lengths', sources.framing, `${head}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello${second}`),
  refused('a list of lengths', sources.framing, `${head}Content-Length: 5, 6\r\n\r\nhello${second}`),
  refused('a length with a sign', sources.framing, `${head}Content-Length: +5\r\n\r\nhello${second}`),
  refused('a length beyond counting', sources.framing, `${head}Content-Length: 99999999999999999999\r\n\r\nhello`),
  refused('another coding than chunked', sources.coding, `${head}Transfer-Encoding: xchunked\r\n\r\n${chunks}`),
  refused('two codings', sources.coding, `${head}Transfer-Encoding: gzip, chunked\r\n\r\n${chunks}`),
  refused('a coding behind a vertical tab', 'CVE-2019-18277', `${head}Transfer-Encoding:\x0bchunked\r\n\r\n${chunks}`),
  refused('a coding in HTTP/1.0', sources.coding, `HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`),
  refused('a folded field', 'RFC 9112, section 5.2', `${head}X: y\r\n z\r\nContent-Length: 5\r\n\r\nhello`),
  refused('a NUL in a field', sources.fields, `${head}X: \0\r\nContent-Length: 5\r\n\r\nhello`),
  refused('a space before a colon', sources.fields, `${head}X : y\r\nContent-Length: 5\r\n\r\nhello`),
  refused('a line that ends in LF', sources.lineEnds, `${head}X: y\nContent-Length: 5\r\n\r\nhello`),
  refused('a CR in a field', sources.lineEnds, `${head}X: y\rz\r\nContent-Length: 5\r\n\r\nhello`),
  refused('a version of HTTP/2.0', sources.versions, 'HTTP/2.0 200 OK\r\nContent-Length: 5\r\n\r\nhello'),
  refused('HTTP/0.9', sources.versions, 'hello'.repeat(10)),
  refused('a status of four digits', 'RFC 9112, section 4', 'HTTP/1.1 2000 OK\r\nContent-Length: 5\r\n\r\nhello'),
  refused(
    'a switch of protocols that nobody asked for',
    'RFC 9110, section 15.2.2',
    `HTTP/1.1 101 X\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n${second}`,
  ),
  refused('a head of 120,000 octets', sources.fields, `${head}X: ${'y'.repeat(120_000)}\r\n\r\n`),
  {
    ...refused(
      'a bad chunk size',
      sources.chunks,
      `${head}Transfer-Encoding: chunked\r\n\r\n0x5\r\nhello\r\n0\r\n\r\n`,
    ),
    status: null,
  },
  {
    ...refused(
      'a chunk that is too long',
      sources.chunks,
      `${head}Transfer-Encoding: chunked\r\n\r\n5\r\nhello!\r\n0\r\n\r\n`,
    ),
    status: null,
  },
  {
    ...refused(
      'a chunk size that ends in LF',
      sources.funky,
      `${head}Transfer-Encoding: chunked\r\n\r\n5\nhello\r\n0\r\n\r\n`,
    ),
    status: null,
  },
  {
    ...refused(
      'a chunk extension with a line feed',
      sources.funky,
      `${head}Transfer-Encoding: chunked\r\n\r\n5;a\nhello\r\n0\r\n\r\n`,
    ),
    status: null,
  },
  {
    ...refused(
      'a quoted chunk extension with a line end',
      sources.funky,
      `${head}Transfer-Encoding: chunked\r\n\r\n5;a="\r\nhello\r\n0\r\n\r\n"`,
    ),
    status: null,
  },
  {
    name: 'a chunk extension, which is ignored',
    source: 'RFC 9112, section 7.1.1',
    octets: `${head}Transfer-Encoding: chunked\r\n\r\n5;a="b"\r\nhello\r\n0;a\r\n\r\n`,
    status: 200,
    body: 'hello',
  },
  { ...refused('a length that is too long', sources.framing, `${head}Content-Length: 50\r\n\r\nhello`), status: null },
];
