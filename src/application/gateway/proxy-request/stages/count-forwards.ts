import { correlationIdHeader } from '../../../../domain/http/correlation-id.js';
import { countedForwards } from '../../../../domain/http/request-method.js';
import type { StageOf } from '../exchange.js';

/** Answers an OPTIONS request whose Max-Forwards is used up. */
export const countForwards: StageOf<'request', 'forwarded'> = (exchange) => {
  const fields = countedForwards(exchange.request.method, exchange.forwarded.headers);
  if (fields !== null) {
    exchange.forwarded.headers = fields;
    return 'continue';
  }
  exchange.outcome.status = 200;
  exchange.response.send(
    200,
    [...exchange.rateLimitFields, correlationIdHeader, exchange.correlationId],
    '',
    exchange.close,
  );
  return 'ended';
};
