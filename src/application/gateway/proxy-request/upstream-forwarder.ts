import { type AttemptOutcome, outcomeOfFailure } from '../../../domain/gateway/circuit-breaking/circuit-breaker.js';
import type { BodySizeLimit } from '../../../domain/gateway/limits/request-limits.js';
import { mayRetry } from '../../../domain/gateway/load-balancing/retry-rules.js';
import { type HeaderList, noHeaders } from '../../../domain/http/header-list.js';
import type { BodySource } from '../../ports/gateway/body-source.js';
import type { GatewayMetrics } from '../../ports/gateway/gateway-metrics.js';
import type {
  OpenedConnection,
  TargetClient,
  UpstreamExchange,
  UpstreamFailure,
  UpstreamListener,
  UpstreamResponse,
} from '../../ports/gateway/upstream-client.js';
import type { BalancingRequest, ChosenTarget, TargetChoice } from '../choose-upstream/chosen-target.js';
import { uncountedPeriod } from '../circuit-breakers/circuit-breaker-holder.js';
import type { PartTrace } from '../trace/request-tracing.js';
import type { ProblemAnswerer } from './answer-problem.js';
import { UpstreamFailureAnswers } from './answer-upstream-failure.js';
import { type AttemptEnd, blamed, endOfAnswer, endOfFailure, endOfStatus, type ResponseFault } from './attempt-end.js';
import { inspectAndRelay } from './buffer-response.js';
import { repeatableBody } from './buffered-body.js';
import { compressAndRelay } from './compress-response.js';
import { ConnectionRace, type RacingRequest } from './connection-race.js';
import type { Exchange, ExchangeView, Stage, UpstreamAttempts } from './exchange.js';
import { followStream, followTunnel } from './follow-stream.js';
import type { ForwardingRules } from './forwarding-rules.js';
import type { RequestMirror } from './mirror/request-mirror.js';
import { relayInterim } from './relay-response.js';
import { relayTunnel } from './relay-tunnel.js';
import type { RepeatableBody } from './replayable-body.js';
import { turnedBackResponse } from './turn-back.js';

const noTargets: readonly string[] = [];

const forwardedTarget = ({ forwarded, target: { path, query } }: ExchangeView<'forwarded' | 'target'>): string =>
  forwarded.target ?? (query === null ? path : `${path}?${query}`);

/**
 * Sends one request to a target of its upstream, and retries it on others if the retry rules and the retry budget
 * permit. Ends the exchange with the upstream's response, a problem, or an internal error.
 */
class UpstreamForwarder implements UpstreamListener, BalancingRequest, UpstreamAttempts, RacingRequest {
  count = 0;
  address: string | null = null;
  targetFields: HeaderList = noHeaders;
  readonly #exchange: Exchange;
  readonly #rules: ForwardingRules;
  /** The period of the route's breaker; see `uncountedPeriod`. */
  #period: number;
  /** Monotonic milliseconds. */
  readonly #deadlineMs: number;
  readonly #repeatable: RepeatableBody | null;
  #tried = noTargets;
  /** The target of the attempt under way. */
  #target: ChosenTarget | null = null;
  #sent: UpstreamExchange | null = null;
  #trace: PartTrace | null = null;
  /** The target whose name is being connected to. */
  #racing: ChosenTarget | null = null;
  /** Null until a response arrives. */
  #status: number | null = null;
  /** Octets of the interim responses that were relayed. */
  #interimOctets = 0;

  private constructor(exchange: Exchange, rules: ForwardingRules, period: number, deadlineMs: number) {
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
   * @param period the period in which the route's breaker admitted the request
   */
  static begin(exchange: Exchange, rules: ForwardingRules, period: number): void {
    const nowMs = rules.clock.turnMs();
    rules.allowance.requestBegun();
    const forwarder = new UpstreamForwarder(exchange, rules, period, nowMs + rules.timeoutMs - exchange.queuedMs);
    exchange.attempts = forwarder;
    try {
      forwarder.#attempt(null, nowMs);
    } catch (error) {
      forwarder.#failInternally(error);
    }
  }

  get clientIp(): string {
    return this.#exchange.client.address;
  }

  get headers(): readonly string[] {
    const { balancingHeaders, headers } = this.#exchange.forwarded;
    return balancingHeaders ?? headers;
  }

  get isSecure(): boolean {
    const { client, request } = this.#exchange;
    return (client.scheme ?? request.connection.scheme) === 'https';
  }

  get tried(): readonly string[] {
    return this.#tried;
  }

  informed(status: number, headers: HeaderList): void {
    // An interim response must not bypass the agents that inspect responses.
    if (this.#rules.responseInspector !== null) return;
    try {
      const { turnBack } = this.#rules;
      const fields = turnBack === null ? headers : turnBack(headers, this.#exchange);
      this.#interimOctets = relayInterim(this.#exchange, status, fields, this.#interimOctets);
    } catch (error) {
      this.#failInternally(error);
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
      const { turnBack } = this.#rules;
      this.#deliver(turnBack === null ? response : turnedBackResponse(response, this.#exchange, turnBack));
    } catch (error) {
      this.#failInternally(error);
    }
  }

  failed(failure: UpstreamFailure): void {
    try {
      this.#settle(failure);
    } catch (error) {
      this.#failInternally(error);
    }
  }

  get isUpgrade(): boolean {
    return this.#exchange.request.wantsWebSocket;
  }

  nextAddress(mayQueue: boolean): ChosenTarget | null {
    const target = this.#racing?.next(this, mayQueue) ?? null;
    if (target !== null) this.#tried = [...this.#tried, target.address];
    return target;
  }

  connected(target: ChosenTarget, connection: OpenedConnection | null, unfinished: readonly string[]): void {
    try {
      this.#tried = this.#tried.filter((address) => address !== target.address && !unfinished.includes(address));
      if (target.address !== this.address) {
        this.#trace?.end(null, 'unreachable');
        this.#trace = null;
      }
      this.#target = target;
      this.#send(target, connection ?? target.client, this.#rules.clock.monotonicMs());
    } catch (error) {
      this.#failInternally(error);
    }
  }

  notConnected(failure: UpstreamFailure): void {
    this.failed(failure);
  }

  takeRetry(): boolean {
    const { counters, retries } = this.#rules;
    if (this.count >= retries.maxAttempts || !this.#hasRetry()) return false;
    counters.attempted();
    this.#noteRetry();
    this.count += 1;
    return true;
  }

  restartBody(): BodySource | null {
    return this.#repeatable?.isWhole === true ? this.#repeatable.begin() : null;
  }

  /** @param last the failure of the previous attempt; null: this is the first one */
  #attempt(last: UpstreamFailure | null, nowMs: number): void {
    const choice = this.#rules.chooser.choose(this);
    if (choice.kind !== 'chosen') {
      this.#noTarget(choice, last);
      return;
    }
    if (last !== null && last.wasEvicted !== true) this.#noteRetry();
    this.count += 1;
    this.#begin(choice, nowMs);
  }

  #begin(choice: ChosenTarget, nowMs: number): void {
    if (choice.hasSiblings && choice.client.mustConnect(this.isUpgrade)) {
      this.#connect(choice, nowMs);
      return;
    }
    this.#target = choice;
    this.#send(choice, choice.client, nowMs);
  }

  /** Sends the request to the address of the target's name that is connected first. */
  #connect(first: ChosenTarget, nowMs: number): void {
    const { chooser, clock, scheduler, timeoutMs, upstream } = this.#rules;
    const leftMs = Math.max(1, this.#deadlineMs - nowMs);
    const waitMs = Math.min(chooser.connectMs, leftMs);
    // Queues and other attempts took the time.
    const isShort = waitMs < chooser.connectMs && leftMs * 2 < timeoutMs;
    const race = new ConnectionRace({
      request: this,
      clock,
      scheduler,
      waitMs,
      late: (addresses) => ({
        code: isShort ? 'overloaded' : 'timed_out',
        detail: `no connection to ${addresses.join(', ')} within ${Math.round(waitMs)} ms`,
      }),
    });
    this.#racing = first;
    this.#tried = [...this.#tried, first.address];
    this.address = first.address;
    this.#trace = this.#exchange.trace?.upstreamAttempt(upstream, first.address, this.count) ?? null;
    this.#sent = race;
    race.start(first);
    this.#exchange.waitForUpstream(race);
  }

  #send(target: ChosenTarget, client: Pick<TargetClient, 'send'>, nowMs: number): void {
    const exchange = this.#exchange;
    const rules = this.#rules;
    this.address = target.address;
    this.targetFields = target.responseHeaders;
    const trace = this.#trace ?? exchange.trace?.upstreamAttempt(rules.upstream, target.address, this.count) ?? null;
    this.#trace = trace;
    const sent = client.send(
      {
        method: exchange.request.method,
        target: forwardedTarget(exchange),
        headers: trace === null ? exchange.forwarded.headers : trace.propagate(exchange.forwarded.headers),
        received: exchange.request.received,
        body: this.#repeatable?.begin() ?? exchange.forwarded.body,
        upgradeToWebSocket: exchange.request.wantsWebSocket,
        timeoutMs: Math.max(1, this.#deadlineMs - nowMs),
        readMs: rules.readTimeoutMs,
        configuredTimeoutMs: rules.timeoutMs,
      },
      this,
    );
    this.#sent = sent;
    exchange.waitForUpstream(sent);
  }

  /** The balancer chose no target. */
  #noTarget(choice: Exclude<TargetChoice, ChosenTarget>, last: UpstreamFailure | null): void {
    const { answers } = this.#rules;
    if (last !== null) {
      this.#routeEnded(outcomeOfFailure(last.code));
      answers.failed(this.#exchange, last);
      return;
    }
    // The breaker counts a name without an address like an unreachable target. Ejected targets were counted before.
    this.#routeEnded(choice.kind === 'unresolved' ? 'failure' : 'neither');
    answers.untried(this.#exchange, choice);
  }

  /** Retries a failed attempt on another target, or answers the client. */
  #settle(failure: UpstreamFailure): void {
    const exchange = this.#exchange;
    const { counters, chooser, clock, answers, descriptors } = this.#rules;
    if (failure.isUnconnected === true && this.#givesWay(failure)) return;
    if (failure.isOutOfDescriptors === true) descriptors.noteExhausted();
    if (failure.wasEvicted === true) {
      this.count -= 1;
    } else counters.attempted();
    exchange.waitOver();
    const reported = blamed(exchange, failure);
    const end = endOfFailure(reported.code, reported.detail);
    const isFull = reported.code === 'overloaded' && reported.wasEvicted !== true;
    if (end.outcome === 'failure' || isFull) counters.failed();
    const address = this.#target?.address;
    this.#end(end);
    if (address !== undefined) this.#tried = [...this.#tried, address];
    const nowMs = clock.monotonicMs();
    if (chooser.hasOther(this.#tried) && this.#mayRetry(reported, nowMs)) this.#attempt(reported, nowMs);
    else {
      this.#routeEnded(outcomeOfFailure(reported.code));
      answers.failed(exchange, reported);
    }
  }

  /**
   * A kept connection was closed, and its address can no longer be connected to: goes on with the next address of the
   * name, which is no retry.
   */
  #givesWay(failure: UpstreamFailure): boolean {
    const exchange = this.#exchange;
    const target = this.#target;
    const nowMs = this.#rules.clock.monotonicMs();
    const isRepeatable = exchange.forwarded.body === null || this.#repeatable?.isWhole === true;
    if (target === null || !target.hasSiblings || exchange.abandoned || !isRepeatable) return false;
    if (failure.neverSent !== true || nowMs >= this.#deadlineMs) return false;
    this.#tried = [...this.#tried, target.address];
    const next = target.next(this, true);
    if (next === null) return false;
    exchange.waitOver();
    this.#end(endOfFailure(failure.code, failure.detail));
    this.#begin(next, nowMs);
    return true;
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

  /** Whether the retry budget has a retry left. Counts a refusal. */
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
    const { responseCompressor, responseInspector, maxBufferedResponseOctets, scheduler, streams } = this.#rules;
    const exchange = this.#exchange;
    if (tunnel !== null) {
      exchange.waitOver();
      const over = (): void => this.#finish(endOfStatus(status));
      relayTunnel(exchange, response, tunnel, scheduler).then(over, over);
      followTunnel(exchange, streams);
      return;
    }
    const fault =
      responseInspector === null && maxBufferedResponseOctets === null
        ? compressAndRelay(exchange, response, responseCompressor)
        : inspectAndRelay(exchange, response, this.#rules, {
            cancel: () => this.#sent?.cancel(),
            ended: () => this.#finish(endOfStatus(status)),
          });
    if (!(fault instanceof Promise)) this.#relayed(status, fault);
    else {
      followStream(exchange, response, streams);
      fault.then((late) => this.#relayed(status, late)).catch((error: unknown) => this.#failInternally(error));
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

  /** Ends the attempt and the exchange after an internal error. */
  #failInternally(error: unknown): void {
    this.#sent?.cancel();
    this.#finish(endOfFailure('cancelled', 'internal error of the gateway'));
    this.#exchange.fail(error);
  }

  #finish(end: AttemptEnd): void {
    this.#end(end);
    this.#routeEnded(end.outcome);
  }

  /** Reports the outcome to the route's breaker, once per request. */
  #routeEnded(outcome: AttemptOutcome): void {
    this.#rules.routeBreaker?.ended(this.#period, outcome);
    this.#period = uncountedPeriod;
  }

  /** Ends the attempt. Later calls have no effect. */
  #end({ outcome, errorType, detail }: AttemptEnd): void {
    const target = this.#target;
    this.#target = null;
    target?.ended(outcome, detail);
    this.#trace?.end(this.#status, errorType);
    this.#trace = null;
  }
}

export interface ForwardingOptions extends Omit<ForwardingRules, 'upstream' | 'counters' | 'answers'> {
  /** Null: requests are not mirrored. */
  readonly mirror: RequestMirror | null;
  readonly metrics: GatewayMetrics;
  readonly problems: ProblemAnswerer;
  /** The limit for request bodies. */
  readonly maxBodySize: BodySizeLimit;
}

/** Forwards the request to a target of the upstream, retries it on other targets, and relays the response. */
export const sendToUpstream = (upstream: string, options: ForwardingOptions): Stage => {
  const { chooser, clock, scheduler, metrics, timeoutMs, retries, allowance, problems, routeBreaker } = options;
  const {
    readTimeoutMs,
    streams,
    descriptors,
    maxBufferedResponseOctets,
    responseCompressor,
    responseInspector,
    mirror,
    turnBack,
  } = options;
  const rules: ForwardingRules = {
    upstream,
    chooser,
    clock,
    scheduler,
    counters: metrics.upstream(upstream),
    timeoutMs,
    readTimeoutMs,
    streams,
    descriptors,
    routeBreaker,
    retries,
    allowance,
    answers: new UpstreamFailureAnswers(upstream, options),
    maxBufferedResponseOctets,
    responseCompressor,
    responseInspector,
    turnBack,
  };
  return (exchange) => {
    const period = routeBreaker === null ? uncountedPeriod : routeBreaker.admit();
    if (period === null) {
      const seconds = String(Math.max(1, Math.ceil((routeBreaker?.openForMs ?? 0) / 1000)));
      const detail = 'The circuit breaker of the route is open.';
      return problems.answer(exchange, 'circuit_open', detail, { upstream }, ['Retry-After', seconds]);
    }
    const copy = mirror === null ? null : mirror.begin(exchange);
    exchange.mirror = copy;
    UpstreamForwarder.begin(exchange, rules, period);
    copy?.sent(exchange.attempts.count === 0 ? null : forwardedTarget(exchange));
    return 'ended';
  };
};
