import { type Http1Message, type Http1Stream, readPieces, textOf } from '../support/gateway/http1-stream.js';
import type { CaseTally } from './case-tally.js';
import { type LlhttpCase, type LoggedMessage, llhttpCases } from './llhttp-cases.js';

/** A difference from llhttp that the gateway means to have, for messages of a certain shape. */
interface IntendedDifference {
  readonly what: string;
  readonly why: string;
  applies(text: string, testCase: LlhttpCase): boolean;
}

/** A method of the message is a token, whether llhttp has it in its list or not. */
const startsWithToken = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+(?: |$)/;

const intendedDifferences: readonly IntendedDifference[] = [
  {
    what: 'taken: Invalid method for HTTP/x.x request',
    why: 'a method is any token (RFC 9110, section 9.1); llhttp has a list',
    applies: (text) => startsWithToken.test(text),
  },
  {
    what: 'taken: Expected space after method',
    why: 'a method is any token (RFC 9110, section 9.1); llhttp has a list',
    applies: (text) => startsWithToken.test(text),
  },
  {
    what: 'refused: invalid_version',
    why: 'RTSP and ICE are other protocols',
    applies: (text) => /(?:^| )(?:RTSP|ICE)\//.test(text),
  },
  {
    what: 'refused: invalid_version',
    why: 'a request line without a version is HTTP/0.9',
    applies: (text, { kind }) => kind === 'request' && /^[A-Z]+ [^ \r\n]+\r\n/.test(text),
  },
  {
    what: 'refused: invalid_version',
    why: 'an empty line before a response is left over from a response that ended elsewhere',
    applies: (text, { kind }) => kind === 'response' && /\r\nHTTP\//.test(text),
  },
  {
    what: 'refused: unsupported_version',
    why: 'the gateway reads HTTP/1.0 and HTTP/1.1 only',
    applies: (text) => !/HTTP\/1\.[01]/.test(text),
  },
  {
    what: 'refused: unknown_transfer_coding',
    why: 'chunked is the only transfer coding that the gateway can remove',
    applies: (text) => /\r\ntransfer-encoding:[^\r\n]*[a-z]/i.test(text),
  },
  {
    what: 'refused: repeated_transfer_encoding',
    why: 'chunked is applied once, and last (RFC 9112, section 6.1)',
    applies: (text) => (text.match(/\r\ntransfer-encoding:/gi) ?? []).length > 1,
  },
  {
    what: 'refused: coding_without_content',
    why: 'a 101 response has no content, so a transfer coding in it misleads (RFC 9112, section 6.1)',
    applies: (text) => /^HTTP\/1\.1 101 /.test(text) && /\r\ntransfer-encoding:/i.test(text),
  },
  {
    what: 'refused: obsolete_fold',
    why: 'parsers read a folded line as one field or as two (RFC 9112, section 5.2)',
    applies: (text) => /\r\n[ \t]/.test(text),
  },
  {
    what: 'refused: invalid_content_length',
    why: 'some parsers take a tab around a length for a part of it',
    applies: (text) => /\r\ncontent-length:[^\r\n]*\t/i.test(text),
  },
  {
    what: 'not read behind the last message',
    why: 'without the leniency, HTTP/1.0 without keep-alive ends the connection',
    applies: (_text, { isLenient }) => isLenient,
  },
  {
    what: 'another body',
    why: 'llhttp is told to skip the body',
    applies: (_text, { skipsBody }) => skipsBody,
  },
  {
    what: 'another body',
    why: 'llhttp leaves everything behind a CONNECT to the tunnel; the gateway refuses CONNECT',
    applies: (text) => text.startsWith('CONNECT '),
  },
];

const ours = ({ line, minorVersion, fields, trailers }: Http1Message): string =>
  JSON.stringify({ line, version: `1.${minorVersion}`, fields, trailers });

const theirs = ({ line, version, fields, trailers }: LoggedMessage): string =>
  JSON.stringify({ line, version, fields, trailers });

/** What ends a stream without a fault, in the words of llhttp. */
const endings: Readonly<Record<string, Http1Stream['over']>> = {
  'Pause on CONNECT/Upgrade': 'tunnel',
  'Data after `Connection: close`': 'closed',
};

const messageDifference = (message: Http1Message, logged: LoggedMessage): string | null => {
  if (message.body !== logged.body || message.isComplete !== logged.isComplete) return 'another body';
  return ours(message) === theirs(logged) ? null : `${ours(message)} in place of ${theirs(logged)}`;
};

/** How the codec reads a case differently from llhttp; null where it reads it the same. */
const readingDifference = ({ error, messages }: LlhttpCase, stream: Http1Stream): string | null => {
  const ending = error === null ? undefined : endings[error];
  const isRefused = error !== null && ending === undefined;
  if (stream.fault !== null && !isRefused) return `refused: ${stream.fault}`;
  if (stream.fault === null && error !== null && stream.over !== (ending ?? 'refused')) return `taken: ${error}`;
  for (let index = 0; index < Math.max(messages.length, stream.messages.length); index += 1) {
    const [message, logged] = [stream.messages[index], messages[index]];
    // How much of a message a parser reports before it refuses the message is its own choice.
    if (isRefused && !(logged?.isComplete && message?.isComplete)) continue;
    if (logged === undefined) return 'a message more';
    if (message === undefined) return stream.octetsBehind > 0 ? 'not read behind the last message' : 'a message less';
    const found = messageDifference(message, logged);
    if (found !== null) return found;
  }
  return null;
};

/** The codec has no leniencies: it may refuse whatever llhttp takes only because a leniency is on. */
const isIntended = (difference: string, testCase: LlhttpCase): boolean =>
  (testCase.isLenient && difference.startsWith('refused: ')) ||
  intendedDifferences.some(
    ({ what, applies }) => what === difference && applies(textOf(testCase.octets, 0, testCase.octets.length), testCase),
  );

/** What is wrong with how the codec reads a case; null: nothing. */
export const llhttpDifference = (testCase: LlhttpCase): string | null => {
  const { kind, octets } = testCase;
  const whole = readPieces(kind, [octets]);
  const pieces = readPieces(
    kind,
    Array.from(octets, (octet) => Uint8Array.of(octet)),
  );
  if (whole.ending !== pieces.ending || JSON.stringify(whole.messages) !== JSON.stringify(pieces.messages))
    return `octet by octet it ends with ${pieces.ending}, at once with ${whole.ending}, or reads other messages`;
  const difference = readingDifference(testCase, whole);
  return difference === null || isIntended(difference, testCase) ? null : difference;
};

/** Reads the cases of llhttp with the HTTP/1 codec, and compares the messages. */
export const runLlhttpCorpus = async (folder: string, tally: CaseTally): Promise<void> => {
  for (const testCase of llhttpCases(folder)) tally.count(testCase.name, llhttpDifference(testCase));
};
