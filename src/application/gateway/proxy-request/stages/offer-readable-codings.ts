import { withReadableCodings } from '../../../../domain/http/accepted-codings.js';
import type { StageOf } from '../exchange.js';

/** Offers the upstream only content codings that the gateway can decode for agents that inspect responses. */
export const offerReadableCodings: StageOf<never, 'forwarded'> = (exchange) => {
  exchange.forwarded.headers = withReadableCodings(exchange.forwarded.headers);
  return 'continue';
};
