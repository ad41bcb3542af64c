import { isEventStream } from '../../../domain/http/event-stream.js';
import { firstHeader, type HeaderList } from '../../../domain/http/header-list.js';
import type { UpstreamResponse } from '../../ports/gateway/upstream-client.js';
import { type ResponseFault, responseFaultOf } from './attempt-end.js';
import { BufferedBody, PrefixedBody, readAhead } from './buffered-body.js';
import { compressAndRelay } from './compress-response.js';
import type { ExchangeView } from './exchange.js';
import type { ForwardingRules } from './forwarding-rules.js';
import type { InspectedExchange } from './inspect-response.js';
import { type RelayingExchange, withBody } from './relay-response.js';

/** The result of buffering. `isWhole`: the upstream has sent the complete response. */
export type BufferedResponse =
  | { readonly kind: 'relay'; readonly response: UpstreamResponse; readonly isWhole: boolean }
  | { readonly kind: 'broken'; readonly fault: ResponseFault };

/** Whether the upstream turns buffering off by header, as with nginx. */
const isUnbuffered = (headers: HeaderList): boolean =>
  firstHeader(headers, 'x-accel-buffering')?.toLowerCase() === 'no';

const mayBeBuffered = ({ headers, body }: UpstreamResponse, maxOctets: number): boolean =>
  (body?.declaredLength ?? 0) <= maxOctets && !isEventStream(headers) && !isUnbuffered(headers);

/**
 * Reads a response completely before it is relayed. Stops as soon as the response exceeds `maxOctets`. Does not hold
 * an event stream, or a response whose upstream turns buffering off.
 */
export const bufferResponse = async (
  exchange: ExchangeView<'request'>,
  response: UpstreamResponse,
  maxOctets: number,
): Promise<BufferedResponse> => {
  const { body } = response;
  if (body === null || !mayBeBuffered(response, maxOctets)) return { kind: 'relay', response, isWhole: body === null };
  const upload = exchange.request.body;
  upload?.lookAhead(true);
  try {
    const { kept, hasEnded } = await readAhead(body, maxOctets);
    const buffered = hasEnded
      ? new BufferedBody(kept, body.trailers(), body.declaredLength)
      : new PrefixedBody(kept.pieces(), body, body.declaredLength);
    return { kind: 'relay', response: withBody(response, buffered, false), isWhole: hasEnded };
  } catch (error) {
    return { kind: 'broken', fault: responseFaultOf(error) };
  } finally {
    upload?.lookAhead(false);
  }
};

/** The attempt that got the response. */
export interface BufferedAttempt {
  cancel(): void;
  /** The upstream has sent the whole response. */
  ended(): void;
}

/**
 * Asks the agents of the route about a response, buffers and compresses it, if the rules require that; then relays it. Returns
 * the reason why the relay ended early; null: it is complete, or the client is gone.
 */
export const inspectAndRelay = async (
  exchange: RelayingExchange & InspectedExchange,
  response: UpstreamResponse,
  {
    responseInspector,
    maxBufferedResponseOctets,
    responseCompressor,
  }: Pick<ForwardingRules, 'responseInspector' | 'maxBufferedResponseOctets' | 'responseCompressor'>,
  attempt: BufferedAttempt,
): Promise<ResponseFault | null> => {
  let inspectedResponse = response;
  if (responseInspector !== null) {
    const inspected = await responseInspector.inspect(exchange, response, () => attempt.cancel());
    if (inspected.kind === 'ended') return inspected.fault;
    inspectedResponse = inspected.response;
  }
  if (maxBufferedResponseOctets === null) return compressAndRelay(exchange, inspectedResponse, responseCompressor);
  const buffered = await bufferResponse(exchange, inspectedResponse, maxBufferedResponseOctets);
  if (buffered.kind === 'broken') return buffered.fault;
  if (buffered.isWhole) attempt.ended();
  return compressAndRelay(exchange, buffered.response, responseCompressor);
};
