import type { AgentStatus } from '../../../application/ports/agent-client.js';
import type { AgentState } from '../../../domain/agent-protocol/health.js';
import type { AgentConnection } from './agent-connection.js';
import { ConnectionSlot, type ConnectionSlotParts } from './connection-slot.js';

/** From the best to the worst. */
const severities: readonly AgentState[] = ['healthy', 'degraded', 'unhealthy'];

/** The connections to one agent, each of which comes back by itself. */
export class ConnectionPool {
  readonly #slots: readonly ConnectionSlot[];

  constructor(parts: ConnectionSlotParts) {
    this.#slots = Array.from({ length: parts.options.connections }, () => new ConnectionSlot(parts));
  }

  start(): void {
    for (const slot of this.#slots) slot.start();
  }

  /** Connects no more; what stands stays. */
  retire(mayFinishAttempts: boolean): void {
    for (const slot of this.#slots) slot.retire(mayFinishAttempts);
  }

  stop(): void {
    for (const slot of this.#slots) slot.stop();
  }

  /** Something has changed: attempts that wait are made now. */
  hurry(): void {
    for (const slot of this.#slots) slot.hurry();
  }

  /** Whether a first attempt has not come to its end: a connection may yet stand. */
  get isTrying(): boolean {
    return this.#slots.some((slot) => !slot.hasTried);
  }

  onReady(connection: AgentConnection): void {
    for (const slot of this.#slots) slot.onReady(connection);
  }

  onEnd(connection: AgentConnection): void {
    for (const slot of this.#slots) slot.onEnd(connection);
  }

  /** Those that have finished their handshake. */
  ready(): readonly AgentConnection[] {
    const ready: AgentConnection[] = [];
    for (const { connection } of this.#slots) if (connection?.isReady) ready.push(connection);
    return ready;
  }

  /** The connection for a new call: of those that answer the least busy with room, else one that will have some; null where none can be. */
  choose(): AgentConnection | null {
    let best: AgentConnection | null = null;
    for (const { connection } of this.#slots) {
      if (!connection?.isReady || connection.state === 'draining') continue;
      if (best === null || isBetter(connection, best)) best = connection;
    }
    return best;
  }

  /** The worst state that any connection reports; draining only where all of them do. */
  state(): AgentStatus['state'] {
    const ready = this.ready();
    if (ready.length === 0) return 'unreachable';
    let worst = -1;
    for (const connection of ready) worst = Math.max(worst, severities.indexOf(connection.state));
    return severities[worst] ?? 'draining';
  }
}

/** One that lets its calls time out looks idle; it is taken where there is no other. */
const isBetter = (connection: AgentConnection, best: AgentConnection): boolean => {
  if (connection.isSilent !== best.isSilent) return best.isSilent;
  return connection.hasRoom === best.hasRoom ? connection.inFlight < best.inFlight : connection.hasRoom;
};
