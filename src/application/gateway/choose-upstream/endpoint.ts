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

/** What the response of a target tells its client, over http and over https. */
export interface EndpointCookie {
  readonly value: string;
  readonly plain: HeaderList;
  readonly secure: HeaderList;
}

/** An endpoint that a request goes to, and what the client is told about it. */
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
  /** Picked, and the client is told nothing. */
  readonly silently: PickedEndpoint = { endpoint: this, responseHeaders: noHeaders };
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
  readonly #isChecked: boolean;
  /** Who waits for a connection to it must not wait for one that nobody else would be sent to. */
  readonly #onTakenOut = (): void => {
    if (!this.isOpen) this.client.evictQueued();
  };

  /** @param isChecked whether its checks count: else what they once came to says nothing */
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

  /** By the rules in force, the last target in use is not ejected. */
  get isSparedLast(): boolean {
    return this.ledger.rules.sparesLast;
  }

  /** Whether requests go to it as a matter of course: it is not on probation after an ejection either. */
  get isInUse(): boolean {
    return this.isWell && !this.isDrained && this.ledger.breaker.isClosed;
  }

  /** Whether a request may be sent to it now. */
  get isOpen(): boolean {
    return this.isWell && !this.isDrained && this.ledger.breaker.isCallAllowed;
  }

  /** Milliseconds until the end of an ejection; 0 where it is not ejected. */
  get ejectedMs(): number {
    return this.ledger.breaker.openForMs;
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
    for (const ledger of this.#nameLedgers) ledger.unwatch(this.#onTakenOut);
    this.#nameLedgers = nameLedgers;
    for (const ledger of nameLedgers) ledger.watch(this.#onTakenOut);
    this.#onTakenOut();
  }

  /** It is not used any more; the ledgers may be. */
  release(): void {
    for (const ledger of [this.ledger, ...this.#nameLedgers]) ledger.unwatch(this.#onTakenOut);
  }
}
