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
import type { BufferedOctetCounter, OctetHolder } from './buffered-octet-counter.js';
import { failedAnswer, type GatewayConnection, type SessionOptions } from './gateway-connection.js';
import { Judgements } from './judgements.js';
import { agreeWith, offerConfiguration } from './offered-configuration.js';

export interface GatewaySessionParts {
  readonly service: AgentService;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
  readonly options: SessionOptions;
  readonly held: BufferedOctetCounter;
}

/** A Configure message of a gateway. */
export interface HandedOverConfiguration {
  /** Empty where the gateway gave none. */
  readonly correlationId: string;
  readonly config: JsonValue;
  /** The same on every connection by which the gateway hands over one change; null where it gave none. */
  readonly version: string | null;
}

/**
 * `configuring`: the answer to the handshake waits for the service. `ending`: what is written leaves, nothing is
 * taken.
 */
type Phase = 'handshake' | 'configuring' | 'open' | 'ending' | 'over';

/** Requests of one connection that are remembered after their heads were answered. */
const maximumFollowed = 4_096;

/** Configurations that wait for the service, from which on nothing more is taken. */
const maximumConfigures = 4;

/** Characters of a text of a gateway that the log takes, at most. */
const maximumLoggedText = 200;

const forLog = (text: string): string => text.slice(0, maximumLoggedText);

/**
 * One connection of a gateway to an agent of ours, whatever carries it: the order of its messages, the judgements in
 * flight, the configurations, the end. The transport reads messages, hands each to the method of its name while
 * `canTake` is true, and says `closed` when it is over, whoever ended it.
 */
export class GatewaySession implements OctetHolder {
  readonly #line: GatewayConnection;
  readonly #parts: GatewaySessionParts;
  readonly #judgements: Judgements;
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

  /** @param greeting called once the handshake has succeeded, for what is sent first */
  constructor(line: GatewayConnection, parts: GatewaySessionParts, greeting: (session: GatewaySession) => void) {
    this.#line = line;
    this.#parts = parts;
    this.#greeting = greeting;
    const { connection } = this.#giver;
    this.#judgements = new Judgements(parts.service, connection, parts.logger, this.#answer, this.#settled);
    this.#handshakeDeadline = parts.scheduler.after(parts.options.handshakeTimeoutMs, () => {
      this.fail('no handshake came in time');
    });
  }

  /** Whether nothing that comes matters any more. */
  get isOver(): boolean {
    return this.#phase === 'ending' || this.#phase === 'over';
  }

  /** Whether the next message may be handed over. Where it may not, it waits in the transport until `line.resume`. */
  get canTake(): boolean {
    return (
      (this.#phase === 'handshake' || this.#phase === 'open') &&
      this.#stalledSinceMs === null &&
      this.#configures < maximumConfigures &&
      !this.#judgements.isFull
    );
  }

  handshake(request: HandshakeRequest): void {
    if (this.#phase === 'handshake') void this.#handshake(request);
    else this.fail('a second handshake');
  }

  /** @param size octets that it came in */
  event(event: AgentEvent, size: number): void {
    if (!this.#isGreeted()) return;
    this.#follow(event);
    const fault = this.#judgements.add(event, size);
    if (fault === null) this.#noteHeld();
    else this.fail(fault);
  }

  /** One after the other: the last one that was sent is the one that stays. */
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
    this.#judgements.cancel(correlationId, reason);
    this.#followed.delete(correlationId);
    if (this.#isDraining) this.#endWhenIdle();
    this.#noteHeld();
  }

  /**
   * Whether the transport may answer a message by itself: a ping, or an event that no agent of ours knows. Where it may
   * not, the session has failed.
   *
   * @param correlationId of an event: one that is in flight must not get the answer to another; null for a ping
   */
  admits(correlationId: string | null): boolean {
    if (!this.#isGreeted()) return false;
    if (correlationId === null || !this.#judgements.has(correlationId)) return true;
    this.fail('two events in flight for one correlation id');
    return false;
  }

  /** What the transport itself holds of messages that are not complete or not handed over, in octets. */
  holds(octets: number): void {
    this.#transportBytes = octets;
    this.#noteHeld();
  }

  /** Output begins to wait for the peer, so that nothing more is taken until it flows. */
  stalled(): void {
    this.#stalledSinceMs ??= this.#parts.clock.monotonicMs();
  }

  /** Output has left. The transport goes on reading by itself. */
  flowing(): void {
    this.#stalledSinceMs = null;
  }

  reportHealth(health: AgentHealth): void {
    if (this.#isReading()) this.#line.sendHealth(health);
  }

  reportMetrics(report: MetricsReport): void {
    if (this.#isReading()) this.#line.sendMetrics(report);
  }

  /**
   * Ends it once nothing is in flight, and nothing more is to come of requests that the agent has let pass: how long
   * that takes is the gateway's to say, which closes the connection, and the grace's. It has been told by a health
   * report.
   */
  drain(): void {
    this.#isDraining = true;
    if (this.#phase === 'open') this.#endWhenIdle();
    else this.#end();
  }

  /** Ends it at once, for what the peer did. @param reason one clause; quotes nothing that came */
  fail(reason: string): void {
    if (this.isOver) return;
    this.#parts.logger.warn('A gateway connection is closed', { reason, proxy_id: forLog(this.#giver.proxyId) });
    this.cutOff(reason);
  }

  giveUp(reason: string): void {
    this.fail(reason);
  }

  /** Ends it at once. */
  cutOff(reason: string): void {
    if (this.#phase === 'over') return;
    this.#phase = 'ending';
    this.#line.cutOff(reason);
  }

  /** The transport has ended; whatever waits is dropped. */
  closed(): void {
    if (this.#phase === 'over') return;
    this.#phase = 'over';
    this.#handshakeDeadline.cancel();
    this.#ending?.cancel();
    this.#parts.held.forget(this);
    this.#judgements.close();
  }

  #isGreeted(): boolean {
    if (this.#phase === 'open') return true;
    if (!this.isOver) this.fail('a message before the handshake');
    return false;
  }

  /** Whether a report can be sent. A peer that has not read for too long is let go. */
  #isReading(): boolean {
    if (this.#phase !== 'open') return false;
    const since = this.#stalledSinceMs;
    if (since === null || this.#parts.clock.monotonicMs() - since < this.#parts.options.writeTimeoutMs) return true;
    this.fail('the gateway does not read');
    return false;
  }

  #noteHeld(): void {
    const octets = this.#transportBytes + this.#judgements.waitingBytes;
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
    // It may have ended meanwhile.
    if (this.#phase !== 'configuring') return;
    this.#phase = 'open';
    this.#line.sendHandshake(response, service.capabilities());
    if (!response.success) {
      logger.warn('A handshake was refused', { proxy_id: forLog(proxyId), reason: response.error });
      this.#end();
      return;
    }
    logger.info('A gateway has connected', { proxy_id: forLog(proxyId), version: forLog(proxyVersion) });
    this.#greeting(this);
    this.#line.resume();
  }

  async #configure({ correlationId, config, version }: HandedOverConfiguration): Promise<void> {
    // Whoever has gone does not speak any more: its next handshake says what it wants.
    if (this.isOver) return;
    const { service, logger } = this.#parts;
    const outcome = await offerConfiguration(service, config, this.#giver, { occasion: 'change', version }, logger);
    if (this.#phase === 'open') this.#line.sendConfigured(correlationId, outcome);
  }

  /** More is to come of a request, as far as the agent takes it, until its end has been told or it has been refused. */
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
    // A gateway leaves with the last answer of an agent that drains: what has been counted must be there before it.
    if (this.#isDraining && this.#judgements.isIdle) this.reportMetrics(this.#parts.service.metrics());
    const fault = this.#line.sendAnswer(answer, correlationId);
    if (fault === null) return;
    this.#parts.logger.error('An answer could not be sent', { reason: fault, correlation_id: correlationId });
    this.#line.sendAnswer(failedAnswer, correlationId);
  };

  readonly #settled = (): void => {
    if (this.#phase === 'over') return;
    if (this.#isDraining) this.#endWhenIdle();
    this.#noteHeld();
    this.#line.resume();
  };

  #endWhenIdle(): void {
    if (this.isOver) return;
    this.#ending?.cancel();
    this.#ending = null;
    if (!this.#judgements.isIdle || this.#followed.size > 0) return;
    this.#ending = this.#parts.scheduler.after(this.#parts.options.drainLingerMs, () => {
      if (this.#judgements.isIdle && this.#followed.size === 0) this.#end();
    });
  }

  /** Ends after what is written has left. */
  #end(): void {
    if (this.isOver) return;
    this.#phase = 'ending';
    this.#handshakeDeadline.cancel();
    this.#line.end();
    // A peer that neither reads nor closes must not keep the connection.
    this.#ending = this.#parts.scheduler.after(this.#parts.options.handshakeTimeoutMs, () => {
      this.cutOff('the connection was not closed in time');
    });
  }
}
