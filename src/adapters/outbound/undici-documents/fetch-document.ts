import { Socket } from 'node:net';
import { buildConnector, Client, type Dispatcher, errors, Pool } from 'undici';
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

/** The timer of a call covers head and body. */
const noTimeouts = { headersTimeout: 0, bodyTimeout: 0 } as const;

/** Sends a request and reads the response. `signal` ends it. */
type Transport = <Answer>(
  origin: string,
  request: Omit<Dispatcher.RequestOptions, 'origin' | 'signal'>,
  signal: AbortSignal,
  read: (answer: Dispatcher.ResponseData) => Promise<Answer>,
) => Promise<Answer>;

/** Opens a connection for each request, and closes it. */
const singleUseConnection =
  ({ connectMs, headOctets }: DocumentLimits): Transport =>
  async (origin, request, signal, read) => {
    const connect = abortableConnector(signal, connectMs);
    const client = new Client(origin, { ...noTimeouts, connect, maxHeaderSize: headOctets, pipelining: 0 });
    try {
      return await read(await client.request({ ...request, signal }));
    } finally {
      await client.destroy();
    }
  };

/**
 * Sends one request. It never decompresses the response, so the limit bounds the octets received. Never rejects.
 */
const exchange = async <Answer>(
  call: EndpointCall,
  limits: DocumentLimits,
  cancellation: Cancellation,
  read: (answer: Dispatcher.ResponseData) => Promise<Result<Answer, KeySetFailure>>,
  send: Transport = singleUseConnection(limits),
): Promise<Result<Answer, KeySetFailure>> => {
  const target = readUrl(call.url);
  if (target === null) return documentFailure('unreachable', 'its address is not an http or https URL');
  const { answerMs } = limits;
  const abort = new AbortController();
  let hasTimedOut = false;
  const timer = setTimeout(() => {
    hasTimedOut = true;
    abort.abort();
  }, answerMs);
  const removeListener = cancellation.onCancel(() => abort.abort());
  try {
    const request = {
      method: call.form === null ? 'GET' : 'POST',
      path: target.pathname + target.search,
      headers: headersOf(call),
      body: call.form,
    } as const;
    return await send(target.origin, request, abort.signal, read);
  } catch (error) {
    if (hasTimedOut) return documentFailure('timed_out', `no complete answer within ${answerMs} ms`);
    if (abort.signal.aborted) return documentFailure('cancelled', 'the fetch was cancelled');
    return transportFailure(error, limits);
  } finally {
    clearTimeout(timer);
    removeListener();
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

const readEndpoint =
  (limits: DocumentLimits) =>
  async (answer: Dispatcher.ResponseData): Promise<Result<CalledEndpoint, KeySetFailure>> => {
    const body = await readBody(answer, null, limits);
    if (!body.ok) return body;
    const type = answer.headers['content-type'];
    return ok({ status: answer.statusCode, contentType: typeof type === 'string' ? type : null, body: body.value });
  };

/** Calls an endpoint and returns its response, whatever the status; a redirect is not followed. Never rejects. */
export const callEndpoint = (
  call: EndpointCall,
  limits: DocumentLimits,
  cancellation: Cancellation,
): Promise<Result<CalledEndpoint, KeySetFailure>> => exchange(call, limits, cancellation, readEndpoint(limits));

/** Maximum connections to one origin. */
const maximumConnections = 64;
/** Maximum origins; a reload can name another one. */
const maximumOrigins = 16;
/** How long an idle connection stays open, if the server names no shorter time; milliseconds. */
const idleMs = 10_000;

/** Whether a reused connection failed: the server may have closed it while it was idle. */
const isStaleConnectionError = (error: unknown): boolean =>
  error instanceof errors.SocketError && (error.socket?.bytesRead ?? 0) > 0;

/** Calls endpoints over connections that stay open between calls. An idle connection does not keep a program alive. */
export class KeepAliveConnections {
  readonly #limits: DocumentLimits;
  /** By origin, the oldest first. */
  readonly #pools = new Map<string, Pool>();

  constructor(limits: DocumentLimits) {
    this.#limits = limits;
  }

  /** Like `callEndpoint`. Retries a call once, on a new connection, if the reused one failed. */
  call(call: EndpointCall, cancellation: Cancellation): Promise<Result<CalledEndpoint, KeySetFailure>> {
    const send: Transport = async (origin, request, signal, read) => {
      try {
        return await read(await this.#poolOf(origin).request({ ...request, signal }));
      } catch (error) {
        if (!isStaleConnectionError(error) || signal.aborted) throw error;
        return await singleUseConnection(this.#limits)(origin, request, signal, read);
      }
    };
    return exchange(call, this.#limits, cancellation, readEndpoint(this.#limits), send);
  }

  #poolOf(origin: string): Pool {
    const known = this.#pools.get(origin);
    if (known !== undefined) return known;
    const { connectMs, headOctets } = this.#limits;
    const pool = new Pool(origin, {
      ...noTimeouts,
      connect: buildConnector({ timeout: connectMs, allowH2: false, maxCachedSessions: 0 }),
      maxHeaderSize: headOctets,
      connections: maximumConnections,
      pipelining: 1,
      keepAliveTimeout: idleMs,
      keepAliveMaxTimeout: idleMs,
    });
    this.#pools.set(origin, pool);
    const [oldest] = this.#pools.keys();
    if (this.#pools.size > maximumOrigins && oldest !== undefined) {
      void this.#pools.get(oldest)?.close();
      this.#pools.delete(oldest);
    }
    return pool;
  }
}
