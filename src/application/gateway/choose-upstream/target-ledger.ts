import type { CircuitBreakerRules } from '../../../domain/gateway/circuit-breaking/circuit-breaker.js';
import type { HealthProbe } from '../../../domain/gateway/configuration/upstream-options.js';
import { initialHealth, type TargetHealth, toBeCheckedAnew } from '../../../domain/gateway/health/target-health.js';
import { letBackIn, notEjected, type TargetEjection } from '../../../domain/gateway/load-balancing/target-ejection.js';

/** What the figures of a target come about by. */
export interface LedgerRules {
  /** Null: it is never left alone because requests fail. */
  readonly breaker: CircuitBreakerRules | null;
  /** Whether it is not left alone either while requests have nobody else to go to. */
  readonly sparesLast: boolean;
  /** What its checks ask; null: it is not checked. */
  readonly probe: HealthProbe | null;
}

const isSameBreaker = (one: CircuitBreakerRules | null, other: CircuitBreakerRules | null): boolean =>
  one?.failureThreshold === other?.failureThreshold && one?.openMs === other?.openMs && one?.probes === other?.probes;

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
 * What is known of one target of an upstream. It outlives the configuration that it was begun under: both generations of
 * a reload write the same one.
 */
export class TargetLedger {
  /** Requests and tunnels that it is busy with. */
  active = 0;
  totalRequests = 0;
  failedRequests = 0;
  #rules: LedgerRules;
  #drained = false;
  #ejection: TargetEjection = notEjected;
  #health: TargetHealth = initialHealth;
  /** Called when the target has been drained, has become unhealthy, or is left alone from now on. */
  readonly #watchers = new Set<() => void>();

  /** @param rules those of whoever knows of the target first */
  constructor(rules: LedgerRules) {
    this.#rules = rules;
  }

  /** Those in force: requests of every generation count by them. */
  get rules(): LedgerRules {
    return this.#rules;
  }

  /**
   * These rules are in force from now on. An ejection that others have made says nothing by them, and neither does what
   * is still under way. The health that other checks have found holds until the first of the new ones.
   */
  goBy(rules: LedgerRules): void {
    const before = this.#rules;
    this.#rules = rules;
    if (!isSameBreaker(before.breaker, rules.breaker)) this.ejection = letBackIn(this.#ejection);
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

  get ejection(): TargetEjection {
    return this.#ejection;
  }

  set ejection(next: TargetEjection) {
    const wasOpen = this.#ejection.breaker.state === 'open';
    this.#ejection = next;
    if (!wasOpen && next.breaker.state === 'open') this.#tell();
  }

  /** What its active checks have come to. */
  get health(): TargetHealth {
    return this.#health;
  }

  get watchers(): number {
    return this.#watchers.size;
  }

  /** A check that finds it well after it was not is more than a guess: nothing is held against it any more. */
  noteHealth(health: TargetHealth): void {
    const wasHealthy = this.#health.healthy;
    this.#health = health;
    if (health.healthy && !wasHealthy) this.ejection = letBackIn(this.ejection);
    if (!health.healthy && wasHealthy) this.#tell();
  }

  /** @param onTakenOut called until `unwatch` of the same function */
  watch(onTakenOut: () => void): void {
    this.#watchers.add(onTakenOut);
  }

  unwatch(onTakenOut: () => void): void {
    this.#watchers.delete(onTakenOut);
  }

  #tell(): void {
    for (const onTakenOut of this.#watchers) onTakenOut();
  }
}
