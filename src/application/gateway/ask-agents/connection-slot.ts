import { type ReconnectBackoff, reconnectDelayMs } from '../../../domain/agent-protocol/reconnect-backoff.js';
import type { JsonObject } from '../../../domain/shared/json.js';
import type { AgentConnector, ConnectionEnd } from '../../ports/gateway/agent-connector.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { Random } from '../../ports/shared/random.js';
import type { ScheduledTask, Scheduler } from '../../ports/shared/scheduler.js';
import { type ConnectionOwner, PooledAgentConnection } from './pooled-agent-connection.js';

/** Between two connections that are made at once because the one before was given up, in milliseconds. */
const comeBackIntervalMs = 100;

export interface ConnectionSlotParts {
  readonly connector: AgentConnector;
  readonly backoff: ReconnectBackoff;
  /** A connection that held so long, in milliseconds, makes the next wait short again. */
  readonly steadyAfterMs: number;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly owner: ConnectionOwner;
  /** The configuration for the next handshake. */
  readonly currentConfig: () => JsonObject | null;
  /** An attempt ended before there was a connection. */
  readonly onFailedAttempt: (end: ConnectionEnd) => void;
}

/** One place in the pool: connects, and after each end connects again, ever more patiently. */
export class ConnectionSlot {
  readonly #parts: ConnectionSlotParts;
  #connection: PooledAgentConnection | null = null;
  /** One that drains, and stays for the rest of what the agent knows by it. */
  #departing: PooledAgentConnection | null = null;
  #retry: ScheduledTask | null = null;
  #failures = 0;
  #isStopped = false;
  #hasTried = false;
  #isLastAttempt = false;
  #isAttempting = false;
  #replacing: 'no' | 'leaving' | 'returning' = 'no';
  #isComingBack = false;
  #cameBackAtMs = Number.NEGATIVE_INFINITY;

  constructor(parts: ConnectionSlotParts) {
    this.#parts = parts;
  }

  /** The connection that there is or is being made; null while waiting. */
  get connection(): PooledAgentConnection | null {
    return this.#connection;
  }

  /** The connection that was set aside; null where there is none. */
  get departing(): PooledAgentConnection | null {
    return this.#departing;
  }

  /** Whether its first attempt has come to its end. */
  get hasTried(): boolean {
    return this.#hasTried;
  }

  /** Whether its connection is about to be made anew; until that has succeeded or failed. */
  get isReplacing(): boolean {
    return this.#replacing !== 'no';
  }

  /** Whether its connection was given up, and the next one is expected; until that has succeeded or failed. */
  get isComingBack(): boolean {
    return this.#isComingBack;
  }

  start(): void {
    void this.#attempt();
  }

  /** Does not wait any longer, because something has changed. */
  hurry(): void {
    if (this.#retry === null) return;
    this.#failures = 0;
    this.#retry.cancel();
    this.#retry = null;
    void this.#attempt();
  }

  /** The connection that stands gets no new call, and another one is made as soon as it has ended. */
  replace(): void {
    if (this.#connection === null || this.#isStopped || this.#isLastAttempt) return;
    this.#connection.isLeaving = true;
    this.#replacing = 'leaving';
  }

  /**
   * The connection that stands drains, and stays for the rest of what the agent knows by it: another one is made
   * beside it.
   */
  setAside(): void {
    const connection = this.#connection;
    if (connection === null || this.#isStopped || this.#isLastAttempt) return;
    // An agent that always drains must not pile them up.
    this.#departing?.close('the next one drains already');
    this.#departing = connection;
    this.#connection = null;
    this.#replacing = 'no';
    // Nobody knows whether anything serves the address again yet: calls do not wait for it.
    this.#comeBack(false);
  }

  /** Connects no more. A connection that stands stays; an attempt is given up, unless it may come to its end. */
  retire(mayFinishAttempt: boolean): void {
    this.#retry?.cancel();
    this.#retry = null;
    if (this.#connection !== null) this.#connection.isLeaving = false;
    this.#replacing = 'no';
    this.#isComingBack = false;
    if (mayFinishAttempt && !this.#hasTried) this.#isLastAttempt = true;
    else this.#isStopped = true;
    if (this.#isStopped && this.#connection?.isReady === false) this.#connection.close('the gateway closes it');
  }

  stop(): void {
    this.#isStopped = true;
    this.#replacing = 'no';
    this.#isComingBack = false;
    this.#retry?.cancel();
    this.#connection?.close('the gateway closes it');
    this.#departing?.close('the gateway closes it');
  }

  /** The connection of this place has finished its handshake. */
  onReady(connection: PooledAgentConnection): void {
    if (connection !== this.#connection) return;
    this.#hasTried = true;
    this.#replacing = 'no';
    this.#isComingBack = false;
  }

  /** The connection of this place has ended. */
  onEnd(connection: PooledAgentConnection, { kind }: ConnectionEnd): void {
    if (connection === this.#departing) this.#departing = null;
    if (connection !== this.#connection) return;
    this.#connection = null;
    this.#hasTried = true;
    this.#isComingBack = false;
    const { clock, steadyAfterMs } = this.#parts;
    const since = connection.readySinceMs;
    if (since !== null && clock.monotonicMs() - since >= steadyAfterMs) this.#failures = 0;
    if (this.#replacing === 'leaving') {
      this.#replacing = 'returning';
      void this.#attempt();
    } else {
      this.#replacing = 'no';
      if (kind === 'given_up') this.#comeBack();
      else this.#wait();
    }
  }

  /**
   * Nothing has failed, so there is nothing to be patient about; but whoever has calls given up sets no pace for the
   * agent.
   */
  #comeBack(isExpected = true): void {
    if (this.#isStopped || this.#isLastAttempt) return;
    const nowMs = this.#parts.clock.monotonicMs();
    const atMs = Math.max(nowMs, this.#cameBackAtMs + comeBackIntervalMs);
    this.#isComingBack = isExpected;
    this.#cameBackAtMs = atMs;
    if (atMs === nowMs) void this.#attempt();
    else this.#attemptAfter(atMs - nowMs);
  }

  #wait(): void {
    if (this.#isStopped || this.#isLastAttempt) return;
    const { backoff, random } = this.#parts;
    const delayMs = reconnectDelayMs(this.#failures, random.fraction(), backoff);
    this.#failures += 1;
    this.#attemptAfter(delayMs);
  }

  #attemptAfter(delayMs: number): void {
    this.#retry = this.#parts.scheduler.after(delayMs, () => {
      this.#retry = null;
      void this.#attempt();
    });
  }

  async #attempt(): Promise<void> {
    if (this.#isAttempting || this.#connection !== null) return;
    this.#isAttempting = true;
    const { connector, clock, owner } = this.#parts;
    const check = await connector.check();
    this.#isAttempting = false;
    if (this.#isStopped) {
      this.#hasTried = true;
      this.#parts.onFailedAttempt({ kind: 'ended', detail: 'the gateway closes it' });
      return;
    }
    if (check.kind !== 'ready') {
      this.#hasTried = true;
      this.#replacing = 'no';
      this.#isComingBack = false;
      this.#wait();
      this.#parts.onFailedAttempt({ kind: check.kind === 'absent' ? 'ended' : 'refused', detail: check.detail });
      return;
    }
    this.#connection = new PooledAgentConnection(connector, this.#parts.currentConfig(), clock, owner);
  }
}
