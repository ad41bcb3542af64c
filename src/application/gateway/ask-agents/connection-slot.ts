import { type ReconnectBackoff, reconnectDelayMs } from '../../../domain/agent-protocol/reconnect-backoff.js';
import type { JsonObject } from '../../../domain/shared/json.js';
import type { AgentConnector, ConnectionEnd } from '../../ports/gateway/agent-connector.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { Random } from '../../ports/shared/random.js';
import type { ScheduledTask, Scheduler } from '../../ports/shared/scheduler.js';
import { type ConnectionOwner, PooledAgentConnection } from './pooled-agent-connection.js';

/** Minimum interval between reconnections after the gateway closed a connection; milliseconds. */
const comeBackIntervalMs = 100;

/** How connections to one agent are made, and who gets their events. */
export interface ConnectingRules {
  readonly connector: AgentConnector;
  readonly backoff: ReconnectBackoff;
  /** A connection that lasts this long resets the backoff; milliseconds. */
  readonly steadyAfterMs: number;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly owner: ConnectionOwner;
  /** The configuration for the next handshake. */
  readonly currentConfig: () => JsonObject | null;
  /** An attempt failed before the handshake began. */
  readonly onFailedAttempt: (end: ConnectionEnd) => void;
}

/** One slot of the pool. Connects, and reconnects after each end with growing backoff. */
export class ConnectionSlot {
  readonly #rules: ConnectingRules;
  #connection: PooledAgentConnection | null = null;
  /** A draining connection, which stays for the later events of its requests. */
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

  constructor(rules: ConnectingRules) {
    this.#rules = rules;
  }

  /** The connection that is open or being opened; null during the backoff. */
  get connection(): PooledAgentConnection | null {
    return this.#connection;
  }

  /** The draining connection that was set aside; null: none. */
  get departing(): PooledAgentConnection | null {
    return this.#departing;
  }

  /** Whether the first attempt has ended. */
  get hasTried(): boolean {
    return this.#hasTried;
  }

  /** Whether the connection is being replaced, until the new one is ready or has failed. */
  get isReplacing(): boolean {
    return this.#replacing !== 'no';
  }

  /** Whether the gateway closed the connection, until the next one is ready or has failed. */
  get isComingBack(): boolean {
    return this.#isComingBack;
  }

  start(): void {
    void this.#attempt();
  }

  /** Ends the backoff, because something has changed. */
  hurry(): void {
    if (this.#retry === null) return;
    this.#failures = 0;
    this.#retry.cancel();
    this.#retry = null;
    void this.#attempt();
  }

  /** Sends no new calls on the open connection, and reconnects when it has ended. */
  replace(): void {
    if (this.#connection === null || this.#isStopped || this.#isLastAttempt) return;
    this.#connection.isLeaving = true;
    this.#replacing = 'leaving';
  }

  /**
   * Sets the open connection aside, because it drains: it stays for the later events of its requests, and another
   * connection is opened.
   */
  setAside(): void {
    const connection = this.#connection;
    if (connection === null || this.#isStopped || this.#isLastAttempt) return;
    // An agent that always drains must not accumulate connections.
    this.#departing?.close('the next connection drains already');
    this.#departing = connection;
    this.#connection = null;
    this.#replacing = 'no';
    // Calls do not wait for the new connection, because the address may not be served yet.
    this.#comeBack(false);
  }

  /** Stops connecting. An open connection stays; an attempt ends unless it may finish. */
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

  /** The connection of this slot has finished its handshake. */
  onReady(connection: PooledAgentConnection): void {
    if (connection !== this.#connection) return;
    this.#hasTried = true;
    this.#replacing = 'no';
    this.#isComingBack = false;
  }

  /** The connection of this slot has ended. */
  onEnd(connection: PooledAgentConnection, { kind }: ConnectionEnd): void {
    if (connection === this.#departing) this.#departing = null;
    if (connection !== this.#connection) return;
    this.#connection = null;
    this.#hasTried = true;
    this.#isComingBack = false;
    const { clock, steadyAfterMs } = this.#rules;
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
   * Reconnects without backoff, because nothing has failed. The minimum interval keeps clients that cancel calls from
   * causing many reconnections.
   */
  #comeBack(isExpected = true): void {
    if (this.#isStopped || this.#isLastAttempt) return;
    const nowMs = this.#rules.clock.monotonicMs();
    const atMs = Math.max(nowMs, this.#cameBackAtMs + comeBackIntervalMs);
    this.#isComingBack = isExpected;
    this.#cameBackAtMs = atMs;
    if (atMs === nowMs) void this.#attempt();
    else this.#attemptAfter(atMs - nowMs);
  }

  #wait(): void {
    if (this.#isStopped || this.#isLastAttempt) return;
    const { backoff, random } = this.#rules;
    const delayMs = reconnectDelayMs(this.#failures, random.fraction(), backoff);
    this.#failures += 1;
    this.#attemptAfter(delayMs);
  }

  #attemptAfter(delayMs: number): void {
    this.#retry = this.#rules.scheduler.after(delayMs, () => {
      this.#retry = null;
      void this.#attempt();
    });
  }

  async #attempt(): Promise<void> {
    if (this.#isAttempting || this.#connection !== null) return;
    this.#isAttempting = true;
    const { connector, clock, owner } = this.#rules;
    const check = await connector.check();
    this.#isAttempting = false;
    if (this.#isStopped) {
      this.#hasTried = true;
      this.#rules.onFailedAttempt({ kind: 'ended', detail: 'the gateway closes it' });
      return;
    }
    if (check.kind !== 'ready') {
      this.#hasTried = true;
      this.#replacing = 'no';
      this.#isComingBack = false;
      this.#wait();
      this.#rules.onFailedAttempt({ kind: check.kind === 'absent' ? 'ended' : 'refused', detail: check.detail });
      return;
    }
    this.#connection = new PooledAgentConnection(connector, this.#rules.currentConfig(), clock, owner);
  }
}
