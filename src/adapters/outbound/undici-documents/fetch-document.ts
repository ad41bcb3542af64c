import { Socket } from 'node:net';
import { buildConnector, Client, type Dispatcher, errors } from 'undici';
import type { KeySetFailure } from '../../../application/ports/agent/key-set-source.js';
import type { Cancellation } from '../../../application/ports/shared/cancellation.js';
import { type Err, ok, type Result } from '../../../domain/shared/result.js';
import {
  type CalledEndpoint,
  type DocumentLimits,
  type DocumentRequest,
  documentFailure,
  type EndpointCall,
} from './document-request.js';

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

/** Why the status refuses a document; null: it is 200. */
const statusFailure = (status: number): Err<KeySetFailure> | null => {
  if (status >= 300 && status < 400) {
    return documentFailure('bad_status', `it answered with status ${status}; redirects are not followed`);
  }
  return status === statusOk ? null : documentFailure('bad_status', `it answered with status ${status}`);
};

/** Why the head refuses a response; null: its body may be read. */
const headFailure = ({ headers }: Dispatcher.ResponseData, { bodyOctets }: DocumentLimits) => {
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

const readBody = async (
  answer: Dispatcher.ResponseData,
  refusal: Err<KeySetFailure> | null,
  limits: DocumentLimits,
): Promise<Result<string, KeySetFailure>> => {
  const refused = refusal ?? headFailure(answer, limits);
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

const headersOf = ({ accept, authorization, form }: EndpointCall): Record<string, string> => ({
  accept,
  'accept-encoding': 'identity',
  ...(authorization !== null && { authorization }),
  ...(form !== null && { 'content-type': 'application/x-www-form-urlencoded' }),
});

/**
 * Sends one request over a connection that it opens and closes. It never decompresses the response, so the limit bounds
 * the octets received. Never rejects.
 */
const exchange = async <Answer>(
  call: EndpointCall,
  limits: DocumentLimits,
  cancellation: Cancellation,
  read: (answer: Dispatcher.ResponseData) => Promise<Result<Answer, KeySetFailure>>,
): Promise<Result<Answer, KeySetFailure>> => {
  const target = readUrl(call.url);
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
      method: call.form === null ? 'GET' : 'POST',
      path: target.pathname + target.search,
      headers: headersOf(call),
      body: call.form,
      signal: abort.signal,
    });
    return await read(answer);
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

/**
 * Fetches the text of a document, without a byte order mark. Each fetch opens and closes its own connection: the next
 * fetch is minutes away, and a provider that hangs delays no other. Never rejects.
 */
export const fetchDocument = (
  request: DocumentRequest,
  limits: DocumentLimits,
  cancellation: Cancellation,
): Promise<Result<string, KeySetFailure>> =>
  exchange({ ...request, authorization: null, form: null }, limits, cancellation, (answer) =>
    readBody(answer, statusFailure(answer.statusCode), limits),
  );

/** Calls an endpoint and returns its response, whatever the status; a redirect is not followed. Never rejects. */
export const callEndpoint = (
  call: EndpointCall,
  limits: DocumentLimits,
  cancellation: Cancellation,
): Promise<Result<CalledEndpoint, KeySetFailure>> =>
  exchange(call, limits, cancellation, async (answer) => {
    const body = await readBody(answer, null, limits);
    if (!body.ok) return body;
    const type = answer.headers['content-type'];
    return ok({ status: answer.statusCode, contentType: typeof type === 'string' ? type : null, body: body.value });
  });
