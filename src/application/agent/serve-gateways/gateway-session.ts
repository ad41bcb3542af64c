import { FollowedRequests } from '../../../domain/agent-protocol/followed-requests.js';
import type { HandshakeRequest } from '../../../domain/agent-protocol/handshake.js';
import type { AgentHealth } from '../../../domain/agent-protocol/health.js';
import type { AgentAnswer, AgentEvent, CancelReason } from '../../../domain/agent-protocol/messages.js';
import type { MetricsReport } from '../../../domain/agent-protocol/metrics-report.js';
import type { JsonValue } from '../../../domain/shared/json.js';
import type { AgentService, ConfigurationGiver } from '../../ports/agent/agent-service.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { Logger } from '../../ports/shared/logger.js';
import type { ScheduledTask, Scheduler } from '../../ports/shared/scheduler.js';
import type { BufferedOctetCounter, BufferingConnection } from './buffered-octet-counter.js';
import { failedAnswer, type GatewayConnection, type SessionOptions } from './gateway-connection.js';
import { agreeWith, offerConfiguration } from './offered-configuration.js';
import { PendingEvents } from './pending-events.js';

export interface GatewaySessionOptions {
  readonly service: AgentService;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
  readonly options: SessionOptions;
  readonly held: BufferedOctetCounter;
}

/** A Configure message of a gateway. */
export interface HandedOverConfiguration {
  /** Empty if the gateway sent none. */
  readonly correlationId: string;
  readonly config: JsonValue;
  /** Equal on all connections that carry one change; null if the gateway sent none. */
  readonly version: string | null;
}

/** `configuring`: the handshake waits for the service. `ending`: output is sent, input is dropped. */
type Phase = 'handshake' | 'configuring' | 'open' | 'ending' | 'over';

/** Maximum requests per connection that are followed after their heads were answered. */
const maximumFollowed = 4_096;

/** Maximum waiting configurations. At the limit, no more input is read. */
const maximumConfigures = 4;

/** Maximum characters of a gateway's text in the log. */
const maximumLoggedText = 200;

const forLog = (text: string): string => text.slice(0, maximumLoggedText);

/**
 * The session of a gateway on one connection, over any transport: message order, pending events, configurations,
 * closing. The transport reads messages and passes each to the method of its name while `canTake` is true. It calls
 * `closed` at the end in any case.
 */
export class GatewaySession implements BufferingConnection {
  readonly #connection: GatewayConnection;
  readonly #parts: GatewaySessionOptions;
  readonly #pending: PendingEvents;
  readonly #handshakeDeadline: ScheduledTask;
  readonly #followed = new FollowedRequests(maximumFollowed);
  readonly #greeting: (session: GatewaySession) => void;
  #phase: Phase = 'handshake';
  #giver: ConfigurationGiver = { proxyId: '', proxyVersion: '', connection: Symbol('connection') };
  #isDraining = false;
  #configures = 0;
  #configuring: Promise<void> = Promise.resolve();
  #ending: ScheduledTask | null = null;
  /** When output began to wait for the peer; null while it reads. */
  #stalledSinceMs: number | null = null;
  #transportBytes = 0;
  #notedBytes = 0;

  /** @param greeting called after a successful handshake, to send the first reports */
  constructor(
    connection: GatewayConnection,
    parts: GatewaySessionOptions,
    greeting: (session: GatewaySession) => void,
  ) {
    this.#connection = connection;
    this.#parts = parts;
    this.#greeting = greeting;
    const { service, logger } = parts;
    this.#pending = new PendingEvents(service, this.#giver.connection, logger, this.#answer, this.#settled);
    this.#handshakeDeadline = parts.scheduler.after(parts.options.handshakeTimeoutMs, () => {
      this.fail('no handshake arrived in time');
    });
  }

  /** Whether input no longer matters. */
  get isOver(): boolean {
    return this.#phase === 'ending' || this.#phase === 'over';
  }

  /** Whether the next message may be passed on. Otherwise it waits in the transport until `connection.resume`. */
  get canTake(): boolean {
    return (
      (this.#phase === 'handshake' || this.#phase === 'open') &&
      this.#stalledSinceMs === null &&
      this.#configures < maximumConfigures &&
      !this.#pending.isFull
    );
  }

  handshake(request: HandshakeRequest): void {
    if (this.#phase === 'handshake') void this.#handshake(request);
    else this.fail('a second handshake');
  }

  /** @param size octets of the encoded event */
  event(event: AgentEvent, size: number): void {
    if (!this.#isGreeted()) return;
    this.#follow(event);
    const fault = this.#pending.add(event, size);
    if (fault === null) this.#noteHeld();
    else this.fail(fault);
  }

  /** Runs one after the other, so that the latest configuration wins. */
  configure(handed: HandedOverConfiguration): void {
    if (!this.#isGreeted()) return;
    this.#configures += 1;
    this.#configuring = this.#configuring.then(async () => {
      await this.#configure(handed);
      this.#configures -= 1;
      this.#settled();
    });
  }

  cancel(correlationId: string, reason: CancelReason): void {
    if (!this.#isGreeted()) return;
    this.#pending.cancel(correlationId, reason);
    this.#followed.delete(correlationId);
    if (this.#isDraining) this.#endWhenIdle();
    this.#noteHeld();
  }

  /**
   * Whether the transport may answer a message itself: a ping, or an event of an unknown kind. Otherwise the session
   * fails.
   * @param correlationId of an event, which must not be pending already; null for a ping
   */
  admits(correlationId: string | null): boolean {
    if (!this.#isGreeted()) return false;
    if (correlationId === null || !this.#pending.has(correlationId)) return true;
    this.fail('two events in flight for one correlation id');
    return false;
  }

  /** Records the octets that the transport buffers: incomplete messages and messages not passed on. */
  holds(octets: number): void {
    this.#transportBytes = octets;
    this.#noteHeld();
  }

  /** Output waits for the peer. No input is accepted until it flows. */
  stalled(): void {
    this.#stalledSinceMs ??= this.#parts.clock.monotonicMs();
  }

  /** Output flows again. The transport resumes reading itself. */
  flowing(): void {
    this.#stalledSinceMs = null;
  }

  reportHealth(health: AgentHealth): void {
    if (this.#isReading()) this.#connection.sendHealth(health);
  }

  reportMetrics(report: MetricsReport): void {
    if (this.#isReading()) this.#connection.sendMetrics(report);
  }

  /**
   * Closes the session when no event is pending and no followed request has further events. The gateway may close
   * earlier, and the grace period limits the wait. A health report has announced the drain.
   */
  drain(): void {
    this.#isDraining = true;
    if (this.#phase === 'open') this.#endWhenIdle();
    else this.#end();
  }

  /** Closes the session because of a fault of the peer. @param reason one clause; contains no input */
  fail(reason: string): void {
    if (this.isOver) return;
    this.#parts.logger.warn('a gateway connection was closed', { reason, proxy_id: forLog(this.#giver.proxyId) });
    this.cutOff(reason);
  }

  giveUp(reason: string): void {
    this.fail(reason);
  }

  /** Closes the session immediately. */
  cutOff(reason: string): void {
    if (this.#phase === 'over') return;
    this.#phase = 'ending';
    this.#connection.cutOff(reason);
  }

  /** The transport has closed; everything pending is dropped. */
  closed(): void {
    if (this.#phase === 'over') return;
    this.#phase = 'over';
    this.#handshakeDeadline.cancel();
    this.#ending?.cancel();
    this.#parts.held.forget(this);
    this.#pending.close();
  }

  #isGreeted(): boolean {
    if (this.#phase === 'open') return true;
    if (!this.isOver) this.fail('a message before the handshake');
    return false;
  }

  /** Whether a report can be sent. Closes the session if the peer has not read for too long. */
  #isReading(): boolean {
    if (this.#phase !== 'open') return false;
    const since = this.#stalledSinceMs;
    if (since === null || this.#parts.clock.monotonicMs() - since < this.#parts.options.writeTimeoutMs) return true;
    this.fail('the gateway does not read');
    return false;
  }

  #noteHeld(): void {
    const octets = this.#transportBytes + this.#pending.waitingBytes;
    if (octets === this.#notedBytes || this.isOver) return;
    this.#notedBytes = octets;
    this.#parts.held.note(this, octets);
  }

  async #handshake(request: HandshakeRequest): Promise<void> {
    this.#handshakeDeadline.cancel();
    this.#phase = 'configuring';
    const { proxyId, proxyVersion } = request;
    const { service, logger } = this.#parts;
    this.#giver = { ...this.#giver, proxyId, proxyVersion };
    const response = await agreeWith(request, this.#giver, service, logger);
    // The session may have ended meanwhile.
    if (this.#phase !== 'configuring') return;
    this.#phase = 'open';
    this.#connection.sendHandshake(response, service.capabilities());
    if (!response.success) {
      logger.warn('a handshake was refused', { proxy_id: forLog(proxyId), reason: response.error });
      this.#end();
      return;
    }
    logger.info('a gateway has connected', { proxy_id: forLog(proxyId), version: forLog(proxyVersion) });
    this.#greeting(this);
    this.#connection.resume();
  }

  async #configure({ correlationId, config, version }: HandedOverConfiguration): Promise<void> {
    // A gateway that has left sends its configuration again with its next handshake.
    if (this.isOver) return;
    const { service, logger } = this.#parts;
    const outcome = await offerConfiguration(service, config, this.#giver, { occasion: 'change', version }, logger);
    if (this.#phase === 'open') this.#connection.sendConfigured(correlationId, outcome);
  }

  /** Follows a request until its end was reported or it was refused, if the agent subscribes to further events. */
  #follow({ kind, correlationId }: AgentEvent): void {
    const { supportedEvents } = this.#parts.service.capabilities();
    const hearsEnd = supportedEvents.includes('request_complete');
    if (kind === 'request_headers' && (hearsEnd || supportedEvents.includes('response_headers'))) {
      this.#followed.add(correlationId);
    } else if (kind === 'request_complete' || (kind === 'response_headers' && !hearsEnd)) {
      this.#followed.delete(correlationId);
    }
  }

  readonly #answer = (answer: AgentAnswer, correlationId: string): void => {
    if (this.#phase !== 'open') return;
    if (answer.decision.kind !== 'allow') this.#followed.delete(correlationId);
    // The gateway leaves after the last answer of a draining agent, so the metrics must be sent before it.
    if (this.#isDraining && this.#pending.isIdle) this.reportMetrics(this.#parts.service.metrics());
    const fault = this.#connection.sendAnswer(answer, correlationId);
    if (fault === null) return;
    this.#parts.logger.error('an answer could not be sent', { reason: fault, correlation_id: correlationId });
    this.#connection.sendAnswer(failedAnswer, correlationId);
  };

  readonly #settled = (): void => {
    if (this.#phase === 'over') return;
    if (this.#isDraining) this.#endWhenIdle();
    this.#noteHeld();
    this.#connection.resume();
  };

  #endWhenIdle(): void {
    if (this.isOver) return;
    this.#ending?.cancel();
    this.#ending = null;
    if (!this.#pending.isIdle || this.#followed.size > 0) return;
    this.#ending = this.#parts.scheduler.after(this.#parts.options.drainLingerMs, () => {
      if (this.#pending.isIdle && this.#followed.size === 0) this.#end();
    });
  }

  /** Closes the session after all output was sent. */
  #end(): void {
    if (this.isOver) return;
    this.#phase = 'ending';
    this.#handshakeDeadline.cancel();
    this.#connection.end();
    // A peer that neither reads nor closes must not keep the connection.
    this.#ending = this.#parts.scheduler.after(this.#parts.options.handshakeTimeoutMs, () => {
      this.cutOff('the connection was not closed in time');
    });
  }
}
