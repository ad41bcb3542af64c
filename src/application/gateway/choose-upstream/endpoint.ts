import type { SocketAddress } from '../../../domain/configuration/network-addresses.js';
import type { TargetHealth } from '../../../domain/gateway/health/target-health.js';
import type { BalancedTarget } from '../../../domain/gateway/load-balancing/balanced-target.js';
import { type HashedTarget, textHash } from '../../../domain/gateway/load-balancing/consistent-hash.js';
import type { TargetAddress } from '../../../domain/gateway/load-balancing/target-addresses.js';
import { type HeaderList, noHeaders } from '../../../domain/http/header-list.js';
import type { ProbedTarget } from '../../ports/gateway/health-prober.js';
import type { TargetClient } from '../../ports/gateway/upstream-client.js';
import type { CheckedTarget } from '../check-health/watched-targets.js';
import type { TargetLedger } from './target-ledger.js';

/** The sticky cookie of a target: its value, and the response fields for http and https. */
export interface EndpointCookie {
  readonly value: string;
  readonly plain: HeaderList;
  readonly secure: HeaderList;
}

/** The endpoint for a request, and the fields for its response. */
export interface PickedEndpoint {
  readonly endpoint: Endpoint;
  readonly responseHeaders: HeaderList;
}

/** One address of an upstream, and the connections to it. */
export class Endpoint implements BalancedTarget, HashedTarget, CheckedTarget {
  readonly address: SocketAddress;
  /** The address as `host:port`. */
  readonly text: string;
  readonly seed: number;
  readonly target: ProbedTarget;
  /** This endpoint, picked without a response field. */
  readonly withoutCookie: PickedEndpoint = { endpoint: this, responseHeaders: noHeaders };
  credit = 0;
  weight = 0;
  configuredWeight = 0;
  names: readonly string[] = [];
  /** Open exchanges of this generation. */
  underWay = 0;
  /** No target has this address any longer. */
  isRetired = false;
  /** The ledgers of its names, other than its own: draining a name drains its addresses. */
  #nameLedgers: readonly TargetLedger[] = [];
  readonly #isChecked: boolean;
  /** Evicts queued requests when the endpoint is taken out, because they could use another target. */
  readonly #onTakenOut = (): void => {
    if (!this.isOpen) this.client.evictQueued();
  };

  /** @param isChecked whether health checks count; without checks, earlier results are ignored */
  constructor(
    { address, text, names }: TargetAddress,
    readonly ledger: TargetLedger,
    readonly client: TargetClient,
    readonly cookie: EndpointCookie,
    isChecked: boolean,
  ) {
    this.address = address;
    this.text = text;
    this.seed = textHash(text);
    this.target = { address, authority: names[0] as string };
    this.#isChecked = isChecked;
    ledger.watch(this.#onTakenOut);
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
    return !this.#isChecked || this.ledger.health.healthy;
  }

  /** Whether the rules in force spare the last target in use from ejection. */
  get isSparedLast(): boolean {
    return this.ledger.rules.sparesLast;
  }

  /** Whether it is healthy, not drained, and not ejected or on probation. */
  get isInUse(): boolean {
    return this.isWell && !this.isDrained && this.ledger.breaker.isClosed;
  }

  /** Whether it accepts a request now. */
  get isOpen(): boolean {
    return this.isWell && !this.isDrained && this.ledger.breaker.isCallAllowed;
  }

  /** Milliseconds until the end of an ejection; 0: it is not ejected. */
  get ejectedMs(): number {
    return this.ledger.breaker.openForMs;
  }

  health(): TargetHealth {
    return this.ledger.health;
  }

  update(next: TargetHealth): void {
    this.ledger.noteHealth(next);
  }

  /** Applies the lookup results for its address. */
  place({ names, configuredWeight, share }: TargetAddress, nameLedgers: readonly TargetLedger[]): void {
    this.names = names;
    this.configuredWeight = configuredWeight;
    this.weight = share;
    this.credit = 0;
    this.isRetired = false;
    for (const ledger of this.#nameLedgers) ledger.unwatch(this.#onTakenOut);
    this.#nameLedgers = nameLedgers;
    for (const ledger of nameLedgers) ledger.watch(this.#onTakenOut);
    this.#onTakenOut();
  }

  /** Stops watching the ledgers, which others may still use. */
  release(): void {
    for (const ledger of [this.ledger, ...this.#nameLedgers]) ledger.unwatch(this.#onTakenOut);
  }
}
