import type { RetryRules } from '../../../domain/gateway/configuration/upstream-options.js';
import {
  newRetryBudget,
  type RetryBudget,
  takeRetry,
  withRequest,
} from '../../../domain/gateway/load-balancing/retry-rules.js';
import type { UpstreamMetrics } from '../../ports/gateway/gateway-metrics.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { Scheduler } from '../../ports/shared/scheduler.js';
import type { TargetChooser } from '../choose-upstream/chosen-target.js';
import type { CircuitBreakerHolder } from '../circuit-breakers/circuit-breaker-holder.js';
import type { DescriptorGuard } from '../guard-resources/descriptor-guard.js';
import type { UpstreamFailureAnswers } from './answer-upstream-failure.js';
import type { ResponseCompressor } from './compress-response.js';
import type { StreamFollower } from './follow-stream.js';
import type { ResponseInspector } from './inspect-response.js';
import type { ResponseTurnBack } from './turn-back.js';

/** The rules for forwarding a route's requests and relaying their responses. Made when the configuration loads. */
export interface ForwardingRules {
  /** The upstream's name. */
  readonly upstream: string;
  readonly chooser: TargetChooser;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  /** Counters of the upstream. */
  readonly counters: UpstreamMetrics;
  /** Time for all attempts of a request together. */
  readonly timeoutMs: number;
  /** The route's own; null: the upstream's applies. */
  readonly readTimeoutMs: number | null;
  /** The breaker of the route; null: none. */
  readonly routeBreaker: CircuitBreakerHolder | null;
  readonly retries: RetryRules;
  /** The retry budget of the upstream. */
  readonly allowance: RetryAllowance;
  readonly streams: StreamFollower;
  readonly descriptors: Pick<DescriptorGuard, 'noteExhausted'>;
  readonly answers: UpstreamFailureAnswers;
  /** Octets of a response that are buffered before it is relayed; null: responses are relayed as they arrive. */
  readonly maxBufferedResponseOctets: number | null;
  /** Null: the route compresses no responses. */
  readonly responseCompressor: ResponseCompressor | null;
  /** Null: no agent of the route subscribes to responses. */
  readonly responseInspector: ResponseInspector | null;
  /** Null: the heads of responses stay. */
  readonly turnBack: ResponseTurnBack | null;
}

/** The retry budget of all requests of one upstream. */
export class RetryAllowance {
  readonly #percent: number;
  #budget: RetryBudget;

  /** @param percent retries per 100 requests; 0: none */
  constructor(percent: number) {
    this.#percent = percent;
    this.#budget = newRetryBudget(percent);
  }

  /** Counts the first attempt of a request. */
  requestBegun(): void {
    this.#budget = withRequest(this.#budget, this.#percent);
  }

  get hasRetry(): boolean {
    return takeRetry(this.#budget) !== null;
  }

  /** Counts a retry. */
  retried(): void {
    this.#budget = takeRetry(this.#budget) ?? this.#budget;
  }
}
