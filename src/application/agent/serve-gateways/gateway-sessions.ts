import type { AgentHealth } from '../../../domain/agent-protocol/health.js';
import type { AgentService } from '../../ports/agent/agent-service.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { Logger } from '../../ports/shared/logger.js';
import type { ScheduledTask, Scheduler } from '../../ports/shared/scheduler.js';
import { BufferedOctetCounter } from './buffered-octet-counter.js';
import type { GatewayConnection, SessionOptions } from './gateway-connection.js';
import { GatewaySession, type GatewaySessionOptions } from './gateway-session.js';

/** The gateway sessions of one server: their common memory limit, their reports, and draining. */
export class GatewaySessions {
  readonly #parts: GatewaySessionOptions;
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

  /** Opens the session of a new connection, whose handshake must arrive in time. */
  open(connection: GatewayConnection): GatewaySession {
    const session = new GatewaySession(connection, this.#parts, (greeted) => {
      greeted.reportHealth(this.#health());
      if (this.#isDraining) greeted.drain();
    });
    this.#sessions.add(session);
    return session;
  }

  /** Removes the session of a closed connection. */
  close(session: GatewaySession): void {
    session.closed();
    this.#sessions.delete(session);
  }

  /** Starts the periodic reports. */
  start(): void {
    const { service, scheduler, options } = this.#parts;
    this.#stopListeningToHealth = service.onHealthChange(() => this.#reportHealth());
    this.#tasks = [
      scheduler.every(options.healthIntervalMs, () => this.#reportHealth()),
      scheduler.every(options.metricsIntervalMs, () => this.#reportMetrics()),
    ];
  }

  /** Reports `draining` and the metrics to every gateway, and closes each session when it is idle. */
  drain(): void {
    this.#isDraining = true;
    this.#reportHealth();
    for (const session of this.#sessions) session.drain();
  }

  /** Closes every session immediately. */
  cutOff(reason: string): void {
    for (const session of this.#sessions) session.cutOff(reason);
  }

  /** Stops the reports. */
  stop(): void {
    this.#stopListeningToHealth?.();
    for (const task of this.#tasks) task.cancel();
  }

  /** The health of the agent; `draining` takes precedence. */
  #health(): AgentHealth {
    const health = this.#parts.service.health();
    return this.#isDraining ? { ...health, state: 'draining' } : health;
  }

  #reportHealth(): void {
    if (this.#sessions.size === 0) return;
    const health = this.#health();
    // An idle gateway leaves after this report.
    if (health.state === 'draining') this.#reportMetrics();
    for (const session of this.#sessions) session.reportHealth(health);
  }

  #reportMetrics(): void {
    if (this.#sessions.size === 0) return;
    const report = this.#parts.service.metrics();
    for (const session of this.#sessions) session.reportMetrics(report);
  }
}
