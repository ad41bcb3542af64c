import type { CircuitBreakerRules, CircuitState } from '../../../domain/gateway/circuit-breaking/circuit-breaker.js';
import type { HealthProbe } from '../../../domain/gateway/configuration/upstream-options.js';
import { initialHealth, restartChecks, type TargetHealth } from '../../../domain/gateway/health/target-health.js';
import type { Clock } from '../../ports/shared/clock.js';
import { CircuitBreakerHolder } from '../circuit-breakers/circuit-breaker-holder.js';

/** The rules that eject and check a target. */
export interface LedgerRules {
  /** Null: failed requests never eject the target. */
  readonly breaker: CircuitBreakerRules | null;
  /** Whether ejection spares the last target in use. */
  readonly sparesLast: boolean;
  /** The probe of its health checks; null: it has none. */
  readonly probe: HealthProbe | null;
}

const probeText = (probe: HealthProbe | null): string => {
  switch (probe?.kind) {
    case 'http':
    case 'http2':
      return JSON.stringify([probe.kind, probe.path, probe.host, ...new Set(probe.expectedStatuses.toSorted())]);
    case 'grpc':
      return JSON.stringify(['grpc', probe.service]);
    case 'tcp':
      return 'tcp';
    default:
      return 'none';
  }
};

/**
 * The state of one target of an upstream. It outlives configurations: during a reload both generations update the same
 * ledger.
 */
export class TargetLedger {
  /** Requests and tunnels in progress. */
  active = 0;
  totalRequests = 0;
  failedRequests = 0;
  /** Ejects the target after too many failed requests. */
  readonly breaker: CircuitBreakerHolder;
  /** The detail of the last failed request. */
  lastError: string | null = null;
  readonly #clock: Clock;
  #rules: LedgerRules;
  #drained = false;
  #ejectedSinceMs: number | null = null;
  #health: TargetHealth = initialHealth;
  /** Called when the target is drained, becomes unhealthy or is ejected. */
  readonly #watchers = new Set<() => void>();

  /** @param rules the rules of the first generation that uses the target */
  constructor(rules: LedgerRules, clock: Clock) {
    this.#rules = rules;
    this.#clock = clock;
    this.breaker = new CircuitBreakerHolder(rules.breaker, clock, (state) => this.#breakerChanged(state));
  }

  /** The rules in force, for requests of every generation. */
  get rules(): LedgerRules {
    return this.#rules;
  }

  /**
   * Puts rules in force. If the breaker rules change, an ejection ends and requests in progress no longer count. If the
   * probe changes, the health stays until the first new check.
   */
  applyRules(rules: LedgerRules): void {
    const before = this.#rules;
    this.#rules = rules;
    if (!this.breaker.hasRules(rules.breaker)) this.#ejectedSinceMs = null;
    this.breaker.replaceRules(rules.breaker);
    if (probeText(before.probe) !== probeText(rules.probe)) this.#health = restartChecks(this.#health);
  }

  /** Whether an operator drains the target. */
  get drained(): boolean {
    return this.#drained;
  }

  set drained(drained: boolean) {
    this.#drained = drained;
    if (drained) this.#notifyWatchers();
  }

  /**
   * The time of the first ejection since the target last worked, in milliseconds since the Unix epoch; null: it is not
   * ejected.
   */
  get ejectedSinceMs(): number | null {
    return this.#ejectedSinceMs;
  }

  /** Ends an ejection. Requests in progress no longer count for the breaker. */
  endEjection(): void {
    this.breaker.reset();
    this.#ejectedSinceMs = null;
  }

  /** The result of its active checks. */
  get health(): TargetHealth {
    return this.#health;
  }

  get watchers(): number {
    return this.#watchers.size;
  }

  /** Stores a new health. A target that becomes healthy is also no longer ejected. */
  noteHealth(health: TargetHealth): void {
    const wasHealthy = this.#health.healthy;
    this.#health = health;
    if (health.healthy && !wasHealthy) this.endEjection();
    if (!health.healthy && wasHealthy) this.#notifyWatchers();
  }

  /** @param onTakenOut called when the target is taken out, until `unwatch` of the same function */
  watch(onTakenOut: () => void): void {
    this.#watchers.add(onTakenOut);
  }

  unwatch(onTakenOut: () => void): void {
    this.#watchers.delete(onTakenOut);
  }

  #breakerChanged(state: CircuitState): void {
    if (state === 'closed') this.#ejectedSinceMs = null;
    if (state !== 'open') return;
    this.#ejectedSinceMs ??= this.#clock.wallMs();
    this.#notifyWatchers();
  }

  #notifyWatchers(): void {
    for (const onTakenOut of this.#watchers) onTakenOut();
  }
}
