import type { HeaderOperation } from '../../../domain/agent-protocol/messages.js';
import { parseContentLength } from '../../../domain/gateway/limits/request-limits.js';
import type { CompressionCoding } from '../../../domain/gateway/route-transforms/accepted-coding.js';
import {
  compressedHead,
  headOfCompressed,
  trailersOfCompressed,
  varyingByEncoding,
} from '../../../domain/gateway/route-transforms/compressed-head.js';
import {
  type CompressionRules,
  decideCompression,
} from '../../../domain/gateway/route-transforms/compression-rules.js';
import { canonicalName } from '../../../domain/http/canonical-name.js';
import { allHeaders, type HeaderList } from '../../../domain/http/header-list.js';
import type { BodyCompressor } from '../../ports/gateway/body-compressor.js';
import type { BodySource } from '../../ports/gateway/body-source.js';
import type { CompressionMetrics } from '../../ports/gateway/gateway-metrics.js';
import type { UpstreamResponse } from '../../ports/gateway/upstream-client.js';
import type { MaybePromise } from '../../ports/shared/maybe-promise.js';
import type { Scheduler } from '../../ports/shared/scheduler.js';
import type { ResponseFault } from './attempt-end.js';
import { ChunkBuffer, PrefixedBody } from './buffered-body.js';
import type { ExchangeView } from './exchange.js';
import { type RelayingExchange, relayFault, relayResponse, withResponseOperations } from './relay-response.js';

/** Largest body that is compressed at once, in octets. Longer ones are compressed while they are relayed. */
export const maxWholeOctets = 32_768;

/** How long a response waits for the rest of a body that may be compressed at once, in milliseconds. */
const holdMs = 10;

export interface CompressionServices {
  readonly compressor: BodyCompressor;
  readonly scheduler: Scheduler;
  readonly metrics: CompressionMetrics;
}

/** Fields that compression writes. An agent that sets one of them decides about the response itself. */
const written: ReadonlySet<string> = new Set(['content-encoding', 'content-length', 'etag', 'vary']);

const interferes = (operations: readonly HeaderOperation[]): boolean =>
  operations.some(({ kind, name }) => {
    const canonical = canonicalName(name);
    return written.has(canonical) && !(canonical === 'vary' && kind === 'add');
  });

/** A body that is available in one piece. */
class WholeBody implements BodySource {
  readonly declaredLength: number | null;
  readonly #trailers: HeaderList;
  #octets: Uint8Array | null;

  constructor(octets: Uint8Array, trailers: HeaderList) {
    // A body with trailers is chunked.
    this.declaredLength = trailers.length === 0 ? octets.length : null;
    this.#octets = octets.length === 0 ? null : octets;
    this.#trailers = trailers;
  }

  read(): Uint8Array | null {
    const octets = this.#octets;
    this.#octets = null;
    return octets;
  }

  trailers(): HeaderList {
    return this.#trailers;
  }

  cancel(): void {
    this.#octets = null;
  }
}

/** A body of which one read is under way. */
const resumedBody = (body: BodySource, pending: Promise<Uint8Array | null>): BodySource => {
  let first: Promise<Uint8Array | null> | null = pending;
  return {
    declaredLength: body.declaredLength,
    read: () => {
      const next = first ?? body.read();
      first = null;
      return next;
    },
    reuse: (piece) => body.reuse?.(piece),
    trailers: () => body.trailers(),
    cancel: () => body.cancel(),
  };
};

/** A body whose trailers hold no digests of what was compressed. */
const withoutDigests = (body: BodySource): BodySource => ({
  declaredLength: body.declaredLength,
  read: () => body.read(),
  trailers: () => trailersOfCompressed(body.trailers()),
  cancel: () => body.cancel(),
});

const late = Symbol('late');

/** Compresses the responses of a route by its rules. */
export class ResponseCompressor {
  readonly #rules: CompressionRules;
  readonly #services: CompressionServices;

  constructor(rules: CompressionRules, services: CompressionServices) {
    this.#rules = rules;
    this.#services = services;
  }

  /**
   * The response for the client. A promise only if the rest of a short body is awaited, for 10 ms at most. Throws or
   * rejects with a BodyReadError if the body is truncated or malformed.
   */
  compress(exchange: ExchangeView<'agents' | 'request'>, response: UpstreamResponse): MaybePromise<UpstreamResponse> {
    const { status, headers, body, tunnel } = response;
    const { responseOperations } = exchange.agents;
    if (tunnel !== null || interferes(responseOperations)) return response;
    const shown = responseOperations.length === 0 ? headers : withResponseOperations(headers, responseOperations);
    const octets = body === null ? declaredOctets(headers) : body.declaredLength;
    const decision = decideCompression(this.#rules, exchange.request, { status, headers: shown }, octets);
    switch (decision.kind) {
      case 'pass':
        return response;
      case 'vary':
        return changed(response, varyingByEncoding(headers), body);
      case 'head':
        return changed(response, headOfCompressed(headers), body);
      case 'compress':
        return body === null ? response : this.#compress(response, decision.coding, body);
    }
  }

  #compress(response: UpstreamResponse, coding: CompressionCoding, body: BodySource): MaybePromise<UpstreamResponse> {
    if (response.isBodyLate || (body.declaredLength ?? 0) > maxWholeOctets) return this.#stream(response, coding, body);
    const kept = new ChunkBuffer();
    for (let piece = body.read(); piece !== null; piece = body.read()) {
      if (piece instanceof Promise) return this.#await(response, coding, body, kept, piece);
      kept.add(piece);
      if (kept.octets > maxWholeOctets) return this.#stream(response, coding, prefixed(kept, body));
    }
    return this.#whole(response, coding, kept, body);
  }

  /** Waits for the rest of the body. */
  async #await(
    response: UpstreamResponse,
    coding: CompressionCoding,
    body: BodySource,
    kept: ChunkBuffer,
    first: Promise<Uint8Array | null>,
  ): Promise<UpstreamResponse> {
    let wake: (value: typeof late) => void = () => undefined;
    const deadline = new Promise<typeof late>((resolve) => {
      wake = resolve;
    });
    const timer = this.#services.scheduler.after(holdMs, () => wake(late));
    try {
      let pending = first;
      for (;;) {
        const piece = await Promise.race([pending, deadline]);
        if (piece === late) return this.#stream(response, coding, prefixed(kept, resumedBody(body, pending)));
        if (piece === null) return this.#whole(response, coding, kept, body);
        kept.add(piece);
        if (kept.octets > maxWholeOctets) return this.#stream(response, coding, prefixed(kept, body));
        pending = Promise.resolve(body.read());
      }
    } finally {
      timer.cancel();
    }
  }

  #whole(
    response: UpstreamResponse,
    coding: CompressionCoding,
    kept: ChunkBuffer,
    ended: BodySource,
  ): UpstreamResponse {
    const { headers } = response;
    const octets = kept.joined();
    if (octets.length < this.#rules.minOctets || octets.length === 0) {
      return changed(response, varyingByEncoding(headers), new WholeBody(octets, ended.trailers()));
    }
    const { compressor, metrics } = this.#services;
    const coded = new WholeBody(compressor.compressWhole(octets, coding), trailersOfCompressed(ended.trailers()));
    metrics.compressed(coding);
    return changed(response, compressedHead(headers, coding, coded.declaredLength), coded);
  }

  #stream(response: UpstreamResponse, coding: CompressionCoding, body: BodySource): UpstreamResponse {
    const { compressor, metrics } = this.#services;
    const { headers } = response;
    const coded = compressor.compress(body, coding);
    if (coded === null) {
      metrics.compressionSkipped();
      return changed(response, varyingByEncoding(headers), body);
    }
    metrics.compressed(coding);
    return changed(response, compressedHead(headers, coding, null), withoutDigests(coded));
  }
}

/** The Content-Length of a response without a body; null if it is absent or invalid. */
const declaredOctets = (headers: HeaderList): number | null => {
  const declared = parseContentLength(allHeaders(headers, 'content-length'));
  return declared.ok ? declared.value : null;
};

const prefixed = (kept: ChunkBuffer, rest: BodySource): BodySource =>
  kept.octets === 0 ? rest : new PrefixedBody(kept.pieces(), rest, rest.declaredLength);

/** The response with another head. Its received head no longer describes it. */
const changed = (
  { status, isBodyLate, tunnel }: UpstreamResponse,
  headers: HeaderList,
  body: BodySource | null,
): UpstreamResponse => ({ status, headers, received: null, body, isBodyLate, tunnel });

/** Relays a response as `relayResponse` does, compressed if the rules require that. */
export const compressAndRelay = (
  exchange: RelayingExchange,
  response: UpstreamResponse,
  compressor: ResponseCompressor | null,
): MaybePromise<ResponseFault | null> => {
  if (compressor === null || exchange.abandoned) return relayResponse(exchange, response);
  let compressed: MaybePromise<UpstreamResponse>;
  try {
    compressed = compressor.compress(exchange, response);
  } catch (error) {
    return relayFault(exchange, error);
  }
  if (!(compressed instanceof Promise)) return relayAndRelease(exchange, compressed);
  return compressed.then(
    (later) => relayAndRelease(exchange, later),
    (error: unknown) => relayFault(exchange, error),
  );
};

/** Relays a response. If it does not end, gives up its body, which may hold a place of the compressor. */
const relayAndRelease = (
  exchange: RelayingExchange,
  response: UpstreamResponse,
): MaybePromise<ResponseFault | null> => {
  const release = (): void => response.body?.cancel();
  const settled = (fault: ResponseFault | null): ResponseFault | null => {
    if (fault !== null || exchange.abandoned) release();
    return fault;
  };
  const failed = (error: unknown): never => {
    release();
    throw error;
  };
  try {
    const relayed = relayResponse(exchange, response);
    return relayed instanceof Promise ? relayed.then(settled, failed) : settled(relayed);
  } catch (error) {
    return failed(error);
  }
};
