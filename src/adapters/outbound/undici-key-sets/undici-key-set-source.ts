import { Socket } from 'node:net';
import { buildConnector, Client, type Dispatcher } from 'undici';
import type { Cancellation } from '../../../application/ports/cancellation.js';
import type { KeySetFailure, KeySetSource } from '../../../application/ports/key-set-source.js';
import type { JsonValue } from '../../../domain/shared/json.js';
import { ok, type Result } from '../../../domain/shared/result.js';
import { parseStrictJsonObject } from '../../../domain/tokens/strict-json.js';
import { keySetFailure, transportFailure } from './key-set-failures.js';
import { defaultKeySetLimits, type KeySetLimits } from './key-set-limits.js';

const statusOk = 200;

const readUrl = (text: string): URL | null => {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  return url.protocol === 'https:' || url.protocol === 'http:' ? url : null;
};

/** Why an answer is refused by its head alone; null where its body may be read. */
const refusalOfHead = ({ statusCode, headers }: Dispatcher.ResponseData, { bodyOctets }: KeySetLimits) => {
  if (statusCode >= 300 && statusCode < 400) {
    return keySetFailure('bad_status', `it answered with status ${statusCode}; redirects are not followed`);
  }
  if (statusCode !== statusOk) return keySetFailure('bad_status', `it answered with status ${statusCode}`);
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    return keySetFailure('malformed', 'the answer is compressed, which was not asked for');
  }
  const length = Number(headers['content-length'] ?? 0);
  return length > bodyOctets ? keySetFailure('too_large', `the answer is over ${bodyOctets} bytes`) : null;
};

const readJson = (octets: Buffer): Result<JsonValue, KeySetFailure> => {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(octets);
  } catch {
    return keySetFailure('malformed', 'the answer is not UTF-8');
  }
  const json = parseStrictJsonObject(text);
  return json === null ? keySetFailure('malformed', 'the answer is not a JSON object') : ok(json);
};

const readAnswer = async (
  answer: Dispatcher.ResponseData,
  limits: KeySetLimits,
): Promise<Result<JsonValue, KeySetFailure>> => {
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
    if (octets > limits.bodyOctets) return keySetFailure('too_large', `the answer is over ${limits.bodyOctets} bytes`);
    chunks.push(chunk);
  }
  return readJson(Buffer.concat(chunks, octets));
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
 * Fetches key sets with undici. Each fetch has a connection of its own, which ends with it: the next one is minutes away,
 * and a provider that hangs holds up no other. The answer is never decompressed, so its size is the size that came.
 */
export class UndiciKeySetSource implements KeySetSource {
  readonly #limits: KeySetLimits;

  constructor(limits: KeySetLimits = defaultKeySetLimits) {
    this.#limits = limits;
  }

  async fetch(url: string, cancellation: Cancellation): Promise<Result<JsonValue, KeySetFailure>> {
    const target = readUrl(url);
    if (target === null) return keySetFailure('unreachable', 'its address is no http or https URL');
    const { connectMs, answerMs, headOctets } = this.#limits;
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
        headers: { accept: 'application/jwk-set+json, application/json', 'accept-encoding': 'identity' },
        signal: givenUp.signal,
      });
      return await readAnswer(answer, this.#limits);
    } catch (error) {
      if (isLate) return keySetFailure('timed_out', `no whole answer within ${answerMs} ms`);
      if (givenUp.signal.aborted) return keySetFailure('cancelled', 'nobody wants it any more');
      return transportFailure(error, this.#limits);
    } finally {
      clearTimeout(timer);
      endListening();
      await client.destroy();
    }
  }
}
