import type { Clock } from '../../../application/ports/clock.js';
import type { Random } from '../../../application/ports/random.js';
import type { ScheduledTask, Scheduler } from '../../../application/ports/scheduler.js';
import { reconnectDelayMs } from '../../../domain/agent-protocol/reconnect-backoff.js';
import type { JsonObject } from '../../../domain/shared/json.js';
import { AgentConnection, type ConnectionEnd, type ConnectionListener } from './agent-connection.js';
import type { AgentSocketClientOptions, AgentSocketClientSettings } from './socket-client-options.js';
import { checkSocketOwner, type SocketCheck } from './socket-owner.js';

export interface ConnectionSlotParts {
  readonly settings: AgentSocketClientSettings;
  readonly options: AgentSocketClientOptions;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly listener: ConnectionListener;
  /** The configuration for the next handshake. */
  readonly currentConfig: () => JsonObject | null;
  /** An attempt ended before there was a connection. */
  readonly onFailedAttempt: (end: ConnectionEnd) => void;
}

/** One place in the pool: connects, and after each end connects again, ever more patiently. */
export class ConnectionSlot {
  readonly #parts: ConnectionSlotParts;
  #connection: AgentConnection | null = null;
  #retry: ScheduledTask | null = null;
  #failures = 0;
  #isStopped = false;
  #hasTried = false;
  #isLastAttempt = false;
  #isAttempting = false;

  constructor(parts: ConnectionSlotParts) {
    this.#parts = parts;
  }

  /** The connection that there is or is being made; null while waiting. */
  get connection(): AgentConnection | null {
    return this.#connection;
  }

  /** Whether its first attempt has come to its end. */
  get hasTried(): boolean {
    return this.#hasTried;
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

  /** Connects no more. A connection that stands stays; an attempt is given up, unless it may come to its end. */
  retire(mayFinishAttempt: boolean): void {
    this.#retry?.cancel();
    this.#retry = null;
    if (mayFinishAttempt && !this.#hasTried) this.#isLastAttempt = true;
    else this.#isStopped = true;
    if (this.#isStopped && this.#connection?.isReady === false) this.#connection.close('the gateway closes it');
  }

  stop(): void {
    this.#isStopped = true;
    this.#retry?.cancel();
    this.#connection?.close('the gateway closes it');
  }

  /** The connection of this place has finished its handshake. */
  onReady(connection: AgentConnection): void {
    if (connection === this.#connection) this.#hasTried = true;
  }

  /** The connection of this place has ended. */
  onEnd(connection: AgentConnection): void {
    if (connection !== this.#connection) return;
    this.#connection = null;
    this.#hasTried = true;
    const { clock, options } = this.#parts;
    const since = connection.readySinceMs;
    if (since !== null && clock.monotonicMs() - since >= options.steadyAfterMs) this.#failures = 0;
    this.#wait();
  }

  #wait(): void {
    if (this.#isStopped || this.#isLastAttempt) return;
    const { options, random, scheduler } = this.#parts;
    const delayMs = reconnectDelayMs(this.#failures, random.fraction(), options.backoff);
    this.#failures += 1;
    this.#retry = scheduler.after(delayMs, () => {
      this.#retry = null;
      void this.#attempt();
    });
  }

  async #attempt(): Promise<void> {
    if (this.#isAttempting || this.#connection !== null) return;
    this.#isAttempting = true;
    const { settings, options, clock, scheduler, listener } = this.#parts;
    const check = await checkSocketOwner(settings.path, settings.owner);
    this.#isAttempting = false;
    if (this.#isStopped) {
      this.#hasTried = true;
      this.#parts.onFailedAttempt({ kind: 'ended', detail: 'the gateway closes it' });
      return;
    }
    if (check.kind !== 'trusted') {
      this.#hasTried = true;
      this.#parts.onFailedAttempt(endOf(check, settings.path));
      this.#wait();
      return;
    }
    this.#connection = new AgentConnection(settings, options, this.#parts.currentConfig(), clock, scheduler, listener);
  }
}

const endOf = (check: Exclude<SocketCheck, { kind: 'trusted' }>, path: string): ConnectionEnd =>
  check.kind === 'absent'
    ? { kind: 'ended', detail: `there is no socket ${path}` }
    : { kind: 'refused', detail: `the socket ${path} is not trusted: ${check.reason}` };
