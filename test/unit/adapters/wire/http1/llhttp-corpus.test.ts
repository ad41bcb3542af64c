import { describe, expect, it } from 'vitest';
import { type Http1Message, type Http1Stream, readPieces } from '../../../../support/http1-stream.js';
import { type LlhttpCase, type LoggedMessage, llhttpCases } from '../../../../support/llhttp-cases.js';

interface Deviation {
  readonly what: string;
  readonly why: string;
  readonly cases: readonly string[];
}

/** What llhttp takes and the codec does not, or the other way round. Cases with `lenient` in their name have a leniency on. */
const deviations: readonly Deviation[] = [
  {
    what: 'taken: Invalid method for HTTP/x.x request',
    why: 'a method is any token (RFC 9110, section 9.1); llhttp has a list of them',
    cases: ['request/invalid.md: HTTP protocol and ANNOUNCE method'],
  },
  {
    what: 'taken: Expected space after method',
    why: 'a method is any token (RFC 9110, section 9.1); llhttp has a list of them',
    cases: ['request/invalid.md: Invalid method'],
  },
  {
    what: 'refused: invalid_version',
    why: 'RTSP and ICE are other protocols',
    cases: [
      'request/method.md: SOURCE request with ICE',
      'request/method.md: OPTIONS request with RTSP',
      'request/method.md: ANNOUNCE request with RTSP',
      'response/sample.md: RTSP response',
      'response/sample.md: ICE response',
    ],
  },
  {
    what: 'refused: invalid_version',
    why: 'a request without a version is one of HTTP/0.9',
    cases: ['request/sample.md: No HTTP version'],
  },
  {
    what: 'refused: unsupported_version',
    why: 'only HTTP/1.0 and HTTP/1.1 are read',
    cases: [
      'request/lenient-version.md: Invalid HTTP version (lenient)',
      'response/lenient-version.md: Invalid HTTP version (lenient)',
      'response/sample.md: HTTP version 0.9',
    ],
  },
  {
    what: 'refused: invalid_version',
    why: 'an empty line before a response is something that came behind the response before, which ended elsewhere',
    cases: [
      'response/connection.md: HTTP 304 with Content-Length',
      'response/connection.md: HTTP 100 first, then 400',
      'response/pipelining.md: Should parse multiple events',
      'response/sample.md: Response starting with CRLF',
    ],
  },
  {
    what: 'refused: invalid_chunk_size',
    why: 'a chunk size ends with CR LF, right behind its digits',
    cases: ['request/transfer-encoding.md: Chunk header not terminated by CRLF (lenient)'],
  },
  {
    what: 'refused: invalid_chunk_extension',
    why: 'blanks behind the digits of a chunk size belong to an extension, and there is none',
    cases: ['request/transfer-encoding.md: Space after chunk header (lenient)'],
  },
  {
    what: 'refused: invalid_chunk_end',
    why: 'a chunk ends with CR LF',
    cases: ['request/transfer-encoding.md: Chunk data not terminated by CRLF (lenient)'],
  },
  {
    what: 'refused: unknown_transfer_coding',
    why: 'chunked alone is read: the gateway passes no other coding on, and could not take it off',
    cases: [
      'request/content-length.md: No error on simultaneous `Content-Length` and `Transfer-Encoding: identity` (lenient)',
      'request/transfer-encoding.md: POST with `Transfer-Encoding` and `Content-Length` (lenient)',
      'request/transfer-encoding.md: POST with `chunked` before other transfer-coding (lenient)',
      'request/transfer-encoding.md: POST with `chunked` as last transfer-encoding',
      'request/transfer-encoding.md: POST with `chunked` as last transfer-encoding (multiple headers)',
      'response/transfer-encoding.md: `chunked` before other transfer-encoding',
      'response/transfer-encoding.md: `chunkedchunked` transfer-encoding does not enable chunked enconding',
    ],
  },
  {
    what: 'refused: repeated_transfer_encoding',
    why: 'chunked is applied once, and last',
    cases: [
      'request/transfer-encoding.md: POST with `chunked` and duplicate transfer-encoding (lenient)',
      'response/transfer-encoding.md: multiple transfer-encoding where chunked is not the last one',
    ],
  },
  {
    what: 'refused: coding_without_content',
    why: 'a 101 has no content, so that a coding of it can only mislead (RFC 9112, section 6.1)',
    cases: ['response/connection.md: HTTP 101 response with Upgrade and Transfer-Encoding header'],
  },
  {
    what: 'refused: obsolete_fold',
    why: 'a folded line is one field to some and two to others (RFC 9112, section 5.2)',
    cases: [
      'request/connection.md: Multiple tokens with folding',
      'request/connection.md: Multiple tokens with folding, LWS, and CRLF',
      'request/invalid.md: Spaces before headers (lenient)',
      'request/sample.md: Line folding in header value with CRLF',
      'request/sample.md: X-SSL-Nonsense',
      'response/transfer-encoding.md: Invalid OBS fold after chunked value',
    ],
  },
  {
    what: 'refused: invalid_field_name',
    why: 'no space stands before the colon (RFC 9112, section 5.1)',
    cases: [
      'request/connection.md: Invalid whitespace token with `Connection` header field (lenient)',
      'request/content-length.md: Invalid whitespace token with `Content-Length` header field (lenient)',
    ],
  },
  {
    what: 'refused: invalid_content_length',
    why: 'a tab around what frames the body is a part of it to some readers',
    cases: [
      'request/content-length.md: Tabs in `Content-Length` (surrounding)',
      'response/content-length.md: Tabs in `Content-Length` (surrounding)',
    ],
  },
  {
    what: 'refused: invalid_field_value',
    why: 'a value has no controls (RFC 9110, section 5.5)',
    cases: [
      'request/lenient-header-value-relaxed.md: Control char in header value (relaxed)',
      'request/lenient-headers.md: Header value (lenient)',
      'request/lenient-headers.md: Second request header value (lenient)',
    ],
  },
  {
    what: 'refused: invalid_line_end',
    why: 'a line ends with CR LF, and neither of them is anything else',
    cases: [
      'request/content-length.md: Missing CRLF-CRLF before body (lenient)',
      'request/invalid.md: Headers separated by dummy characters (lenient)',
      'request/invalid.md: Only LFs present (lenient)',
      'request/lenient-headers.md: Empty headers separated by CR (lenient)',
      'request/sample.md: No LF after CR (lenient)',
      'response/invalid.md: Bare CR after response line (lenient)',
      'response/invalid.md: Only LFs present and no body (lenient)',
      'response/invalid.md: Only LFs present (lenient)',
      'response/sample.md: No carriage ret (lenient)',
    ],
  },
  {
    what: 'not read behind the last message',
    why: 'HTTP/1.0 without keep-alive ends with its message',
    cases: ['request/connection.md: Resetting flags when keep-alive is off (1.0, lenient)'],
  },
  {
    what: 'another body',
    why: 'here llhttp is told that no body comes',
    cases: [
      'request/content-length.md: Content-Length reset when no body is received',
      'response/content-length.md: Content-Length reset when no body is received',
    ],
  },
  {
    what: 'another body',
    why: 'to llhttp all behind a CONNECT is of the tunnel; the gateway has no tunnels and refuses it whatever its framing',
    cases: ['request/method.md: CONNECT with body'],
  },
];

const ours = ({ line, minorVersion, fields, trailers }: Http1Message) => ({
  line,
  version: `1.${minorVersion}`,
  fields,
  trailers,
});

const theirs = ({ line, version, fields, trailers }: LoggedMessage) => ({ line, version, fields, trailers });

/** What ends a stream without fault, in the words of llhttp. */
const endings: Readonly<Record<string, Http1Stream['over']>> = {
  'Pause on CONNECT/Upgrade': 'tunnel',
  'Data after `Connection: close`': 'closed',
};

const messageDifference = (message: Http1Message, logged: LoggedMessage): string | null => {
  if (message.body !== logged.body || message.isComplete !== logged.isComplete) return 'another body';
  const [one, other] = [JSON.stringify(ours(message)), JSON.stringify(theirs(logged))];
  return one === other ? null : `${one} in place of ${other}`;
};

/** How the codec reads a case otherwise than llhttp, or null. */
const difference = ({ error, messages }: LlhttpCase, stream: Http1Stream): string | null => {
  const ending = error === null ? undefined : endings[error];
  const isRefused = error !== null && ending === undefined;
  if (stream.fault !== null && !isRefused) return `refused: ${stream.fault}`;
  if (stream.fault === null && error !== null && stream.over !== (ending ?? 'refused')) return `taken: ${error}`;
  for (let index = 0; index < Math.max(messages.length, stream.messages.length); index += 1) {
    const [message, logged] = [stream.messages[index], messages[index]];
    // How far somebody gets before he refuses is his own affair.
    if (isRefused && !(logged?.isComplete && message?.isComplete)) continue;
    if (logged === undefined) return 'a message more';
    if (message === undefined) return stream.octetsBehind > 0 ? 'not read behind the last message' : 'a message less';
    const found = messageDifference(message, logged);
    if (found !== null) return found;
  }
  return null;
};

const cases = llhttpCases();

describe('the cases of llhttp', () => {
  it('are all there', () => {
    expect(cases).toHaveLength(251);
    expect(new Set(cases.map(({ kind }) => kind))).toEqual(new Set(['request', 'response']));
  });

  it('are read as llhttp reads them, but for the named ones', () => {
    const found = cases.flatMap((one) => {
      const what = difference(one, readPieces(one.kind, [one.octets]));
      return what === null ? [] : [`${one.name}: ${what}`];
    });
    const named = deviations.flatMap(({ what, cases: names }) => names.map((name) => `${name}: ${what}`));
    expect(found.sort()).toEqual(named.sort());
  });

  it('are refused where llhttp refuses them without leniency, but for methods that it does not know', () => {
    const taken = cases
      .filter(({ isLenient, error }) => !isLenient && error !== null && endings[error] === undefined)
      .filter(({ kind, octets }) => readPieces(kind, [octets]).fault === null);
    expect(taken.map(({ name }) => name)).toEqual([
      'request/invalid.md: HTTP protocol and ANNOUNCE method',
      'request/invalid.md: Invalid method',
    ]);
  });

  it('are read alike octet by octet', () => {
    for (const { name, kind, octets } of cases) {
      const whole = readPieces(kind, [octets]);
      const pieces = readPieces(
        kind,
        Array.from(octets, (octet) => Uint8Array.of(octet)),
      );
      expect([name, pieces.ending, pieces.messages]).toEqual([name, whole.ending, whole.messages]);
    }
  });
});
