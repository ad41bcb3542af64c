import type { LimitViolation } from '../../../../domain/gateway/limits/limit-violation.js';
import type { BodySizeLimit } from '../../../../domain/gateway/limits/request-limits.js';
import { withHeader } from '../../../../domain/http/header-list.js';
import type { BodySource } from '../../../ports/gateway/body-source.js';
import type { GatewayMetrics } from '../../../ports/gateway/gateway-metrics.js';
import { answerBodyFailure, answerViolation, type ProblemAnswerer } from '../answer-problem.js';
import { type BodyPrefix, BufferedBody, readAhead } from '../buffered-body.js';
import type { ExchangeView, StageExchange, StageOf } from '../exchange.js';

export interface BufferingOptions {
  readonly problems: ProblemAnswerer;
  readonly metrics: GatewayMetrics;
  /** The largest body that is buffered; octets. */
  readonly maxBufferOctets: number;
  /** The limit for request bodies. */
  readonly maxBodySize: BodySizeLimit;
}

/**
 * Reads the whole body before the request is forwarded. So a slow client does not keep an upstream busy, and the
 * request can be retried on another target. Refuses a body that exceeds the buffer.
 */
export const bufferRequest = (options: BufferingOptions): StageOf<'body', 'forwarded'> => {
  const { problems, metrics, maxBufferOctets, maxBodySize } = options;

  const violation = (actual: number): LimitViolation => ({
    code: 'body_too_large',
    name: 'max-body-buffer-bytes',
    limit: maxBufferOctets,
    actual,
  });

  const buffer = async (exchange: StageExchange<'body', 'forwarded'>, body: BodySource) => {
    let read: BodyPrefix;
    try {
      read = await readAhead(body, maxBufferOctets);
    } catch {
      return exchange.abandoned ? 'ended' : answerBodyFailure(exchange, maxBodySize, problems, metrics);
    }
    if (exchange.abandoned) return 'ended';
    const { kept, hasEnded } = read;
    if (!hasEnded) return answerViolation(exchange, violation(kept.octets), problems, metrics);
    hold(exchange, new BufferedBody(kept, body.trailers(), body.declaredLength ?? kept.octets));
    return 'continue';
  };

  return (exchange) => {
    const body = exchange.forwarded.body;
    if (body === null) return 'continue';
    const { declaredLength } = body;
    if (declaredLength !== null && declaredLength > maxBufferOctets) {
      return answerViolation(exchange, violation(declaredLength), problems, metrics);
    }
    return buffer(exchange, body);
  };
};

/** Replaces the body, and sets its length, which is now known. */
const hold = ({ forwarded }: ExchangeView<never, 'forwarded'>, body: BufferedBody): void => {
  forwarded.headers = withHeader(forwarded.headers, 'Content-Length', String(body.declaredLength));
  forwarded.body = body;
};
