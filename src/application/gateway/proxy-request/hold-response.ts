import { firstHeader, type HeaderList } from '../../../domain/http/header-list.js';
import type { UpstreamResponse } from '../../ports/gateway/upstream-client.js';
import { type ResponseFault, responseFaultOf } from './attempt-end.js';
import { BufferedBody, PrefixedBody, readAhead } from './buffered-body.js';
import type { ExchangeView } from './exchange.js';
import { withBody } from './relay-response.js';

/** What became of holding a response back. `isWhole`: its upstream has nothing more to do with it. */
export type HeldResponse =
  | { readonly kind: 'relay'; readonly response: UpstreamResponse; readonly isWhole: boolean }
  | { readonly kind: 'broken'; readonly fault: ResponseFault };

/** Its client is to have each event when it happens (WHATWG HTML, section 9.2). */
const isEventStream = (headers: HeaderList): boolean => {
  const type = firstHeader(headers, 'content-type') ?? '';
  return (type.split(';', 1)[0] as string).trim().toLowerCase() === 'text/event-stream';
};

/** The word of nginx for an upstream that knows better. */
const isUnbuffered = (headers: HeaderList): boolean =>
  firstHeader(headers, 'x-accel-buffering')?.toLowerCase() === 'no';

const mayBeHeld = ({ headers, body }: UpstreamResponse, maxOctets: number): boolean =>
  (body?.declaredLength ?? 0) <= maxOctets && !isEventStream(headers) && !isUnbuffered(headers);

/**
 * Reads a response to its end before any of it goes on. One that is longer than so many octets goes on as soon as that is known;
 * an event stream, and what its upstream wants to have sent on at once, is not held at all.
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
