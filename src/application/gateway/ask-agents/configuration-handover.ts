import type { JsonObject } from '../../../domain/shared/json.js';
import { err, ok } from '../../../domain/shared/result.js';
import type { ConfigureOutcome } from '../../ports/gateway/agent-client.js';
import type { ConnectionEnd } from '../../ports/gateway/agent-connector.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { Random } from '../../ports/shared/random.js';
import type { ScheduledTask, Scheduler } from '../../ports/shared/scheduler.js';
import { shortened } from './agent-lines.js';
import type { ConnectionPool } from './connection-pool.js';
import type { PooledAgentConnection } from './pooled-agent-connection.js';

export interface ConfigurationHandoverParts {
  /** For the first handshakes. */
  readonly config: JsonObject | null;
  readonly pool: ConnectionPool;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly random: Random;
  /** See PooledAgentClientOptions; milliseconds. */
  readonly replaceTimeoutMs: number;
  readonly reloadIntervalMs: number;
  /** Closes a connection that is to be made anew, if nothing is under way by it. */
  readonly closeIfDone: (connection: PooledAgentConnection) => void;
  /** The agent has said, unasked, that it does not take the configuration in force. */
  readonly onRefusal: (reason: string) => void;
}

/** How long after a configuration came into force what an agent says of it takes it out of force, in milliseconds. */
const refusalWindowMs = 60_000;

const noAnswer = (reason: string): ConfigureOutcome => err({ kind: 'no_answer', reason });

const isSame = (one: JsonObject | null, other: JsonObject | null): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other);

/**
 * Which configuration one agent is given. One that takes configurations over connections that stand is handed each
 * new one by all of them; for any other, each connection is made anew with it, one after the other, once it is idle.
 */
export class ConfigurationHandover {
  readonly #parts: ConfigurationHandoverParts;
  readonly #pool: ConnectionPool;
  #config: JsonObject | null;
  /** The one before, and when it was followed, for as long as the agent can go back to it. */
  #previous: { readonly config: JsonObject | null; readonly untilMs: number } | null = null;
  /** Names the change that is handed over; the same on every connection. */
  #version: string;
  #refusal: { readonly config: JsonObject | null; readonly reason: string } | null = null;
  /** What is said of a configuration while it is being offered. */
  #offer: { error: string | null } | null = null;
  /** Waits for the first connection that is made anew. */
  #onReplaced: ((outcome: ConfigureOutcome) => void) | null = null;
  #grace: ScheduledTask | null = null;
  #turns: Promise<unknown> = Promise.resolve();
  #reloadedAtMs = Number.NEGATIVE_INFINITY;
  #isRetired = false;

  constructor(parts: ConfigurationHandoverParts) {
    this.#parts = parts;
    this.#pool = parts.pool;
    this.#config = parts.config;
    this.#version = parts.random.uuid();
  }

  /** For the next handshake. */
  get config(): JsonObject | null {
    return this.#config;
  }

  /** Why the agent refuses what it was to have; null where it does not. */
  get refusal(): string | null {
    return this.#refusal?.reason ?? null;
  }

  configure(config: JsonObject | null): Promise<ConfigureOutcome> {
    return this.#inTurn(async () => {
      this.#refusal = null;
      this.#version = this.#parts.random.uuid();
      const outcome = await this.#offerToAll(config);
      if (!outcome.ok && outcome.error.kind === 'refused') this.#refusal = { config, reason: outcome.error.reason };
      return outcome;
    });
  }

  /** Makes no connection anew from now on. */
  retire(): void {
    this.#isRetired = true;
    this.#grace?.cancel();
    this.#replaced(noAnswer('another configuration has come into force'));
  }

  onReady(connection: PooledAgentConnection): void {
    if (connection.config === this.#config) this.#replaced(ok(undefined));
    // The configuration changed during its handshake.
    else if (connection.takesConfiguration) void this.#bringUpToDate(connection);
    this.#replaceNext();
  }

  /** A connection or an attempt is over; `offered` is what it began with, null where it did not come so far. */
  onEnd(end: ConnectionEnd, connection: PooledAgentConnection | null): void {
    if (connection?.isLeaving) this.#grace?.cancel();
    if (this.#onReplaced === null || connection?.isLeaving || (connection !== null && connection.readySinceMs !== null))
      return;
    const isRefused = end.kind === 'refused' && connection?.config === this.#config;
    if (isRefused) {
      this.#goBack();
      this.#pool.hurry();
    }
    this.#replaced(isRefused ? err({ kind: 'refused', reason: end.detail }) : noAnswer(end.detail));
  }

  /** The agent says that it does not take what it was handed. */
  onConfigError(error: string, field: string | null): void {
    const reason = shortened(field === null ? error : `${field}: ${error}`);
    if (this.#offer !== null) this.#offer.error ??= reason;
    // Each connection says the same.
    if (this.#offer !== null || this.#refusal !== null) return;
    this.#refusal = { config: this.#config, reason };
    this.#goBack();
    this.#parts.onRefusal(reason);
  }

  /** The agent wants its configuration once more. */
  onReloadRequest(connection: PooledAgentConnection): void {
    const { clock, reloadIntervalMs } = this.#parts;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#reloadedAtMs < reloadIntervalMs) return;
    this.#reloadedAtMs = nowMs;
    void this.#inTurn(() => this.#handAgain(connection));
  }

  #inTurn<Value>(task: () => Promise<Value>): Promise<Value> {
    const done = this.#turns.then(task);
    this.#turns = done;
    return done;
  }

  /**
   * The first connection decides; the others follow it, or connect anew with what is in force. Only a refusal keeps the
   * old configuration: without an answer the new one is what the next handshakes bring.
   */
  async #offerToAll(config: JsonObject | null): Promise<ConfigureOutcome> {
    const [first] = this.#pool.ready();
    if (first === undefined) {
      this.#take(config);
      this.#pool.hurry();
      return noAnswer('there is no connection to the agent');
    }
    if (!first.takesConfiguration) return this.#replaceAll(config);
    const outcome = await this.#offerTo(first, config);
    if (!outcome.ok && outcome.error.kind === 'refused') return outcome;
    this.#take(config);
    // Its handshake says what is in force, whichever the agent has now.
    if (!outcome.ok) first.close(outcome.error.reason);
    const others = this.#pool.ready().filter((other) => other !== first && other.takesConfiguration);
    const taken = await Promise.all(others.map((connection) => this.#bringUpToDate(connection)));
    this.#replaceNext();
    return outcome.ok ? outcome : (taken.find(({ ok }) => ok) ?? outcome);
  }

  async #offerTo(connection: PooledAgentConnection, config: JsonObject | null): Promise<ConfigureOutcome> {
    const offer: { error: string | null } = { error: null };
    this.#offer = offer;
    const outcome = await connection.configure(config, this.#parts.random.uuid(), this.#version);
    this.#offer = null;
    return outcome.ok && offer.error !== null ? err({ kind: 'refused', reason: offer.error }) : outcome;
  }

  /** Gives a connection the configuration in force; one that has not taken it is closed. */
  async #bringUpToDate(connection: PooledAgentConnection): Promise<ConfigureOutcome> {
    const outcome = await connection.configure(this.#config, this.#parts.random.uuid(), this.#version);
    if (!outcome.ok) connection.close('it does not take the configuration in force');
    return outcome;
  }

  async #handAgain(connection: PooledAgentConnection): Promise<void> {
    if (this.#isRetired || !connection.isReady) return;
    if (!connection.takesConfiguration) {
      if (!this.#pool.isReplacing) this.#replace(connection);
      return;
    }
    // It is no new one: there is none to go back to.
    this.#previous = null;
    this.#version = this.#parts.random.uuid();
    const config = this.#config;
    const outcome = await this.#offerTo(connection, config);
    // What it refuses may be another one, which it was handed before.
    if (outcome.ok) this.#refusal = this.#refusal?.config === config ? null : this.#refusal;
    else if (outcome.error.kind === 'no_answer') connection.close(outcome.error.reason);
    else {
      this.#refusal = { config, reason: outcome.error.reason };
      this.#parts.onRefusal(outcome.error.reason);
    }
  }

  #replaceAll(config: JsonObject | null): Promise<ConfigureOutcome> | ConfigureOutcome {
    if (this.#pool.ready().every((connection) => isSame(connection.config, config))) {
      this.#config = config;
      return ok(undefined);
    }
    if (this.#isRetired) return noAnswer('another configuration has come into force');
    this.#take(config);
    return new Promise((resolve) => {
      this.#onReplaced = resolve;
      this.#replaceNext();
    });
  }

  /** One at a time, so that the others answer meanwhile. */
  #replaceNext(): void {
    if (this.#isRetired || this.#pool.isReplacing) return;
    const outdated = this.#pool
      .ready()
      .find((connection) => !connection.takesConfiguration && !isSame(connection.config, this.#config));
    if (outdated !== undefined) this.#replace(outdated);
  }

  #replace(connection: PooledAgentConnection): void {
    const { scheduler, replaceTimeoutMs, closeIfDone } = this.#parts;
    this.#pool.replace(connection);
    this.#grace?.cancel();
    this.#grace = scheduler.after(replaceTimeoutMs, () => {
      if (connection.isLeaving) connection.close('it has not come to its end in time');
    });
    closeIfDone(connection);
  }

  #replaced(outcome: ConfigureOutcome): void {
    const settle = this.#onReplaced;
    this.#onReplaced = null;
    settle?.(outcome);
  }

  #take(config: JsonObject | null): void {
    this.#previous = { config: this.#config, untilMs: this.#parts.clock.monotonicMs() + refusalWindowMs };
    this.#config = config;
  }

  /** What was in force before is what the next handshakes bring; not where the change is long past. */
  #goBack(): void {
    const previous = this.#previous;
    this.#previous = null;
    if (previous !== null && this.#parts.clock.monotonicMs() < previous.untilMs) this.#config = previous.config;
  }
}
