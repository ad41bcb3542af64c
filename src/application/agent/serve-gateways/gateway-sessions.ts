import type { AgentHealth } from '../../../domain/agent-protocol/health.js';
import type { AgentService } from '../../ports/agent/agent-service.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { Logger } from '../../ports/shared/logger.js';
import type { ScheduledTask, Scheduler } from '../../ports/shared/scheduler.js';
import { BufferedOctetCounter } from './buffered-octet-counter.js';
import type { GatewayConnection, SessionOptions } from './gateway-connection.js';
import { GatewaySession, type GatewaySessionParts } from './gateway-session.js';

/**
 * The gateways that are connected to one server of an agent: what they hold together, the reports to them, the drain.
 */
export class GatewaySessions {
  readonly #parts: GatewaySessionParts;
  readonly #sessions = new Set<GatewaySession>();
  #tasks: readonly ScheduledTask[] = [];
  #stopListeningToHealth: (() => void) | null = null;
  #isDraining = false;

  constructor(
    service: AgentService,
    parts: { readonly clock: Clock; readonly scheduler: Scheduler; readonly logger: Logger },
    options: SessionOptions,
  ) {
    const { clock, scheduler, logger } = parts;
    this.#parts = { service, clock, scheduler, logger, options, held: new BufferedOctetCounter(options.maxHeldBytes) };
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** A gateway has connected; its handshake has to come in time. */
  open(line: GatewayConnection): GatewaySession {
    const session = new GatewaySession(line, this.#parts, (greeted) => {
      greeted.reportHealth(this.#health());
      if (this.#isDraining) greeted.drain();
    });
    this.#sessions.add(session);
    return session;
  }

  /** Its transport has ended. */
  close(session: GatewaySession): void {
    session.closed();
    this.#sessions.delete(session);
  }

  /** Reports from now on. */
  start(): void {
    const { service, scheduler, options } = this.#parts;
    this.#stopListeningToHealth = service.onHealthChange(() => this.#reportHealth());
    this.#tasks = [
      scheduler.every(options.healthIntervalMs, () => this.#reportHealth()),
      scheduler.every(options.metricsIntervalMs, () => this.#reportMetrics()),
    ];
  }

  /** Tells every gateway, with what has been counted, and ends each session once nothing is in flight on it. */
  drain(): void {
    this.#isDraining = true;
    this.#reportHealth();
    for (const session of this.#sessions) session.drain();
  }

  /** Ends every session at once. */
  cutOff(reason: string): void {
    for (const session of this.#sessions) session.cutOff(reason);
  }

  /** Reports no more. */
  stop(): void {
    this.#stopListeningToHealth?.();
    for (const task of this.#tasks) task.cancel();
  }

  /** An agent that drains says so whatever else is the matter with it. */
  #health(): AgentHealth {
    const health = this.#parts.service.health();
    return this.#isDraining ? { ...health, state: 'draining' } : health;
  }

  #reportHealth(): void {
    if (this.#sessions.size === 0) return;
    const health = this.#health();
    // A gateway with nothing in flight leaves at this word.
    if (health.state === 'draining') this.#reportMetrics();
    for (const session of this.#sessions) session.reportHealth(health);
  }

  #reportMetrics(): void {
    if (this.#sessions.size === 0) return;
    const report = this.#parts.service.metrics();
    for (const session of this.#sessions) session.reportMetrics(report);
  }
}
