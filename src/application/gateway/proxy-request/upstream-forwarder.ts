import {
  type AttemptOutcome,
  outcomeOfFailure,
} from '../../../domain/gateway/circuit-breaking/failure-classification.js';
import { mayRetry } from '../../../domain/gateway/load-balancing/retry-rules.js';
import { type HeaderList, noHeaders } from '../../../domain/http/header-list.js';
import type {
  UpstreamExchange,
  UpstreamFailure,
  UpstreamListener,
  UpstreamResponse,
} from '../../ports/gateway/upstream-client.js';
import type { BalancingRequest, ChosenTarget, TargetChoice } from '../choose-upstream/chosen-target.js';
import { uncountedPeriod } from '../circuit-breakers/circuit-breaker-holder.js';
import type { PartTrace } from '../trace/request-tracing.js';
import { type AttemptEnd, blamed, endOfAnswer, endOfFailure, endOfStatus, type ResponseFault } from './attempt-end.js';
import { repeatableBody } from './buffered-body.js';
import type { Exchange, UpstreamAttempts } from './exchange.js';
import { relayHeldResponse } from './hold-response.js';
import { relayInterim, relayResponse } from './relay-response.js';
import { relayTunnel } from './relay-tunnel.js';
import type { RepeatableBody } from './replayable-body.js';
import type { SendingRules } from './sending-rules.js';

const noTargets: readonly string[] = [];

/**
 * Sends one request to a target of its upstream, and to others while the retry rules and the retry allowance permit;
 * then relays the response. It ends the exchange: with the response, with a problem, or with an internal error.
 */
export class UpstreamForwarder implements UpstreamListener, BalancingRequest, UpstreamAttempts {
  count = 0;
  address: string | null = null;
  targetFields: HeaderList = noHeaders;
  readonly #exchange: Exchange;
  readonly #rules: SendingRules;
  /** Of the route's breaker; see `uncountedPeriod`. */
  #period: number;
  /** Monotonic milliseconds. */
  readonly #deadlineMs: number;
  readonly #repeatable: RepeatableBody | null;
  #tried = noTargets;
  // Of the attempt under way.
  #target: ChosenTarget | null = null;
  #sent: UpstreamExchange | null = null;
  #trace: PartTrace | null = null;
  /** Null until there is an answer. */
  #status: number | null = null;
  /** Of interim responses that were relayed. */
  #interimOctets = 0;

  private constructor(exchange: Exchange, rules: SendingRules, period: number, deadlineMs: number) {
    const body = exchange.forwarded.body;
    this.#exchange = exchange;
    this.#rules = rules;
    this.#period = period;
    this.#deadlineMs = deadlineMs;
    this.#repeatable = body === null ? null : repeatableBody(body, rules.chooser.hasChoice);
  }

  /**
   * Sends a request for the first time.
   *
   * @param period in which the route's breaker has admitted it
   */
  static begin(exchange: Exchange, rules: SendingRules, period: number): void {
    const nowMs = rules.clock.turnMs();
    rules.allowance.requestBegun();
    const sending = new UpstreamForwarder(exchange, rules, period, nowMs + rules.timeoutMs - exchange.queuedMs);
    exchange.attempts = sending;
    try {
      sending.#attempt(null, nowMs);
    } catch (error) {
      sending.#fault(error);
    }
  }

  get clientIp(): string {
    return this.#exchange.client.address;
  }

  get headers(): readonly string[] {
    return this.#exchange.forwarded.headers;
  }

  get isSecure(): boolean {
    const { client, request } = this.#exchange;
    return (client.scheme ?? request.connection.scheme) === 'https';
  }

  get tried(): readonly string[] {
    return this.#tried;
  }

  informed(status: number, headers: HeaderList): void {
    // An agent that inspects responses would have to inspect this one too.
    if (this.#rules.responseJudge !== null) return;
    try {
      this.#interimOctets = relayInterim(this.#exchange, status, headers, this.#interimOctets);
    } catch (error) {
      this.#fault(error);
    }
  }

  answered(response: UpstreamResponse): void {
    try {
      this.#rules.counters.attempted();
      this.#repeatable?.forget();
      this.#status = response.status;
      if (endOfStatus(response.status).outcome === 'success') {
        this.#target?.answered();
        if (this.#rules.routeBreaker !== null) this.#period = this.#rules.routeBreaker.answered(this.#period);
      }
      this.#deliver(response);
    } catch (error) {
      this.#fault(error);
    }
  }

  failed(failure: UpstreamFailure): void {
    try {
      this.#settle(failure);
    } catch (error) {
      this.#fault(error);
    }
  }

  mayRepeat(): boolean {
    const { counters, retries } = this.#rules;
    if (this.count >= retries.maxAttempts || !this.#hasRetry()) return false;
    counters.attempted();
    this.#noteRetry();
    this.count += 1;
    return true;
  }

  /** @param last what the attempt before came to; null: there was none */
  #attempt(last: UpstreamFailure | null, nowMs: number): void {
    const exchange = this.#exchange;
    const rules = this.#rules;
    const choice = rules.chooser.choose(this);
    if (choice.kind !== 'chosen') {
      this.#refused(choice, last);
      return;
    }
    if (last !== null && last.wasEvicted !== true) this.#noteRetry();
    this.count += 1;
    this.#target = choice;
    this.address = choice.address;
    this.targetFields = choice.responseHeaders;
    const trace = exchange.trace?.upstreamAttempt(rules.upstream, choice.address, this.count) ?? null;
    this.#trace = trace;
    const sent = choice.client.send(
      {
        method: exchange.request.method,
        target:
          exchange.target.query === null ? exchange.target.path : `${exchange.target.path}?${exchange.target.query}`,
        headers: trace === null ? exchange.forwarded.headers : trace.propagate(exchange.forwarded.headers),
        received: exchange.request.received,
        alike: exchange.forwarded.alike,
        body: this.#repeatable?.begin() ?? exchange.forwarded.body,
        upgradeToWebSocket: exchange.request.wantsWebSocket,
        timeoutMs: Math.max(1, this.#deadlineMs - nowMs),
        readMs: rules.readTimeoutMs,
        patienceMs: rules.timeoutMs,
      },
      this,
    );
    this.#sent = sent;
    exchange.waitForUpstream(sent);
  }

  /** No target takes the request. */
  #refused(choice: Exclude<TargetChoice, ChosenTarget>, last: UpstreamFailure | null): void {
    const { answers } = this.#rules;
    if (last !== null) {
      this.#routeEnded(outcomeOfFailure(last.code));
      answers.failed(this.#exchange, last);
      return;
    }
    // Ejected targets are no news; a name without an address is as bad as an unreachable target.
    this.#routeEnded(choice.kind === 'unresolved' ? 'failure' : 'neither');
    answers.untried(this.#exchange, choice);
  }

  /** The attempt failed: tries another target, or answers the client. */
  #settle(failure: UpstreamFailure): void {
    const exchange = this.#exchange;
    const { counters, chooser, clock, answers, descriptors } = this.#rules;
    if (failure.isOutOfDescriptors === true) descriptors.noteExhausted();
    if (failure.wasEvicted === true) {
      this.count -= 1;
    } else counters.attempted();
    exchange.waitOver();
    const told = blamed(exchange, failure);
    const end = endOfFailure(told.code, told.detail);
    const isFull = told.code === 'overloaded' && told.wasEvicted !== true;
    if (end.outcome === 'failure' || isFull) counters.failed();
    const address = this.#target?.address;
    this.#end(end);
    if (address !== undefined) this.#tried = [...this.#tried, address];
    const nowMs = clock.monotonicMs();
    if (chooser.hasOther(this.#tried) && this.#mayRetry(told, nowMs)) this.#attempt(told, nowMs);
    else {
      this.#routeEnded(outcomeOfFailure(told.code));
      answers.failed(exchange, told);
    }
  }

  #mayRetry(failure: UpstreamFailure, nowMs: number): boolean {
    const exchange = this.#exchange;
    if (exchange.abandoned) return false;
    const wasEvicted = failure.wasEvicted === true;
    const attempt = {
      method: exchange.request.method,
      failure: failure.code,
      neverSent: failure.neverSent === true,
      wasEvicted,
      isRepeatable: exchange.forwarded.body === null || this.#repeatable?.isWhole === true,
      attempts: this.count,
      leftMs: this.#deadlineMs - nowMs,
    };
    return mayRetry(attempt, this.#rules.retries) && (wasEvicted || this.#hasRetry());
  }

  /** Whether the allowance has a retry left. Counts a refusal. */
  #hasRetry(): boolean {
    if (this.#rules.allowance.hasRetry) return true;
    this.#rules.counters.retryRefused();
    return false;
  }

  #noteRetry(): void {
    this.#rules.allowance.retried();
    this.#rules.counters.retried();
  }

  #deliver(response: UpstreamResponse): void {
    const { status, tunnel } = response;
    const { responseJudge, heldResponseOctets, scheduler } = this.#rules;
    const exchange = this.#exchange;
    if (tunnel !== null) {
      exchange.waitOver();
      const over = (): void => this.#finish(endOfStatus(status));
      relayTunnel(exchange, response, tunnel, scheduler).then(over, over);
      return;
    }
    const fault =
      responseJudge === null && heldResponseOctets === null
        ? relayResponse(exchange, response)
        : relayHeldResponse(exchange, response, this.#rules, {
            cancel: () => this.#sent?.cancel(),
            ended: () => this.#finish(endOfStatus(status)),
          });
    if (!(fault instanceof Promise)) this.#relayed(status, fault);
    else {
      fault.then((late) => this.#relayed(status, late)).catch((error: unknown) => this.#fault(error));
    }
  }

  #relayed(status: number, fault: ResponseFault | null): void {
    const exchange = this.#exchange;
    const { answers, counters } = this.#rules;
    const end = endOfAnswer(exchange, status, fault);
    this.#finish(end);
    if (fault === null) {
      exchange.waitOver();
      return;
    }
    this.#sent?.cancel();
    if (end.outcome === 'failure' && fault.kind === 'upstream') counters.failed();
    answers.faulty(exchange, fault);
  }

  /** An internal error. The target is done with the request. */
  #fault(error: unknown): void {
    this.#sent?.cancel();
    this.#finish(endOfFailure('cancelled', 'the gateway failed'));
    this.#exchange.fail(error);
  }

  #finish(end: AttemptEnd): void {
    this.#end(end);
    this.#routeEnded(end.outcome);
  }

  /** The request counts once for the breaker of its route. */
  #routeEnded(outcome: AttemptOutcome): void {
    this.#rules.routeBreaker?.ended(this.#period, outcome);
    this.#period = uncountedPeriod;
  }

  /** The attempt is over; only the first call has an effect. */
  #end({ outcome, errorType, detail }: AttemptEnd): void {
    const target = this.#target;
    this.#target = null;
    target?.ended(outcome, detail);
    this.#trace?.end(this.#status, errorType);
    this.#trace = null;
  }
}
