import { type AgentCapabilities, defaultAgentLimits } from '../../../domain/agent-protocol/capabilities.js';
import type { AgentHealth, AgentState } from '../../../domain/agent-protocol/health.js';
import type { AgentStatus } from '../../ports/gateway/agent-client.js';
import type { ConnectionEnd } from '../../ports/gateway/agent-connector.js';
import { ConnectionSlot, type ConnectionSlotParts } from './connection-slot.js';
import type { PooledAgentConnection } from './pooled-agent-connection.js';

/** From the best to the worst. */
const severities: readonly AgentState[] = ['healthy', 'degraded', 'unhealthy'];

/** The connections to one agent, each of which comes back by itself. */
export class ConnectionPool {
  readonly #slots: readonly ConnectionSlot[];
  #inFlight = 0;
  #capacity = 1;

  constructor(connections: number, parts: ConnectionSlotParts) {
    this.#slots = Array.from({ length: connections }, () => new ConnectionSlot(parts));
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

  /** Makes another connection beside one that drains and has to stay. */
  setAside(connection: PooledAgentConnection): void {
    for (const slot of this.#slots) if (slot.connection === connection) slot.setAside();
  }

  /** Makes a connection anew once it is idle. */
  replace(connection: PooledAgentConnection): void {
    for (const slot of this.#slots) if (slot.connection === connection) slot.replace();
  }

  /** Whether a first attempt has not come to its end: a connection may yet stand. */
  get isTrying(): boolean {
    return this.#slots.some((slot) => !slot.hasTried);
  }

  /** Whether a connection is being made anew: it is expected back at once. */
  get isReplacing(): boolean {
    return this.#slots.some((slot) => slot.isReplacing);
  }

  /** Whether a connection was given up, and is expected back at once. */
  get isComingBack(): boolean {
    return this.#slots.some((slot) => slot.isComingBack);
  }

  /** Calls that have been sent and have no outcome, over all connections. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Whether the agent takes another call at a time, whichever connection it comes by. */
  get hasPlace(): boolean {
    return this.#inFlight < this.#capacity;
  }

  /** A call is sent by a connection. */
  occupy(connection: PooledAgentConnection): void {
    connection.inFlight += 1;
    this.#inFlight += 1;
  }

  /** A call that was sent by a connection is in flight no more. */
  release(connection: PooledAgentConnection): void {
    connection.inFlight -= 1;
    this.#inFlight -= 1;
  }

  onReady(connection: PooledAgentConnection): void {
    for (const slot of this.#slots) slot.onReady(connection);
    this.#capacity = this.#smallestCapacity();
  }

  /** Its calls are in flight no more. */
  onEnd(connection: PooledAgentConnection, end: ConnectionEnd): void {
    this.#inFlight -= connection.inFlight;
    connection.inFlight = 0;
    for (const slot of this.#slots) slot.onEnd(connection, end);
    this.#capacity = this.#smallestCapacity();
  }

  /** Those that have finished their handshake. */
  ready(): readonly PooledAgentConnection[] {
    const ready: PooledAgentConnection[] = [];
    for (const { connection, departing } of this.#slots) {
      if (connection?.isReady) ready.push(connection);
      if (departing?.isReady) ready.push(departing);
    }
    return ready;
  }

  /**
   * The connection for a call, of those that may take it: of those that answer the least busy with room, else one
   * that will have some; null where there is none.
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

  /** The worst state that any connection reports; draining only where all of them do. */
  state(): AgentStatus['state'] {
    const ready = this.ready();
    if (ready.length === 0) return 'unreachable';
    let worst = -1;
    for (const connection of ready) worst = Math.max(worst, severities.indexOf(connection.state));
    return severities[worst] ?? 'draining';
  }

  /** The last report of that state; null where none has come. */
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

/** Calls at a time that an agent takes; what is 0 says nothing. */
const capacityOf = ({ features, limits }: AgentCapabilities): number => {
  const said = [limits.maxConcurrency, features.concurrentRequests].filter((count) => count > 0);
  return said.length === 0 ? defaultAgentLimits.maxConcurrency : Math.min(...said);
};

/**
 * One that lets its calls time out looks idle; it is taken where there is no other. What is asked at the same moment
 * goes by the same one, as far as it is gathered there; from one moment to the next they take turns.
 */
const isBetter = (connection: PooledAgentConnection, best: PooledAgentConnection): boolean => {
  if (connection.isSilent !== best.isSilent) return best.isSilent;
  if (connection.hasRoom !== best.hasRoom) return connection.hasRoom;
  if (connection.isGathering !== best.isGathering) return connection.isGathering;
  if (connection.inFlight !== best.inFlight) return connection.inFlight < best.inFlight;
  // What ends a connection ends its dialogues.
  return connection.dialogues < best.dialogues;
};
