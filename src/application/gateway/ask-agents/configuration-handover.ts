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

interface HandoverRules {
  /** The configuration for the first handshakes. */
  readonly config: JsonObject | null;
  readonly pool: ConnectionPool;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly random: Random;
  /** Milliseconds. See PooledAgentClientOptions. */
  readonly replaceTimeoutMs: number;
  readonly reloadIntervalMs: number;
  /** Closes a connection that is to be replaced, if it is idle. */
  readonly closeIfDone: (connection: PooledAgentConnection) => void;
  /** The agent reports, unasked, that it refuses the configuration in force. */
  readonly onRefusal: (reason: string) => void;
}

/** How long after a change a refusal by the agent restores the previous configuration; milliseconds. */
const refusalWindowMs = 60_000;

const noAnswer = (reason: string): ConfigureOutcome => err({ kind: 'no_answer', reason });

const isSame = (one: JsonObject | null, other: JsonObject | null): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other);

/**
 * Delivers the configuration to one agent. If the agent accepts configurations on open connections, each connection
 * delivers it. Otherwise each connection is replaced, one after the other, when it is idle.
 */
export class ConfigurationHandover {
  readonly #rules: HandoverRules;
  readonly #pool: ConnectionPool;
  #config: JsonObject | null;
  /** The previous configuration, while the agent can still return to it. */
  #previous: { readonly config: JsonObject | null; readonly untilMs: number } | null = null;
  /** Identifies the change; the same on every connection. */
  #version: string;
  #refusal: { readonly config: JsonObject | null; readonly reason: string } | null = null;
  /** The configuration under offer, with the error that the agent reports meanwhile. */
  #offer: { error: string | null } | null = null;
  /** Called when the first replaced connection is ready or has failed. */
  #onReplaced: ((outcome: ConfigureOutcome) => void) | null = null;
  #grace: ScheduledTask | null = null;
  #turns: Promise<unknown> = Promise.resolve();
  #reloadedAtMs = Number.NEGATIVE_INFINITY;
  #isRetired = false;

  constructor(rules: HandoverRules) {
    this.#rules = rules;
    this.#pool = rules.pool;
    this.#config = rules.config;
    this.#version = rules.random.uuid();
  }

  /** The configuration for the next handshake. */
  get config(): JsonObject | null {
    return this.#config;
  }

  /** The reason why the agent refuses its configuration; null: it does not. */
  get refusal(): string | null {
    return this.#refusal?.reason ?? null;
  }

  configure(config: JsonObject | null): Promise<ConfigureOutcome> {
    return this.#enqueue(async () => {
      this.#refusal = null;
      this.#version = this.#rules.random.uuid();
      const outcome = await this.#offerToAll(config);
      if (!outcome.ok && outcome.error.kind === 'refused') this.#refusal = { config, reason: outcome.error.reason };
      return outcome;
    });
  }

  /** Replaces no connection from now on. */
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

  /** A connection has ended, or, with null, an attempt to connect has failed. */
  onEnd(end: ConnectionEnd, connection: PooledAgentConnection | null): void {
    if (connection?.isLeaving) this.#grace?.cancel();
    if (this.#onReplaced === null || connection?.isLeaving || (connection !== null && connection.readySinceMs !== null))
      return;
    const isRefused = end.kind === 'refused' && connection?.config === this.#config;
    if (isRefused) {
      this.#restorePrevious();
      this.#pool.hurry();
    }
    this.#replaced(isRefused ? err({ kind: 'refused', reason: end.detail }) : noAnswer(end.detail));
  }

  /** The agent refuses a configuration that was delivered. */
  onConfigError(error: string, field: string | null): void {
    const reason = shortened(field === null ? error : `${field}: ${error}`);
    if (this.#offer !== null) this.#offer.error ??= reason;
    // Each connection reports the same error.
    if (this.#offer !== null || this.#refusal !== null) return;
    this.#refusal = { config: this.#config, reason };
    this.#restorePrevious();
    this.#rules.onRefusal(reason);
  }

  /** The agent asks for its configuration again. */
  onReloadRequest(connection: PooledAgentConnection): void {
    const { clock, reloadIntervalMs } = this.#rules;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#reloadedAtMs < reloadIntervalMs) return;
    this.#reloadedAtMs = nowMs;
    void this.#enqueue(() => this.#deliverAgain(connection));
  }

  #enqueue<Value>(task: () => Promise<Value>): Promise<Value> {
    const done = this.#turns.then(task);
    this.#turns = done;
    return done;
  }

  /**
   * The first connection decides; the others follow it, or reconnect with the configuration in force. Only a refusal
   * keeps the old configuration. Without an answer, the next handshakes deliver the new one.
   */
  async #offerToAll(config: JsonObject | null): Promise<ConfigureOutcome> {
    const [first] = this.#pool.ready();
    if (first === undefined) {
      this.#apply(config);
      this.#pool.hurry();
      return noAnswer('there is no connection to the agent');
    }
    if (!first.takesConfiguration) return this.#replaceAll(config);
    const outcome = await this.#offerTo(first, config);
    if (!outcome.ok && outcome.error.kind === 'refused') return outcome;
    this.#apply(config);
    // The next handshake delivers the configuration in force, whichever one the agent has now.
    if (!outcome.ok) first.close(outcome.error.reason);
    const others = this.#pool.ready().filter((other) => other !== first && other.takesConfiguration);
    const taken = await Promise.all(others.map((connection) => this.#bringUpToDate(connection)));
    this.#replaceNext();
    return outcome.ok ? outcome : (taken.find(({ ok }) => ok) ?? outcome);
  }

  async #offerTo(connection: PooledAgentConnection, config: JsonObject | null): Promise<ConfigureOutcome> {
    const offer: { error: string | null } = { error: null };
    this.#offer = offer;
    const outcome = await connection.configure(config, this.#rules.random.uuid(), this.#version);
    this.#offer = null;
    return outcome.ok && offer.error !== null ? err({ kind: 'refused', reason: offer.error }) : outcome;
  }

  /** Delivers the configuration in force on a connection, and closes it if the agent does not accept. */
  async #bringUpToDate(connection: PooledAgentConnection): Promise<ConfigureOutcome> {
    const outcome = await connection.configure(this.#config, this.#rules.random.uuid(), this.#version);
    if (!outcome.ok) connection.close('the agent did not accept the configuration in force');
    return outcome;
  }

  async #deliverAgain(connection: PooledAgentConnection): Promise<void> {
    if (this.#isRetired || !connection.isReady) return;
    if (!connection.takesConfiguration) {
      if (!this.#pool.isReplacing) this.#replace(connection);
      return;
    }
    // The configuration is not new, so there is no previous one to return to.
    this.#previous = null;
    this.#version = this.#rules.random.uuid();
    const config = this.#config;
    const outcome = await this.#offerTo(connection, config);
    // An earlier refusal may concern another configuration.
    if (outcome.ok) this.#refusal = this.#refusal?.config === config ? null : this.#refusal;
    else if (outcome.error.kind === 'no_answer') connection.close(outcome.error.reason);
    else {
      this.#refusal = { config, reason: outcome.error.reason };
      this.#rules.onRefusal(outcome.error.reason);
    }
  }

  #replaceAll(config: JsonObject | null): Promise<ConfigureOutcome> | ConfigureOutcome {
    if (this.#pool.ready().every((connection) => isSame(connection.config, config))) {
      this.#config = config;
      return ok(undefined);
    }
    if (this.#isRetired) return noAnswer('another configuration has come into force');
    this.#apply(config);
    return new Promise((resolve) => {
      this.#onReplaced = resolve;
      this.#replaceNext();
    });
  }

  /** Replaces one connection at a time, so that the others can answer meanwhile. */
  #replaceNext(): void {
    if (this.#isRetired || this.#pool.isReplacing) return;
    const outdated = this.#pool
      .ready()
      .find((connection) => !connection.takesConfiguration && !isSame(connection.config, this.#config));
    if (outdated !== undefined) this.#replace(outdated);
  }

  #replace(connection: PooledAgentConnection): void {
    const { scheduler, replaceTimeoutMs, closeIfDone } = this.#rules;
    this.#pool.replace(connection);
    this.#grace?.cancel();
    this.#grace = scheduler.after(replaceTimeoutMs, () => {
      if (connection.isLeaving) connection.close('it did not become idle in time');
    });
    closeIfDone(connection);
  }

  #replaced(outcome: ConfigureOutcome): void {
    const settle = this.#onReplaced;
    this.#onReplaced = null;
    settle?.(outcome);
  }

  #apply(config: JsonObject | null): void {
    this.#previous = { config: this.#config, untilMs: this.#rules.clock.monotonicMs() + refusalWindowMs };
    this.#config = config;
  }

  /** Restores the previous configuration for the next handshakes, unless the change is older than the window. */
  #restorePrevious(): void {
    const previous = this.#previous;
    this.#previous = null;
    if (previous !== null && this.#rules.clock.monotonicMs() < previous.untilMs) this.#config = previous.config;
  }
}
