import type { BodySizeLimit } from '../../../domain/gateway/limits/request-limits.js';
import type { GatewayProblemCode } from '../../../domain/http/gateway-problem.js';
import { joined } from '../../../domain/shared/joined.js';
import type { GatewayMetrics } from '../../ports/gateway/gateway-metrics.js';
import type { UpstreamFailure } from '../../ports/gateway/upstream-client.js';
import type { ChosenTarget, TargetChoice } from '../choose-upstream/chosen-target.js';
import { answerBodyFailure, type ProblemAnswerer } from './answer-problem.js';
import { blamed, type ResponseFault } from './attempt-end.js';
import type { StageExchange, StageOutcome } from './exchange.js';

type FailedExchange = StageExchange<'attempts' | 'body' | 'forwarded'>;

export interface UpstreamFailureParts {
  readonly problems: ProblemAnswerer;
  readonly metrics: GatewayMetrics;
  /** The limit of request bodies. */
  readonly maxBodySize: BodySizeLimit;
}

const problemOf: Record<
  Exclude<UpstreamFailure['code'], 'request_body' | 'refused_request' | 'cancelled'>,
  [GatewayProblemCode, string]
> = {
  unreachable: ['upstream_unreachable', 'No connection to the upstream could be had, or it broke.'],
  invalid_response: ['upstream_invalid_response', 'What the upstream sent is no valid HTTP response.'],
  timed_out: ['upstream_timeout', 'The upstream did not answer in time.'],
  overloaded: ['upstream_overloaded', 'Every connection to the upstream is busy.'],
};

/** Answers exchanges for which the upstream gave no usable response. */
export class UpstreamFailureAnswers {
  readonly #upstream: string;
  readonly #parts: UpstreamFailureParts;

  constructor(upstream: string, parts: UpstreamFailureParts) {
    this.#upstream = upstream;
    this.#parts = parts;
  }

  /** The last attempt failed. */
  failed(exchange: FailedExchange, failure: UpstreamFailure): StageOutcome {
    const { problems, metrics, maxBodySize } = this.#parts;
    if (failure.code === 'cancelled' || exchange.abandoned) return 'ended';
    if (failure.code === 'request_body') return answerBodyFailure(exchange, maxBodySize, problems, metrics);
    if (failure.code === 'refused_request') {
      return problems.answer(exchange, 'internal_error', 'The request cannot be forwarded as it is.', {
        upstream: this.#upstream,
        cause: failure.detail,
      });
    }
    const [code, detail] = problemOf[failure.code];
    return problems.answer(exchange, code, detail, joined(this.#whose(exchange), { cause: failure.detail }));
  }

  /** There is a response, but the client cannot get all of it. */
  faulty(exchange: FailedExchange, fault: ResponseFault): StageOutcome {
    const { problems, metrics } = this.#parts;
    if (fault.kind === 'upstream') return this.failed(exchange, blamed(exchange, fault.failure));
    const whose = this.#whose(exchange);
    if (fault.kind === 'uninspectable') {
      const detail = 'The agents of the route cannot inspect the response as it is.';
      return problems.answer(exchange, 'response_not_inspectable', detail, joined(whose, { cause: fault.detail }));
    }
    const { name, limit, actual } = fault.violation;
    metrics.limitExceeded('body_size');
    const fields = joined(whose, { limit, limit_name: name, actual });
    return problems.answer(exchange, 'response_too_large', `${name} is ${limit}.`, fields);
  }

  /** No target takes the request. */
  untried(exchange: FailedExchange, choice: Exclude<TargetChoice, ChosenTarget>): StageOutcome {
    const { problems } = this.#parts;
    const upstream = this.#upstream;
    if (choice.kind === 'unresolved') {
      const detail = 'No target of the upstream has an address.';
      return problems.answer(exchange, 'upstream_unreachable', detail, { upstream, cause: choice.detail });
    }
    const seconds = choice.kind === 'unhealthy' ? choice.retryAfterSeconds : 1;
    const detail = 'No target of the upstream takes requests at the moment.';
    return problems.answer(exchange, 'no_healthy_target', detail, { upstream }, ['Retry-After', String(seconds)]);
  }

  #whose({ attempts }: FailedExchange): { readonly upstream: string; readonly target: string | null } {
    return { upstream: this.#upstream, target: attempts.address };
  }
}
