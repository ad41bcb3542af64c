import type { CircuitBreakerRules } from '../../domain/circuit-breaking/circuit-breaker.js';
import type { SocketAddress } from '../../domain/configuration/gateway-configuration.js';
import type { TargetHealth } from '../../domain/health/target-health.js';
import type { HeaderList } from '../../domain/http/header-list.js';
import type { BalancedTarget } from '../../domain/load-balancing/balanced-target.js';
import type { HashedTarget } from '../../domain/load-balancing/consistent-hash.js';
import type { TargetAddress } from '../../domain/load-balancing/target-addresses.js';
import { ejectedForMs, isLetThrough } from '../../domain/load-balancing/target-ejection.js';
import { textHash } from '../../domain/load-balancing/text-hash.js';
import type { CheckedTarget } from '../check-upstream-health/watched-targets.js';
import type { Clock } from '../ports/clock.js';
import type { ProbedTarget } from '../ports/health-prober.js';
import type { TargetClient } from '../ports/upstream-client.js';
import type { TargetLedger } from './target-ledger.js';

/** What the response of a target tells its client, over http and over https. */
export interface EndpointCookie {
  readonly value: string;
  readonly plain: HeaderList;
  readonly secure: HeaderList;
}

/** What of the configuration an endpoint goes by. */
export interface EndpointRules {
  /** Null: it is never left alone because requests fail. */
  readonly breaker: CircuitBreakerRules | null;
  /** Whether its checks count: else what they once came to says nothing. */
  readonly isChecked: boolean;
}

/** One address of an upstream, and the connections to it. */
export class Endpoint implements BalancedTarget, HashedTarget, CheckedTarget {
  readonly address: SocketAddress;
  /** The address as `host:port`. */
  readonly text: string;
  readonly seed: number;
  readonly target: ProbedTarget;
  credit = 0;
  weight = 0;
  configuredWeight = 0;
  names: readonly string[] = [];
  /** Exchanges of this generation that are under way. */
  underWay = 0;
  /** It is no address of a target any more. */
  isRetired = false;
  /** Those of the names, where they are others than the own one: who drains a name drains its addresses. */
  #nameLedgers: readonly TargetLedger[] = [];
  readonly #clock: Clock;

  constructor(
    { address, text, names }: TargetAddress,
    readonly ledger: TargetLedger,
    readonly client: TargetClient,
    readonly cookie: EndpointCookie,
    readonly rules: EndpointRules,
    clock: Clock,
  ) {
    this.address = address;
    this.text = text;
    this.seed = textHash(text);
    this.target = { address, authority: names[0] as string };
    this.#clock = clock;
  }

  get active(): number {
    return this.ledger.active;
  }

  get cookieValue(): string {
    return this.cookie.value;
  }

  get isDrained(): boolean {
    if (this.ledger.drained) return true;
    for (const ledger of this.#nameLedgers) if (ledger.drained) return true;
    return false;
  }

  get isWell(): boolean {
    return !this.rules.isChecked || this.ledger.health.healthy;
  }

  /** Whether a request may be sent to it now. */
  get isOpen(): boolean {
    if (!this.isWell || this.isDrained) return false;
    const { breaker } = this.rules;
    const { ejection } = this.ledger;
    // The clock is asked only where it matters.
    if (breaker === null || ejection.breaker.state === 'closed') return true;
    return isLetThrough(ejection, breaker, this.#clock.monotonicMs());
  }

  /** Milliseconds for which requests are kept from it because others have failed; 0 where they are not. */
  get ejectedMs(): number {
    return this.rules.breaker === null ? 0 : ejectedForMs(this.ledger.ejection, this.#clock.monotonicMs());
  }

  health(): TargetHealth {
    return this.ledger.health;
  }

  update(next: TargetHealth): void {
    this.ledger.noteHealth(next);
  }

  /** What the look-ups have come to for it. */
  place({ names, configuredWeight, share }: TargetAddress, nameLedgers: readonly TargetLedger[]): void {
    this.names = names;
    this.configuredWeight = configuredWeight;
    this.weight = share;
    this.credit = 0;
    this.isRetired = false;
    this.#nameLedgers = nameLedgers;
  }
}
