import { correlationIdHeader } from '../../../../domain/http/correlation-id.js';
import { countedForwards } from '../../../../domain/http/request-method.js';
import type { StageOf } from '../exchange.js';

/** Decrements Max-Forwards, and answers an OPTIONS request when it is 0 (RFC 9110, section 7.6.2). */
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
