import { type AgentCapabilities, defaultAgentLimits } from '../../../domain/agent-protocol/capabilities.js';
import type { AgentHealth, AgentState } from '../../../domain/agent-protocol/health.js';
import type { AgentStatus } from '../../ports/gateway/agent-client.js';
import type { ConnectionEnd } from '../../ports/gateway/agent-connector.js';
import { type ConnectingRules, ConnectionSlot } from './connection-slot.js';
import type { PooledAgentConnection } from './pooled-agent-connection.js';

/** From best to worst. */
const severities: readonly AgentState[] = ['healthy', 'degraded', 'unhealthy'];

/** The connections to one agent. Each one reconnects by itself. */
export class ConnectionPool {
  readonly #slots: readonly ConnectionSlot[];
  #inFlight = 0;
  #capacity = 1;

  constructor(connections: number, rules: ConnectingRules) {
    this.#slots = Array.from({ length: connections }, () => new ConnectionSlot(rules));
  }

  start(): void {
    for (const slot of this.#slots) slot.start();
  }

  /** Stops connecting. Open connections stay. */
  retire(mayFinishAttempts: boolean): void {
    for (const slot of this.#slots) slot.retire(mayFinishAttempts);
  }

  stop(): void {
    for (const slot of this.#slots) slot.stop();
  }

  /** Connects now instead of after the backoff, because something has changed. */
  hurry(): void {
    for (const slot of this.#slots) slot.hurry();
  }

  /** Opens another connection beside one that drains and must stay. */
  setAside(connection: PooledAgentConnection): void {
    for (const slot of this.#slots) if (slot.connection === connection) slot.setAside();
  }

  /** Replaces a connection when it is idle. */
  replace(connection: PooledAgentConnection): void {
    for (const slot of this.#slots) if (slot.connection === connection) slot.replace();
  }

  /** Whether a first attempt to connect is under way. */
  get isTrying(): boolean {
    return this.#slots.some((slot) => !slot.hasTried);
  }

  /** Whether a connection is being replaced, so that a new one is expected soon. */
  get isReplacing(): boolean {
    return this.#slots.some((slot) => slot.isReplacing);
  }

  /** Whether the gateway closed a connection itself, so that a new one is expected soon. */
  get isComingBack(): boolean {
    return this.#slots.some((slot) => slot.isComingBack);
  }

  /** Calls in flight on all connections. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Whether the agent accepts another concurrent call, over all connections. */
  get hasPlace(): boolean {
    return this.#inFlight < this.#capacity;
  }

  /** Counts a call that is sent on a connection. */
  occupy(connection: PooledAgentConnection): void {
    connection.inFlight += 1;
    this.#inFlight += 1;
  }

  /** Counts the end of a call on a connection. */
  release(connection: PooledAgentConnection): void {
    connection.inFlight -= 1;
    this.#inFlight -= 1;
  }

  onReady(connection: PooledAgentConnection): void {
    for (const slot of this.#slots) slot.onReady(connection);
    this.#capacity = this.#smallestCapacity();
  }

  /** Forgets the calls of a connection that has ended. */
  onEnd(connection: PooledAgentConnection, end: ConnectionEnd): void {
    this.#inFlight -= connection.inFlight;
    connection.inFlight = 0;
    for (const slot of this.#slots) slot.onEnd(connection, end);
    this.#capacity = this.#smallestCapacity();
  }

  /** The connections after their handshake. */
  ready(): readonly PooledAgentConnection[] {
    const ready: PooledAgentConnection[] = [];
    for (const { connection, departing } of this.#slots) {
      if (connection?.isReady) ready.push(connection);
      if (departing?.isReady) ready.push(departing);
    }
    return ready;
  }

  /**
   * The best connection for a call among those that `mayTake` accepts: responsive, with room, least busy. It may have
   * no room at the moment. Null: none.
   */
  choose(mayTake: (connection: PooledAgentConnection) => boolean = takesCalls): PooledAgentConnection | null {
    let best: PooledAgentConnection | null = null;
    for (const { connection, departing } of this.#slots) {
      if (connection !== null && mayTake(connection) && (best === null || isBetter(connection, best)))
        best = connection;
      if (departing !== null && mayTake(departing) && (best === null || isBetter(departing, best))) best = departing;
    }
    return best;
  }

  /** The worst state that any connection reports; `draining` only if all of them drain. */
  state(): AgentStatus['state'] {
    const ready = this.ready();
    if (ready.length === 0) return 'unreachable';
    let worst = -1;
    for (const connection of ready) worst = Math.max(worst, severities.indexOf(connection.state));
    return severities[worst] ?? 'draining';
  }

  /** The last health report with that state; null: none has arrived. */
  health(): AgentHealth | null {
    const state = this.state();
    let last: PooledAgentConnection | null = null;
    for (const connection of this.ready()) {
      if (connection.health?.state !== state) continue;
      if (last === null || connection.healthAtMs >= last.healthAtMs) last = connection;
    }
    return last?.health ?? null;
  }

  #smallestCapacity(): number {
    let smallest = Number.POSITIVE_INFINITY;
    for (const { capabilities } of this.ready()) {
      if (capabilities !== null) smallest = Math.min(smallest, capacityOf(capabilities));
    }
    return smallest;
  }
}

const takesCalls = (connection: PooledAgentConnection): boolean => connection.takesCalls;

/** Concurrent calls that an agent accepts. A limit of 0 means none. */
const capacityOf = ({ features, limits }: AgentCapabilities): number => {
  const declared = [limits.maxConcurrency, features.concurrentRequests].filter((count) => count > 0);
  return declared.length === 0 ? defaultAgentLimits.maxConcurrency : Math.min(...declared);
};

/**
 * Compares two connections. A connection whose calls time out looks idle, so it is the last choice. Calls of one turn
 * share a connection that batches them; from turn to turn, connections alternate.
 */
const isBetter = (connection: PooledAgentConnection, best: PooledAgentConnection): boolean => {
  if (connection.isSilent !== best.isSilent) return best.isSilent;
  if (connection.hasRoom !== best.hasRoom) return connection.hasRoom;
  if (connection.isGathering !== best.isGathering) return connection.isGathering;
  if (connection.inFlight !== best.inFlight) return connection.inFlight < best.inFlight;
  // The end of a connection ends its dialogues, so they are spread.
  return connection.dialogues < best.dialogues;
};
