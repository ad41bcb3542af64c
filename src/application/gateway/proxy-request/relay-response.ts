import { applyHeaderOperations, maxHeaderOperations } from '../../../domain/agent-protocol/header-operations.js';
import type { HeaderOperation } from '../../../domain/agent-protocol/messages.js';
import { corsPrefix } from '../../../domain/gateway/route-transforms/cors-policy.js';
import { canonicalName } from '../../../domain/http/canonical-name.js';
import { withoutHopByHop } from '../../../domain/http/field-traits.js';
import { type HeaderList, withoutHeader } from '../../../domain/http/header-list.js';
import { alwaysOwned, isOwned, ownedHeaders } from '../../../domain/http/owned-headers.js';
import {
  interimOctets,
  isForClient,
  maxInterimOctets,
  type OwnResponseFields,
  ownFields,
  passableInterim,
  passUnchanged,
  returnableFields,
  withOwnFields,
} from '../../../domain/http/returnable-fields.js';
import { passableTrailers } from '../../../domain/http/trailer-fields.js';
import { CompressionError } from '../../ports/gateway/body-compressor.js';
import type { BodySource } from '../../ports/gateway/body-source.js';
import type { UpstreamResponse } from '../../ports/gateway/upstream-client.js';
import type { MaybePromise } from '../../ports/shared/maybe-promise.js';
import { type ResponseFault, responseFaultOf } from './attempt-end.js';
import type { AnswerableExchange, ExchangeView } from './exchange.js';
import { withResponseRules } from './send-own.js';

/** The parts of an exchange that relaying its response needs. */
export type RelayingExchange = OwnResponseFields & AnswerableExchange & ExchangeView<'agents'>;

const nothing = new Uint8Array(0);

/** The trailers for the client, without names that an agent or the gateway controls. */
const clientTrailers = (exchange: ExchangeView<'agents' | 'route'>, trailers: HeaderList): HeaderList =>
  trailers.length === 0 ? trailers : passableTrailers(trailers, settledFields(exchange));

/** The response head for the client, without hop-by-hop fields. */
export const relayedHead = (
  exchange: OwnResponseFields & ExchangeView<'agents'>,
  status: number,
  headers: HeaderList,
): HeaderList => {
  const { responseOperations } = exchange.agents;
  if (responseOperations.length === 0) return returnableFields(headers, status, exchange);
  // RFC 9110, section 8.6: a 204 has no Content-Length, even if the upstream sends one.
  const sound = status === 204 ? withoutHeader(headers, 'content-length') : headers;
  return withOwnFields(withResponseOperations(withoutHopByHop(sound), responseOperations), exchange);
};

/** Sends the response head. Passes the received head through if no field changes. */
const begin = (exchange: RelayingExchange, upstream: UpstreamResponse): void => {
  const { response, close } = exchange;
  const { status, received } = upstream;
  if (
    received !== null &&
    exchange.responseRules.length === 0 &&
    exchange.agents.responseOperations.length === 0 &&
    passUnchanged(received.passedTraits, status, exchange) &&
    response.passOn?.(status, received, ownFields(exchange), close) === true
  ) {
    return;
  }
  const head = relayedHead(exchange, status, upstream.headers);
  response.begin(status, withResponseRules(exchange, head, 'upstream'), close, received);
};

const end = (exchange: RelayingExchange, body: BodySource): null => {
  exchange.response.end(clientTrailers(exchange, body.trailers()));
  return null;
};

/** The fault of a body that cannot be read; null: the client is gone. Throws an error of the gateway itself. */
export const relayFault = (exchange: ExchangeView<'abandoned'>, error: unknown): ResponseFault | null => {
  if (exchange.abandoned) return null;
  if (error instanceof CompressionError) throw error;
  return responseFaultOf(error);
};

/** Relays the rest of a body once the upstream or the client is slow. */
const relayLater = async (
  exchange: RelayingExchange,
  body: BodySource,
  first: Promise<Uint8Array | null>,
): Promise<ResponseFault | null> => {
  try {
    for (let piece = await first; piece !== null; piece = await body.read()) {
      if (exchange.abandoned) {
        body.cancel();
        return null;
      }
      const writable = exchange.response.write(piece, body);
      if (writable !== undefined) await writable;
    }
  } catch (error) {
    return relayFault(exchange, error);
  }
  return end(exchange, body);
};

/** Relays the octets that are available. Returns no promise if they are the whole body. */
const relayBody = (exchange: RelayingExchange, body: BodySource): MaybePromise<ResponseFault | null> => {
  try {
    const text = body.readText?.() ?? null;
    const written = text === null ? undefined : exchange.response.writeText(text);
    if (written !== undefined) {
      return relayLater(
        exchange,
        body,
        written.then(() => body.read()),
      );
    }
    for (let piece = body.read(); piece !== null; piece = body.read()) {
      if (piece instanceof Promise) return relayLater(exchange, body, piece);
      if (exchange.abandoned) {
        body.cancel();
        return null;
      }
      const writable = exchange.response.write(piece, body);
      if (writable !== undefined) {
        return relayLater(
          exchange,
          body,
          writable.then(() => body.read()),
        );
      }
    }
  } catch (error) {
    return relayFault(exchange, error);
  }
  return end(exchange, body);
};

/**
 * Relays a response piece by piece, at the speed of the slower side. Returns the fault that the client must learn of;
 * null: the response is complete, or the client is gone.
 */
export const relayResponse = (
  exchange: RelayingExchange,
  upstream: UpstreamResponse,
): MaybePromise<ResponseFault | null> => {
  const { response } = exchange;
  const { body } = upstream;
  if (exchange.abandoned) {
    body?.cancel();
    return null;
  }
  exchange.outcome.status = upstream.status;
  begin(exchange, upstream);
  if (body === null) {
    response.end([]);
    return null;
  }
  if (!upstream.isBodyLate) return relayBody(exchange, body);
  // An empty piece flushes the head.
  const writable = response.write(nothing);
  return relayLater(
    exchange,
    body,
    Promise.resolve(writable).then(() => body.read()),
  );
};

/**
 * Relays an interim response to a client that understands it (RFC 9110, section 15.2).
 *
 * @param spentOctets octets of earlier interim responses; after `maxInterimOctets` none is relayed
 * @returns the octets of all interim responses that were relayed
 */
export const relayInterim = (
  exchange: ExchangeView<'abandoned' | 'agents' | 'request' | 'response' | 'route'>,
  status: number,
  headers: HeaderList,
  spentOctets: number,
): number => {
  const { request, response } = exchange;
  if (exchange.abandoned || request.httpVersion === '1.0' || !isForClient(status)) return spentOctets;
  const octets = spentOctets + interimOctets(headers);
  if (octets > maxInterimOctets) return spentOctets;
  response.inform(status, passableInterim(headers, settledFields(exchange)));
  return octets;
};

/** Applies the operations of all agents to a response head. Their number may exceed the limit for one answer. */
export const withResponseOperations = (headers: HeaderList, operations: readonly HeaderOperation[]): HeaderList => {
  let fields = headers;
  for (let from = 0; from < operations.length; from += maxHeaderOperations) {
    const applied = applyHeaderOperations(fields, operations.slice(from, from + maxHeaderOperations));
    // INVARIANT: each operation was validated when its answer arrived.
    if (applied.ok) fields = applied.value;
  }
  return fields;
};

const identity = ownedHeaders(alwaysOwned);

/**
 * Returns a check of a canonical name: true if the upstream must not set it in trailers or interim responses, because
 * an agent or a header rule has set or removed it in the head, `cors` decides about it, or the gateway owns it.
 */
export const settledFields = ({
  agents: { responseOperations },
  route,
}: ExchangeView<'agents' | 'route'>): ((canonical: string) => boolean) => {
  const operated = new Set(responseOperations.map(({ name }) => canonicalName(name)));
  const replaced = route?.replacedResponseHeaders;
  const hasCors = (route?.configuration.policies.cors ?? null) !== null;
  return (canonical) =>
    operated.has(canonical) ||
    replaced?.has(canonical) === true ||
    (hasCors && canonical.startsWith(corsPrefix)) ||
    isOwned(identity, canonical);
};

/** The response with another body. */
export const withBody = (
  { status, headers, received, tunnel }: UpstreamResponse,
  body: BodySource | null,
  isBodyLate: boolean,
): UpstreamResponse => ({ status, headers, received, body, isBodyLate, tunnel });
