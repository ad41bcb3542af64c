import type { CircuitBreakerRules, CircuitState } from '../../../domain/gateway/circuit-breaking/circuit-breaker.js';
import type { HealthProbe } from '../../../domain/gateway/configuration/upstream-options.js';
import { initialHealth, type TargetHealth, toBeCheckedAnew } from '../../../domain/gateway/health/target-health.js';
import type { Clock } from '../../ports/shared/clock.js';
import { CircuitBreakerHolder } from '../circuit-breakers/circuit-breaker-holder.js';

/** What the figures of a target come about by. */
export interface LedgerRules {
  /** Null: it is never left alone because requests fail. */
  readonly breaker: CircuitBreakerRules | null;
  /** Whether it is not left alone either while requests have nobody else to go to. */
  readonly sparesLast: boolean;
  /** What its checks ask; null: it is not checked. */
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
 * What is known of one target of an upstream. It outlives the configuration that it was begun under: both generations
 * of a reload write the same one.
 */
export class TargetLedger {
  /** Requests and tunnels that it is busy with. */
  active = 0;
  totalRequests = 0;
  failedRequests = 0;
  /** Ejects the target where requests to it fail too often. */
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

  /** @param rules those of the generation that uses the target first */
  constructor(rules: LedgerRules, clock: Clock) {
    this.#rules = rules;
    this.#clock = clock;
    this.breaker = new CircuitBreakerHolder(rules.breaker, clock, (state) => this.#breakerChanged(state));
  }

  /** Those in force: requests of every generation count by them. */
  get rules(): LedgerRules {
    return this.#rules;
  }

  /**
   * Puts these rules in force. Another breaker rule ends an ejection and ignores the requests under way. The health
   * that the previous checks have found holds until the first new check.
   */
  goBy(rules: LedgerRules): void {
    const before = this.#rules;
    this.#rules = rules;
    if (!this.breaker.hasRules(rules.breaker)) this.#ejectedSinceMs = null;
    this.breaker.replaceRules(rules.breaker);
    if (probeText(before.probe) !== probeText(rules.probe)) this.#health = toBeCheckedAnew(this.#health);
  }

  /** Somebody wants no new requests to go there. */
  get drained(): boolean {
    return this.#drained;
  }

  set drained(drained: boolean) {
    this.#drained = drained;
    if (drained) this.#tell();
  }

  /**
   * When the target was first ejected since it last worked, in milliseconds since the Unix epoch; null: it is not
   * ejected.
   */
  get ejectedSinceMs(): number | null {
    return this.#ejectedSinceMs;
  }

  /** Ends an ejection. Requests under way do not count any more. */
  letBackIn(): void {
    this.breaker.reset();
    this.#ejectedSinceMs = null;
  }

  /** What its active checks have come to. */
  get health(): TargetHealth {
    return this.#health;
  }

  get watchers(): number {
    return this.#watchers.size;
  }

  /** A check that finds an unhealthy target well ends an ejection too. */
  noteHealth(health: TargetHealth): void {
    const wasHealthy = this.#health.healthy;
    this.#health = health;
    if (health.healthy && !wasHealthy) this.letBackIn();
    if (!health.healthy && wasHealthy) this.#tell();
  }

  /** @param onTakenOut called until `unwatch` of the same function */
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
    this.#tell();
  }

  #tell(): void {
    for (const onTakenOut of this.#watchers) onTakenOut();
  }
}
