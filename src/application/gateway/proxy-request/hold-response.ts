import { firstHeader, type HeaderList } from '../../../domain/http/header-list.js';
import type { UpstreamResponse } from '../../ports/gateway/upstream-client.js';
import { type ResponseFault, responseFaultOf } from './attempt-end.js';
import { BufferedBody, PrefixedBody, readAhead } from './buffered-body.js';
import type { ExchangeView } from './exchange.js';
import type { JudgedExchange } from './judge-response.js';
import { type RelayingExchange, relayResponse, withBody } from './relay-response.js';
import type { SendingRules } from './sending-rules.js';

/** A buffered response. `isWhole`: the upstream has sent all of it. */
export type HeldResponse =
  | { readonly kind: 'relay'; readonly response: UpstreamResponse; readonly isWhole: boolean }
  | { readonly kind: 'broken'; readonly fault: ResponseFault };

/** Events are relayed when they happen (WHATWG HTML, section 9.2). */
const isEventStream = (headers: HeaderList): boolean => {
  const type = firstHeader(headers, 'content-type') ?? '';
  return (type.split(';', 1)[0] as string).trim().toLowerCase() === 'text/event-stream';
};

/** The header by which an upstream turns buffering off, as in nginx. */
const isUnbuffered = (headers: HeaderList): boolean =>
  firstHeader(headers, 'x-accel-buffering')?.toLowerCase() === 'no';

const mayBeHeld = ({ headers, body }: UpstreamResponse, maxOctets: number): boolean =>
  (body?.declaredLength ?? 0) <= maxOctets && !isEventStream(headers) && !isUnbuffered(headers);

/**
 * Reads a response to its end before it is relayed. One of more than `maxOctets` is relayed as soon as that is known.
 * An event stream, and a response whose upstream turns buffering off, are not held.
 */
export const holdResponse = async (
  exchange: ExchangeView<'request'>,
  response: UpstreamResponse,
  maxOctets: number,
): Promise<HeldResponse> => {
  const { body } = response;
  if (body === null || !mayBeHeld(response, maxOctets)) return { kind: 'relay', response, isWhole: body === null };
  const upload = exchange.request.body;
  upload?.lookAhead(true);
  try {
    const { kept, hasEnded } = await readAhead(body, maxOctets);
    const held = hasEnded
      ? new BufferedBody(kept, body.trailers(), body.declaredLength)
      : new PrefixedBody(kept.pieces(), body, body.declaredLength);
    return { kind: 'relay', response: withBody(response, held, false), isWhole: hasEnded };
  } catch (error) {
    return { kind: 'broken', fault: responseFaultOf(error) };
  } finally {
    upload?.lookAhead(false);
  }
};

/** The attempt whose response is held. */
export interface HeldAttempt {
  cancel(): void;
  /** The upstream is done with the request. */
  ended(): void;
}

/**
 * Relays a response after the agents of the route have judged it and after it was held, where the rules ask for that.
 * The result is why the client did not get all of it; null: it did.
 */
export const relayHeldResponse = async (
  exchange: RelayingExchange & JudgedExchange,
  response: UpstreamResponse,
  { responseJudge, heldResponseOctets }: Pick<SendingRules, 'responseJudge' | 'heldResponseOctets'>,
  attempt: HeldAttempt,
): Promise<ResponseFault | null> => {
  let judgedResponse = response;
  if (responseJudge !== null) {
    const judged = await responseJudge.judge(exchange, response, () => attempt.cancel());
    if (judged.kind === 'ended') return judged.fault;
    judgedResponse = judged.response;
  }
  if (heldResponseOctets === null) return relayResponse(exchange, judgedResponse);
  const held = await holdResponse(exchange, judgedResponse, heldResponseOctets);
  if (held.kind === 'broken') return held.fault;
  if (held.isWhole) attempt.ended();
  return relayResponse(exchange, held.response);
};
