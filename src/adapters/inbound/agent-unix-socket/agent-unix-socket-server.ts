import { GatewaySessions } from '../../../application/agent/serve-gateways/gateway-sessions.js';
import type { AgentService } from '../../../application/ports/agent/agent-service.js';
import type { Clock } from '../../../application/ports/shared/clock.js';
import type { Logger } from '../../../application/ports/shared/logger.js';
import type { ScheduledTask, Scheduler } from '../../../application/ports/shared/scheduler.js';
import type { Acceptor } from '../../stream-sockets/socket-layer.js';
import type { SocketLayerSelector } from '../../stream-sockets/socket-layer-selector.js';
import type { StreamSocket } from '../../stream-sockets/stream-socket.js';
import { RequestHeadReader } from '../../wire/agent-frames/request-head-reader.js';
import { listenOnSocketFile } from './bind-socket-path.js';
import { type AgentServerOptions, defaultAgentServerOptions } from './server-options.js';
import { UnixSocketGatewayConnection } from './unix-socket-gateway-connection.js';

/** Interval between checks of frame timeouts, in milliseconds. */
const frameCheckMs = 1_000;

/** The ports and the socket layer of the server. */
export interface AgentServerServices {
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
  readonly layers: SocketLayerSelector;
}

/** Serves an AgentService on a Unix socket: agent protocol v2, JSON frames. */
export class AgentUnixSocketServer {
  readonly #path: string;
  readonly #clock: Clock;
  readonly #scheduler: Scheduler;
  readonly #logger: Logger;
  readonly #options: AgentServerOptions;
  readonly #acceptor: Acceptor;
  readonly #sessions: GatewaySessions;
  readonly #connections = new Set<UnixSocketGatewayConnection>();
  readonly #heads = new RequestHeadReader();
  #frameChecks: ScheduledTask | null = null;
  #isListening = false;
  #isFull = false;

  constructor(
    path: string,
    service: AgentService,
    { clock, scheduler, logger, layers }: AgentServerServices,
    options: Partial<AgentServerOptions> = {},
  ) {
    this.#path = path;
    this.#clock = clock;
    this.#scheduler = scheduler;
    this.#logger = logger;
    this.#options = { ...defaultAgentServerOptions, ...options };
    this.#sessions = new GatewaySessions(service, { clock, scheduler, logger }, this.#options);
    this.#acceptor = layers.current.pathAcceptor(path, {
      accepted: (socket) => this.#accept(socket),
      failed: ({ message: reason }) => logger.error('The agent socket failed', { reason }),
    });
  }

  /** Number of open gateway connections. */
  get connections(): number {
    return this.#connections.size;
  }

  /** Listens with mode 0660. Rejects with an AgentSocketError. */
  async listen(): Promise<void> {
    await listenOnSocketFile(
      { listen: () => this.#acceptor.listen(), close: () => this.#acceptor.close(() => undefined) },
      this.#path,
    );
    this.#isListening = true;
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
    if (!this.#isListening) return;
    this.#isListening = false;
    const closed = new Promise<void>((resolve) => this.#acceptor.close(resolve));
    this.#sessions.drain();
    const grace = this.#scheduler.after(graceMs, () => this.#sessions.cutOff('the agent has stopped'));
    await closed;
    grace.cancel();
    this.#sessions.stop();
    this.#frameChecks?.cancel();
  }

  #accept(socket: StreamSocket): void {
    if (this.#connections.size >= this.#options.maxConnections) {
      socket.destroy();
      this.#noteRefusal();
      return;
    }
    const options = { clock: this.#clock, logger: this.#logger, options: this.#options, heads: this.#heads };
    const connection = new UnixSocketGatewayConnection(socket, this.#sessions, options);
    this.#connections.add(connection);
    socket.once('close', () => {
      this.#connections.delete(connection);
      this.#isFull = false;
    });
  }

  #noteRefusal(): void {
    if (this.#isFull) return;
    this.#isFull = true;
    this.#logger.warn('Connections are refused', { limit: this.#options.maxConnections });
  }
}
