import type { RetryRules } from '../../domain/configuration/upstream-options.js';
import { mayRetry } from '../../domain/load-balancing/retry-rules.js';
import type { Result } from '../../domain/shared/result.js';
import type { BodySource } from '../ports/body-source.js';
import type { Clock } from '../ports/clock.js';
import type { GatewayMetrics, UpstreamMetrics } from '../ports/gateway-metrics.js';
import type { Soon } from '../ports/soon.js';
import type { UpstreamFailure, UpstreamRequest, UpstreamResponse } from '../ports/upstream-client.js';
import type { ChosenTarget, TargetChoice, TargetChooser } from '../upstream-targets/chosen-target.js';
import type { Exchange } from './exchange.js';
import { HeldBody } from './held-body.js';
import type { RepeatableBody } from './repeatable-body.js';
import { RequestSendings } from './request-sendings.js';
import type { RetryAllowance } from './retry-allowance.js';
import { RewindableBody } from './rewindable-body.js';
import { blamed, endOfFailure, UpstreamAttempt } from './upstream-attempt.js';

export interface UpstreamAttemptsParts {
  readonly chooser: TargetChooser;
  readonly clock: Clock;
  readonly metrics: GatewayMetrics;
  /** For all attempts of a request together. */
  readonly timeoutMs: number;
  readonly retries: RetryRules;
  /** That of the upstream. */
  readonly allowance: RetryAllowance;
}

/** What the sending of a request came to. */
export type Attempted =
  /** The attempt is still going on. */
  | { readonly kind: 'answered'; readonly attempt: UpstreamAttempt; readonly response: UpstreamResponse }
  /** The last attempt came to this, and there is no other. */
  | { readonly kind: 'failed'; readonly failure: UpstreamFailure }
  /** There is nobody to send it to. */
  | { readonly kind: 'untried'; readonly choice: Exclude<TargetChoice, { kind: 'chosen' }> };

/** The attempts to have one request answered. */
interface AttemptSeries {
  readonly exchange: Exchange;
  /** Monotonic milliseconds. */
  readonly deadlineMs: number;
  readonly body: BodySource | null;
  readonly repeatable: RepeatableBody | null;
  /** Addresses of those that have failed. */
  readonly tried: string[];
  readonly sendings: RequestSendings;
}

/** Sends requests to targets of one upstream, and those that fail to others, as often as the rules and the allowance have it. */
export class UpstreamAttempts {
  readonly #upstream: string;
  readonly #parts: UpstreamAttemptsParts;
  readonly #counters: UpstreamMetrics;

  constructor(upstream: string, parts: UpstreamAttemptsParts) {
    this.#upstream = upstream;
    this.#parts = parts;
    this.#counters = parts.metrics.upstream(upstream);
  }

  make(exchange: Exchange): Soon<Attempted> {
    const { chooser, clock, timeoutMs, retries, allowance } = this.#parts;
    const body = exchange.forwardedBody;
    allowance.requestBegun();
    return this.#attempt(
      {
        exchange,
        deadlineMs: clock.monotonicMs() + timeoutMs - exchange.queuedMs,
        body,
        repeatable: body === null ? null : repeatableBody(body, chooser.hasChoice),
        tried: [],
        sendings: new RequestSendings(exchange, retries, allowance, this.#counters),
      },
      null,
    );
  }

  /** @param last what the attempt before came to; null: there was none */
  #attempt(series: AttemptSeries, last: UpstreamFailure | null): Soon<Attempted> {
    const { exchange, deadlineMs, body, repeatable, tried, sendings } = series;
    const choice = this.#choose(exchange, tried);
    if (choice.kind !== 'chosen') {
      return last === null ? { kind: 'untried', choice } : { kind: 'failed', failure: last };
    }
    if (last !== null && last.isTurnedAway !== true) sendings.retried();
    sendings.begun();
    const { clock, timeoutMs } = this.#parts;
    const attempt = this.#send(exchange, choice.target, {
      body: repeatable?.begin() ?? body,
      timeoutMs: Math.max(1, deadlineMs - clock.monotonicMs()),
      patienceMs: timeoutMs,
      mayRepeat: () => sendings.takeRepetition(),
    });
    exchange.waitFor(() => attempt.sent.cancel());
    return attempt.sent.response.then((outcome) => this.#settle(series, attempt, outcome));
  }

  #settle(
    series: AttemptSeries,
    attempt: UpstreamAttempt,
    outcome: Result<UpstreamResponse, UpstreamFailure>,
  ): Soon<Attempted> {
    const { exchange, deadlineMs, body, repeatable, tried, sendings } = series;
    if (outcome.ok || outcome.error.isTurnedAway !== true) sendings.made();
    else sendings.turnedAway();
    if (outcome.ok) {
      repeatable?.forget();
      return { kind: 'answered', attempt, response: outcome.value };
    }
    exchange.waitOver();
    const failure = this.#fail(exchange, attempt, outcome.error);
    tried.push(attempt.target.address);
    const isRepeatable = body === null || repeatable?.isWhole === true;
    if (
      !this.#parts.chooser.hasOther(tried) ||
      !this.#mayRetry(exchange, failure, isRepeatable, sendings, deadlineMs)
    ) {
      return { kind: 'failed', failure };
    }
    return this.#attempt(series, failure);
  }

  /** An answer broke off. */
  countBroken(): void {
    this.#counters.failed();
  }

  #choose({ client, headers, request }: Exchange, tried: readonly string[]): TargetChoice {
    const isSecure = (client.scheme ?? request.connection.scheme) === 'https';
    return this.#parts.chooser.choose({ clientIp: client.address, headers, isSecure, tried });
  }

  #send(
    exchange: Exchange,
    target: ChosenTarget,
    own: Pick<UpstreamRequest, 'body' | 'timeoutMs' | 'patienceMs' | 'mayRepeat'>,
  ): UpstreamAttempt {
    exchange.target = target.address;
    exchange.targetFields = target.responseHeaders;
    const trace = exchange.trace?.upstreamAttempt(this.#upstream, target.address, exchange.upstreamAttempts) ?? null;
    const sent = target.client.send({
      method: exchange.request.method,
      target: exchange.query === null ? exchange.path : `${exchange.path}?${exchange.query}`,
      headers: trace === null ? exchange.headers : trace.propagate(exchange.headers),
      upgradeToWebSocket: exchange.request.wantsWebSocket,
      ...own,
    });
    return new UpstreamAttempt(target, sent, trace);
  }

  #fail(exchange: Exchange, attempt: UpstreamAttempt, failure: UpstreamFailure): UpstreamFailure {
    const told = blamed(exchange, failure);
    const end = endOfFailure(told.code, told.detail);
    const isFull = told.code === 'overloaded' && told.isTurnedAway !== true;
    if (end.outcome === 'failure' || isFull) this.#counters.failed();
    attempt.end(end);
    return told;
  }

  #mayRetry(
    exchange: Exchange,
    failure: UpstreamFailure,
    isRepeatable: boolean,
    sendings: RequestSendings,
    deadlineMs: number,
  ): boolean {
    const { clock, retries } = this.#parts;
    if (exchange.abandoned) return false;
    const isTurnedAway = failure.isTurnedAway === true;
    const attempt = {
      method: exchange.request.method,
      failure: failure.code,
      neverSent: failure.neverSent === true,
      isTurnedAway,
      isRepeatable,
      attempts: sendings.count,
      leftMs: deadlineMs - clock.monotonicMs(),
    };
    return mayRetry(attempt, retries) && (isTurnedAway || sendings.hasRetry());
  }
}

/** Null where the body can be sent once: without another target nothing is kept of it. */
const repeatableBody = (body: BodySource, hasChoice: boolean): RepeatableBody | null => {
  if (body instanceof HeldBody) return body;
  return hasChoice ? new RewindableBody(body) : null;
};
