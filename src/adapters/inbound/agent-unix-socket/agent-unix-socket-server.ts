import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import type { AgentService } from '../../../application/ports/agent-service.js';
import type { Clock } from '../../../application/ports/clock.js';
import type { Logger } from '../../../application/ports/logger.js';
import type { ScheduledTask, Scheduler } from '../../../application/ports/scheduler.js';
import type { AgentHealth } from '../../../domain/agent-protocol/health.js';
import { healthJson } from '../../wire/agent-frames/health-codec.js';
import { metricsJson } from '../../wire/agent-frames/metrics-codec.js';
import { bindSocketPath } from './bind-socket-path.js';
import { GatewayConnection } from './gateway-connection.js';
import { HeldOctets } from './held-octets.js';
import { type AgentServerOptions, defaultAgentServerOptions } from './server-options.js';

/** Between two looks at frames that do not end. */
const frameCheckMs = 1_000;

/** Serves an AgentService on a Unix socket: agent protocol v2, JSON frames. */
export class AgentUnixSocketServer {
  readonly #path: string;
  readonly #service: AgentService;
  readonly #clock: Clock;
  readonly #scheduler: Scheduler;
  readonly #logger: Logger;
  readonly #options: AgentServerOptions;
  readonly #server: Server;
  readonly #connections = new Set<GatewayConnection>();
  readonly #held: HeldOctets;
  #tasks: readonly ScheduledTask[] = [];
  #stopListeningToHealth: (() => void) | null = null;
  #isDraining = false;
  #isFull = false;

  constructor(
    path: string,
    service: AgentService,
    clock: Clock,
    scheduler: Scheduler,
    logger: Logger,
    options: Partial<AgentServerOptions> = {},
  ) {
    this.#path = path;
    this.#service = service;
    this.#clock = clock;
    this.#scheduler = scheduler;
    this.#logger = logger;
    this.#options = { ...defaultAgentServerOptions, ...options };
    this.#held = new HeldOctets(this.#options.maxHeldBytes);
    this.#server = createServer((socket) => this.#accept(socket));
    this.#server.maxConnections = this.#options.maxConnections;
    this.#server.on('drop', () => this.#onDrop());
  }

  /** Gateways that are connected. */
  get connections(): number {
    return this.#connections.size;
  }

  /** Listens with mode 0660. Rejects with an AgentSocketError. */
  async listen(): Promise<void> {
    await bindSocketPath(this.#server, this.#path);
    this.#server.on('error', (error) => this.#logger.error('The agent socket failed', { reason: error.message }));
    this.#stopListeningToHealth = this.#service.onHealthChange(() => this.#reportHealth());
    this.#tasks = [
      this.#scheduler.every(this.#options.healthIntervalMs, () => this.#reportHealth()),
      this.#scheduler.every(this.#options.metricsIntervalMs, () => this.#reportMetrics()),
      this.#scheduler.every(Math.min(frameCheckMs, this.#options.frameTimeoutMs), () => this.#checkFrames()),
    ];
    this.#logger.info('The agent listens', { socket: this.#path });
  }

  /**
   * Takes no new connection, removes the socket, tells the gateways, with what has been counted, and closes each connection once nothing is in
   * flight on it; what is left after the grace is cut off. Resolves when all of them are closed.
   */
  async drain(graceMs: number): Promise<void> {
    if (this.#isDraining || !this.#server.listening) return;
    this.#isDraining = true;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#reportHealth();
    for (const connection of this.#connections) connection.drain();
    const grace = this.#scheduler.after(graceMs, () => {
      for (const connection of this.#connections) connection.destroy();
    });
    await closed;
    grace.cancel();
    this.#stopListeningToHealth?.();
    for (const task of this.#tasks) task.cancel();
  }

  #accept(socket: Socket): void {
    const parts = {
      service: this.#service,
      clock: this.#clock,
      scheduler: this.#scheduler,
      logger: this.#logger,
      options: this.#options,
      held: this.#held,
    };
    const connection = new GatewayConnection(socket, parts, (greeted) => {
      greeted.report('health_status', healthJson(this.#health()));
      if (this.#isDraining) greeted.drain();
    });
    this.#connections.add(connection);
    socket.once('close', () => {
      this.#connections.delete(connection);
      this.#isFull = false;
    });
  }

  #onDrop(): void {
    if (this.#isFull) return;
    this.#isFull = true;
    this.#logger.warn('Connections are turned away', { limit: this.#options.maxConnections });
  }

  /** An agent that drains says so whatever else is the matter with it. */
  #health(): AgentHealth {
    const health = this.#service.health();
    return this.#isDraining ? { ...health, state: 'draining' } : health;
  }

  #reportHealth(): void {
    if (this.#connections.size === 0) return;
    const health = this.#health();
    // A gateway with nothing in flight leaves at this word.
    if (health.state === 'draining') this.#reportMetrics();
    const json = healthJson(health);
    for (const connection of this.#connections) connection.report('health_status', json);
  }

  #checkFrames(): void {
    for (const connection of this.#connections) connection.checkFrame();
  }

  #reportMetrics(): void {
    if (this.#connections.size === 0) return;
    const json = metricsJson(this.#service.metrics());
    for (const connection of this.#connections) connection.report('metrics_report', json);
  }
}
