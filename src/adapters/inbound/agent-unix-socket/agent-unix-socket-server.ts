import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { GatewaySessions } from '../../../application/agent/serve-gateways/gateway-sessions.js';
import type { AgentService } from '../../../application/ports/agent/agent-service.js';
import type { Clock } from '../../../application/ports/shared/clock.js';
import type { Logger } from '../../../application/ports/shared/logger.js';
import type { ScheduledTask, Scheduler } from '../../../application/ports/shared/scheduler.js';
import { RequestHeadReader } from '../../wire/agent-frames/request-head-reader.js';
import { bindSocketPath } from './bind-socket-path.js';
import { type AgentServerOptions, defaultAgentServerOptions } from './server-options.js';
import { UnixSocketGatewayConnection } from './unix-socket-gateway-connection.js';

/** Interval between checks of frame timeouts, in milliseconds. */
const frameCheckMs = 1_000;

/** Serves an AgentService on a Unix socket: agent protocol v2, JSON frames. */
export class AgentUnixSocketServer {
  readonly #path: string;
  readonly #clock: Clock;
  readonly #scheduler: Scheduler;
  readonly #logger: Logger;
  readonly #options: AgentServerOptions;
  readonly #server: Server;
  readonly #sessions: GatewaySessions;
  readonly #connections = new Set<UnixSocketGatewayConnection>();
  readonly #heads = new RequestHeadReader();
  #frameChecks: ScheduledTask | null = null;
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
    this.#clock = clock;
    this.#scheduler = scheduler;
    this.#logger = logger;
    this.#options = { ...defaultAgentServerOptions, ...options };
    this.#sessions = new GatewaySessions(service, { clock, scheduler, logger }, this.#options);
    this.#server = createServer((socket) => this.#accept(socket));
    this.#server.maxConnections = this.#options.maxConnections;
    this.#server.on('drop', () => this.#onDrop());
  }

  /** Number of open gateway connections. */
  get connections(): number {
    return this.#connections.size;
  }

  /** Listens with mode 0660. Rejects with an AgentSocketError. */
  async listen(): Promise<void> {
    await bindSocketPath(this.#server, this.#path);
    this.#server.on('error', (error) => this.#logger.error('The agent socket failed', { reason: error.message }));
    this.#sessions.start();
    const checkMs = Math.min(frameCheckMs, this.#options.frameTimeoutMs);
    this.#frameChecks = this.#scheduler.every(checkMs, () => {
      for (const connection of this.#connections) connection.checkFrame();
    });
    this.#logger.info('The agent listens', { socket: this.#path });
  }

  /**
   * Refuses new connections, removes the socket file, sends gateways the health state and final
   * metrics, and closes each connection that has no request in flight. Cuts off the rest after
   * `graceMs`. Resolves when all are closed.
   */
  async drain(graceMs: number): Promise<void> {
    if (this.#isDraining || !this.#server.listening) return;
    this.#isDraining = true;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#sessions.drain();
    const grace = this.#scheduler.after(graceMs, () => this.#sessions.cutOff('the agent has stopped'));
    await closed;
    grace.cancel();
    this.#sessions.stop();
    this.#frameChecks?.cancel();
  }

  #accept(socket: Socket): void {
    const options = { clock: this.#clock, logger: this.#logger, options: this.#options, heads: this.#heads };
    const connection = new UnixSocketGatewayConnection(socket, this.#sessions, options);
    this.#connections.add(connection);
    socket.once('close', () => {
      this.#connections.delete(connection);
      this.#isFull = false;
    });
  }

  #onDrop(): void {
    if (this.#isFull) return;
    this.#isFull = true;
    this.#logger.warn('Connections are refused', { limit: this.#options.maxConnections });
  }
}
