import { Socket } from 'node:net';
import { buildConnector, Client, type Dispatcher, errors } from 'undici';
import type { KeySetFailure } from '../../../application/ports/agent/key-set-source.js';
import type { Cancellation } from '../../../application/ports/shared/cancellation.js';
import { type Err, ok, type Result } from '../../../domain/shared/result.js';
import { type DocumentLimits, type DocumentRequest, documentFailure } from './document-request.js';

/** Characters of a system error code that a log line may contain. */
const maxCodeLength = 64;

const errorCode = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code.slice(0, maxCodeLength) : 'no error code';
};

/**
 * Maps an error of undici or the system to a failure of the port. Omits the error's message: it may quote the
 * response.
 */
const transportFailure = (error: unknown, { connectMs, headOctets }: DocumentLimits): Err<KeySetFailure> => {
  if (error instanceof errors.ConnectTimeoutError) {
    return documentFailure('timed_out', `no connection within ${connectMs} ms`);
  }
  if (error instanceof errors.HeadersOverflowError) {
    return documentFailure('too_large', `the head of the answer is over ${headOctets} bytes`);
  }
  if (error instanceof errors.HTTPParserError || error instanceof errors.ResponseContentLengthMismatchError) {
    return documentFailure('malformed', 'the answer is malformed HTTP');
  }
  if (error instanceof errors.SocketError) {
    return documentFailure('unreachable', 'the connection ended before the answer did');
  }
  return documentFailure('unreachable', `the connection failed (${errorCode(error)})`);
};

const statusOk = 200;

const readUrl = (text: string): URL | null => {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  return url.protocol === 'https:' || url.protocol === 'http:' ? url : null;
};

/** Why the head refuses a response; null: its body may be read. */
const headFailure = ({ statusCode, headers }: Dispatcher.ResponseData, { bodyOctets }: DocumentLimits) => {
  if (statusCode >= 300 && statusCode < 400) {
    return documentFailure('bad_status', `it answered with status ${statusCode}; redirects are not followed`);
  }
  if (statusCode !== statusOk) return documentFailure('bad_status', `it answered with status ${statusCode}`);
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    return documentFailure('malformed', 'the answer is compressed although the request accepts identity only');
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

const readResponse = async (
  answer: Dispatcher.ResponseData,
  limits: DocumentLimits,
): Promise<Result<string, KeySetFailure>> => {
  const refused = headFailure(answer, limits);
  if (refused !== null) {
    // Destroying an unread body emits an error without further meaning.
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

/** Destroys the socket when `signal` aborts. By itself, undici leaves a connecting socket to its timeout. */
const abortableConnector = (signal: AbortSignal, connectMs: number): buildConnector.connector => {
  const connect = buildConnector({ timeout: connectMs, allowH2: false, maxCachedSessions: 0 });
  return (options, callback) => {
    const socket: unknown = connect(options, callback);
    if (!(socket instanceof Socket)) return;
    signal.addEventListener('abort', () => socket.destroy(new Error('the fetch was aborted')), { once: true });
  };
};

/**
 * Fetches the text of a document, without a byte order mark. Each fetch opens and closes its own connection: the next
 * fetch is minutes away, and a provider that hangs delays no other. It never decompresses the response, so the limit
 * bounds the octets received. Never rejects.
 */
export const fetchDocument = async (
  { url, accept }: DocumentRequest,
  limits: DocumentLimits,
  cancellation: Cancellation,
): Promise<Result<string, KeySetFailure>> => {
  const target = readUrl(url);
  if (target === null) return documentFailure('unreachable', 'its address is not an http or https URL');
  const { connectMs, answerMs, headOctets } = limits;
  const abort = new AbortController();
  let hasTimedOut = false;
  const timer = setTimeout(() => {
    hasTimedOut = true;
    abort.abort();
  }, answerMs);
  const removeListener = cancellation.onCancel(() => abort.abort());
  const client = new Client(target.origin, {
    connect: abortableConnector(abort.signal, connectMs),
    maxHeaderSize: headOctets,
    // The timer above covers head and body.
    headersTimeout: 0,
    bodyTimeout: 0,
    pipelining: 0,
  });
  try {
    const answer = await client.request({
      method: 'GET',
      path: target.pathname + target.search,
      headers: { accept, 'accept-encoding': 'identity' },
      signal: abort.signal,
    });
    return await readResponse(answer, limits);
  } catch (error) {
    if (hasTimedOut) return documentFailure('timed_out', `no complete answer within ${answerMs} ms`);
    if (abort.signal.aborted) return documentFailure('cancelled', 'the fetch was cancelled');
    return transportFailure(error, limits);
  } finally {
    clearTimeout(timer);
    removeListener();
    await client.destroy();
  }
};
