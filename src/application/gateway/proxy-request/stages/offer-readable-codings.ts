import { withReadableCodings } from '../../../../domain/http/accepted-codings.js';
import type { StageOf } from '../exchange.js';

/** Has the upstream use no content coding that cannot be taken off for an agent that reads responses. */
export const offerReadableCodings: StageOf<never, 'forwarded'> = (exchange) => {
  exchange.forwarded.headers = withReadableCodings(exchange.forwarded.headers);
  return 'continue';
};
