import { isEventStream } from '../../../domain/http/event-stream.js';
import { isGrpcCall } from '../../../domain/http/grpc-error.js';
import type { UpstreamResponse } from '../../ports/gateway/upstream-client.js';
import { type StreamSlots, streamAgeMs } from '../admit/stream-slots.js';
import type { ExchangeView } from './exchange.js';

type FollowedExchange = ExchangeView<never, 'admission'>;

/** Lets the slots of routes follow streams. */
export type StreamFollower = Pick<StreamSlots, 'track'>;

/**
 * Lets a request leave the requests in flight if the type of its unfinished response allows it to last for any time:
 * an event stream at once, a gRPC response after `streamAgeMs`.
 */
export const followStream = (
  exchange: FollowedExchange,
  { headers, body }: UpstreamResponse,
  streams: StreamFollower,
): void => {
  // A stream has no length; this check saves most responses the search of their fields.
  if (body === null || body.declaredLength !== null) return;
  if (isEventStream(headers)) follow(exchange, 0, streams);
  else if (isGrpcCall(headers)) follow(exchange, streamAgeMs, streams);
};

/** Lets an upgraded request leave the requests in flight. */
export const followTunnel = (exchange: FollowedExchange, streams: StreamFollower): void => follow(exchange, 0, streams);

const follow = (exchange: FollowedExchange, delayMs: number, streams: StreamFollower): void => {
  const { admission } = exchange;
  if (admission?.kind === 'slot') exchange.admission = streams.track(admission, delayMs);
};
