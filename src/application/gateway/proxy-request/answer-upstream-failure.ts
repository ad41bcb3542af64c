import type { BodySizeLimit } from '../../../domain/gateway/limits/request-limits.js';
import type { GatewayProblemCode } from '../../../domain/http/gateway-problem.js';
import { mergeObjects } from '../../../domain/shared/merge-objects.js';
import type { GatewayMetrics } from '../../ports/gateway/gateway-metrics.js';
import type { UpstreamFailure } from '../../ports/gateway/upstream-client.js';
import type { ChosenTarget, TargetChoice } from '../choose-upstream/chosen-target.js';
import { answerBodyFailure, type ProblemAnswerer } from './answer-problem.js';
import { blamed, type ResponseFault } from './attempt-end.js';
import type { StageExchange, StageOutcome } from './exchange.js';

type FailedExchange = StageExchange<'attempts' | 'body' | 'forwarded'>;

interface AnswerServices {
  readonly problems: ProblemAnswerer;
  readonly metrics: GatewayMetrics;
  /** The limit for request bodies. */
  readonly maxBodySize: BodySizeLimit;
}

const problemOf: Record<
  Exclude<UpstreamFailure['code'], 'request_body' | 'refused_request' | 'cancelled'>,
  [GatewayProblemCode, string]
> = {
  unreachable: ['upstream_unreachable', 'The connection to the upstream failed.'],
  invalid_response: ['upstream_invalid_response', 'The upstream sent an invalid HTTP response.'],
  timed_out: ['upstream_timeout', 'The upstream did not answer in time.'],
  overloaded: ['upstream_overloaded', 'Every connection to the upstream is busy.'],
};

/** Answers exchanges that got no usable response from the upstream. */
export class UpstreamFailureAnswers {
  readonly #upstream: string;
  readonly #services: AnswerServices;

  constructor(upstream: string, services: AnswerServices) {
    this.#upstream = upstream;
    this.#services = services;
  }

  /** The last attempt failed. */
  failed(exchange: FailedExchange, failure: UpstreamFailure): StageOutcome {
    const { problems, metrics, maxBodySize } = this.#services;
    if (failure.code === 'cancelled' || exchange.abandoned) return 'ended';
    if (failure.code === 'request_body') return answerBodyFailure(exchange, maxBodySize, problems, metrics);
    if (failure.code === 'refused_request') {
      return problems.answer(exchange, 'internal_error', 'The gateway cannot forward the request.', {
        upstream: this.#upstream,
        cause: failure.detail,
      });
    }
    const [code, detail] = problemOf[failure.code];
    return problems.answer(
      exchange,
      code,
      detail,
      mergeObjects(this.#attemptFields(exchange), { cause: failure.detail }),
    );
  }

  /** A response arrived, but cannot be relayed completely. */
  faulty(exchange: FailedExchange, fault: ResponseFault): StageOutcome {
    const { problems, metrics } = this.#services;
    if (fault.kind === 'upstream') return this.failed(exchange, blamed(exchange, fault.failure));
    const attemptFields = this.#attemptFields(exchange);
    if (fault.kind === 'uninspectable') {
      const detail = 'The agents of the route cannot inspect the response.';
      return problems.answer(
        exchange,
        'response_not_inspectable',
        detail,
        mergeObjects(attemptFields, { cause: fault.detail }),
      );
    }
    const { name, limit, actual } = fault.violation;
    metrics.limitExceeded('body_size');
    const fields = mergeObjects(attemptFields, { limit, limit_name: name, actual });
    return problems.answer(exchange, 'response_too_large', `${name} is ${limit}.`, fields);
  }

  /** The request was sent to no target. */
  untried(exchange: FailedExchange, choice: Exclude<TargetChoice, ChosenTarget>): StageOutcome {
    const { problems } = this.#services;
    const upstream = this.#upstream;
    if (choice.kind === 'unresolved') {
      const detail = 'No target of the upstream has an address.';
      return problems.answer(exchange, 'upstream_unreachable', detail, { upstream, cause: choice.detail });
    }
    const seconds = choice.kind === 'unhealthy' ? choice.retryAfterSeconds : 1;
    const detail = 'No target of the upstream is available.';
    return problems.answer(exchange, 'no_healthy_target', detail, { upstream }, ['Retry-After', String(seconds)]);
  }

  #attemptFields({ attempts }: FailedExchange): { readonly upstream: string; readonly target: string | null } {
    return { upstream: this.#upstream, target: attempts.address };
  }
}
