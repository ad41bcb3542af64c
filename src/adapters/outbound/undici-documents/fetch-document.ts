import { Socket } from 'node:net';
import { buildConnector, Client, type Dispatcher, errors } from 'undici';
import type { KeySetFailure } from '../../../application/ports/agent/key-set-source.js';
import type { Cancellation } from '../../../application/ports/shared/cancellation.js';
import { type Err, ok, type Result } from '../../../domain/shared/result.js';
import { type DocumentLimits, type DocumentRequest, documentFailure } from './document-request.js';

/** Characters of a system's error code that a log line gets, at most. */
const codeLength = 64;

const codeOf = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code.slice(0, codeLength) : 'for a reason that is not known';
};

/** Puts what undici or the system reported into the words of the port. Its messages are left out: they may quote the answer. */
const transportFailure = (error: unknown, { connectMs, headOctets }: DocumentLimits): Err<KeySetFailure> => {
  if (error instanceof errors.ConnectTimeoutError) {
    return documentFailure('timed_out', `no connection within ${connectMs} ms`);
  }
  if (error instanceof errors.HeadersOverflowError) {
    return documentFailure('too_large', `the head of the answer is over ${headOctets} bytes`);
  }
  if (error instanceof errors.HTTPParserError || error instanceof errors.ResponseContentLengthMismatchError) {
    return documentFailure('malformed', 'the answer is not well-formed HTTP');
  }
  if (error instanceof errors.SocketError) {
    return documentFailure('unreachable', 'the connection ended before the answer did');
  }
  return documentFailure('unreachable', `the connection failed (${codeOf(error)})`);
};

const statusOk = 200;

const readUrl = (text: string): URL | null => {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  return url.protocol === 'https:' || url.protocol === 'http:' ? url : null;
};

/** Why an answer is refused by its head alone; null where its body may be read. */
const refusalOfHead = ({ statusCode, headers }: Dispatcher.ResponseData, { bodyOctets }: DocumentLimits) => {
  if (statusCode >= 300 && statusCode < 400) {
    return documentFailure('bad_status', `it answered with status ${statusCode}; redirects are not followed`);
  }
  if (statusCode !== statusOk) return documentFailure('bad_status', `it answered with status ${statusCode}`);
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    return documentFailure('malformed', 'the answer is compressed, which was not asked for');
  }
  const length = Number(headers['content-length'] ?? 0);
  return length > bodyOctets ? documentFailure('too_large', `the answer is over ${bodyOctets} bytes`) : null;
};

const readText = (octets: Buffer): Result<string, KeySetFailure> => {
  try {
    return ok(new TextDecoder('utf-8', { fatal: true }).decode(octets));
  } catch {
    return documentFailure('malformed', 'the answer is not UTF-8');
  }
};

const readAnswer = async (
  answer: Dispatcher.ResponseData,
  limits: DocumentLimits,
): Promise<Result<string, KeySetFailure>> => {
  const refused = refusalOfHead(answer, limits);
  if (refused !== null) {
    // Its error says no more than that nobody read it.
    answer.body.on('error', () => undefined).destroy();
    return refused;
  }
  const chunks: Buffer[] = [];
  let octets = 0;
  for await (const chunk of answer.body as AsyncIterable<Buffer>) {
    octets += chunk.length;
    if (octets > limits.bodyOctets)
      return documentFailure('too_large', `the answer is over ${limits.bodyOctets} bytes`);
    chunks.push(chunk);
  }
  return readText(Buffer.concat(chunks, octets));
};

/** Connects, and gives the socket up as soon as `signal` says so: undici leaves one that is only connecting to its time-out. */
const connectorUntil = (signal: AbortSignal, connectMs: number): buildConnector.connector => {
  const connect = buildConnector({ timeout: connectMs, allowH2: false, maxCachedSessions: 0 });
  return (options, callback) => {
    const socket: unknown = connect(options, callback);
    if (!(socket instanceof Socket)) return;
    signal.addEventListener('abort', () => socket.destroy(new Error('it was given up')), { once: true });
  };
};

/**
 * Fetches the text of a document; a byte order mark is left out. Each fetch has a connection of its own, which ends with it:
 * the next one is minutes away, and a provider that hangs holds up no other. The answer is never decompressed, so its size is
 * the size that came. Never rejects.
 */
export const fetchDocument = async (
  { url, accept }: DocumentRequest,
  limits: DocumentLimits,
  cancellation: Cancellation,
): Promise<Result<string, KeySetFailure>> => {
  const target = readUrl(url);
  if (target === null) return documentFailure('unreachable', 'its address is no http or https URL');
  const { connectMs, answerMs, headOctets } = limits;
  const givenUp = new AbortController();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    givenUp.abort();
  }, answerMs);
  const endListening = cancellation.onCancel(() => givenUp.abort());
  const client = new Client(target.origin, {
    connect: connectorUntil(givenUp.signal, connectMs),
    maxHeaderSize: headOctets,
    // The deadline of the whole answer covers each part of it.
    headersTimeout: 0,
    bodyTimeout: 0,
    pipelining: 0,
  });
  try {
    const answer = await client.request({
      method: 'GET',
      path: target.pathname + target.search,
      headers: { accept, 'accept-encoding': 'identity' },
      signal: givenUp.signal,
    });
    return await readAnswer(answer, limits);
  } catch (error) {
    if (isLate) return documentFailure('timed_out', `no whole answer within ${answerMs} ms`);
    if (givenUp.signal.aborted) return documentFailure('cancelled', 'nobody wants it any more');
    return transportFailure(error, limits);
  } finally {
    clearTimeout(timer);
    endListening();
    await client.destroy();
  }
};
