import type { StreamAddress } from '../../../domain/configuration/network-addresses.js';
import type { AttemptOutcome } from '../../../domain/gateway/circuit-breaking/circuit-breaker.js';
import type { Balancing, StickyCookie } from '../../../domain/gateway/configuration/upstream-options.js';
import type { TargetHealth } from '../../../domain/gateway/health/target-health.js';
import type { BalancedTarget } from '../../../domain/gateway/load-balancing/balanced-target.js';
import {
  type HashedTarget,
  hashedTo,
  hashKeyText,
  textHash,
} from '../../../domain/gateway/load-balancing/consistent-hash.js';
import { leastLoaded } from '../../../domain/gateway/load-balancing/least-connections.js';
import { powerOfTwoChoices } from '../../../domain/gateway/load-balancing/power-of-two-choices.js';
import type { TargetAddress } from '../../../domain/gateway/load-balancing/target-addresses.js';
import { stickyTarget } from '../../../domain/gateway/load-balancing/target-cookie.js';
import { nextInTurn } from '../../../domain/gateway/load-balancing/weighted-rotation.js';
import { type HeaderList, noHeaders } from '../../../domain/http/header-list.js';
import type { ProbedTarget } from '../../ports/gateway/health-prober.js';
import type { TargetClient } from '../../ports/gateway/upstream-client.js';
import type { Logger } from '../../ports/shared/logger.js';
import type { Random } from '../../ports/shared/random.js';
import type { CheckedTarget } from '../check-health/watched-targets.js';
import type { BalancingRequest, ChosenTarget } from './chosen-target.js';
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

interface EndpointOptions {
  readonly cookie: EndpointCookie;
  readonly probed: ProbedTarget;
  /** Whether the upstream has health checks. Without them, earlier results do not count. */
  readonly isChecked: boolean;
}

/** One address of an upstream, and the connections to it. */
export class Endpoint implements BalancedTarget, HashedTarget, CheckedTarget {
  readonly address: StreamAddress;
  /** The address as text, unique in the upstream. */
  readonly text: string;
  /** See `TargetAddress.key`. */
  readonly key: string;
  /** Its first target, as configured. */
  readonly name: string;
  readonly cookie: EndpointCookie;
  readonly seed: number;
  readonly target: ProbedTarget;
  /** This endpoint, picked without a response field. */
  readonly withoutCookie: PickedEndpoint = { endpoint: this, responseHeaders: noHeaders };
  credit = 0;
  weight = 0;
  configuredWeight = 0;
  names: readonly string[] = [];
  /** The endpoints with one of its names, and a weight above 0; itself included. */
  siblings: readonly Endpoint[] = [];
  /** Open exchanges of this generation. */
  underWay = 0;
  /** No target has this address any longer. */
  isRetired = false;
  /** The ledgers of its names, without its own. A drained name drains all its addresses. */
  #nameLedgers: readonly TargetLedger[] = [];
  readonly #isChecked: boolean;
  /** Evicts queued requests if the endpoint accepts no more requests, so that another target takes them. */
  readonly #onTakenOut = (): void => {
    if (!this.isOpen) this.client.evictQueued();
  };

  constructor(
    { address, text, key, names }: TargetAddress,
    readonly ledger: TargetLedger,
    readonly client: TargetClient,
    { cookie, probed, isChecked }: EndpointOptions,
  ) {
    this.address = address;
    this.text = text;
    this.key = key;
    this.name = names[0] as string;
    this.seed = textHash(text);
    this.cookie = cookie;
    this.target = probed;
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

  /** Stops watching the ledgers, which other generations may still use. */
  release(): void {
    for (const ledger of [this.ledger, ...this.#nameLedgers]) ledger.unwatch(this.#onTakenOut);
  }
}

/** The candidates with a free connection; if none has one, all candidates, because every choice queues. */
const withFreeConnection = (candidates: readonly Endpoint[]): readonly Endpoint[] => {
  if (!candidates.some(({ client }) => client.isFull)) return candidates;
  const free = candidates.filter(({ client }) => !client.isFull);
  return free.length === 0 ? candidates : free;
};

/** Picks one of the candidate endpoints for a request. */
export class EndpointPicker {
  readonly #balancing: Balancing;
  readonly #cookie: StickyCookie | null;
  readonly #random: Random;

  constructor(balancing: Balancing, cookie: StickyCookie | null, random: Random) {
    this.#balancing = balancing;
    this.#cookie = cookie;
    this.#random = random;
  }

  /**
   * Picks by the sticky cookie of the client, even if the endpoint has no free connection. Otherwise balances, and sets
   * a cookie. Null: there is no candidate.
   */
  pick(candidates: readonly Endpoint[], request: BalancingRequest): PickedEndpoint | null {
    if (this.#cookie === null) return this.#balanced(candidates, request)?.withoutCookie ?? null;
    const known = stickyTarget(candidates, request.headers, this.#cookie.name);
    if (known !== null) return known.withoutCookie;
    const endpoint = this.#balanced(candidates, request);
    if (endpoint === null) return null;
    const { secure, plain } = endpoint.cookie;
    return { endpoint, responseHeaders: request.isSecure ? secure : plain };
  }

  #balanced(open: readonly Endpoint[], request: BalancingRequest): Endpoint | null {
    // Every algorithm picks the only candidate.
    if (open.length === 1) return open[0] ?? null;
    const candidates = withFreeConnection(open);
    const balancing = this.#balancing;
    switch (balancing.kind) {
      case 'round_robin':
        return nextInTurn(candidates);
      case 'least_connections':
        return leastLoaded(candidates);
      case 'power_of_two':
        return powerOfTwoChoices(candidates, this.#random.fraction(), this.#random.fraction());
      case 'consistent_hash':
        return hashedTo(candidates, textHash(hashKeyText(balancing.key, request.clientIp, request.headers)));
    }
  }
}

/** The upstream of a chosen endpoint. */
export interface EndpointOwner {
  readonly upstream: string;
  readonly logger: Logger;
  /** Whether no other endpoint is in use. */
  readonly isLast: (endpoint: Endpoint) => boolean;
  /** The next address of the same name that accepts a request. */
  readonly next: (endpoint: Endpoint, request: BalancingRequest, mayQueue: boolean) => PickedEndpoint | null;
  /** Called when the last exchange with a retired endpoint has ended. */
  readonly whenUnused: (endpoint: Endpoint) => void;
}

/** Log message when an ejected target gets requests because there is no other. */
export const sparedMessage = 'Target gets requests again, because there is no other';

/** Maximum characters of a stored error. */
const maximumError = 200;

/** A choice of an endpoint for one request. It counts as active until `ended`. */
export class ChosenEndpoint implements ChosenTarget {
  readonly kind = 'chosen';
  readonly #endpoint: Endpoint;
  readonly #owner: EndpointOwner;
  /** The period of the breaker in which the request counts. */
  #period: number;
  #isOver = false;

  constructor(
    endpoint: Endpoint,
    readonly responseHeaders: readonly string[],
    owner: EndpointOwner,
  ) {
    this.#endpoint = endpoint;
    this.#owner = owner;
    const { ledger } = endpoint;
    endpoint.underWay += 1;
    ledger.active += 1;
    ledger.totalRequests += 1;
    const { breaker } = ledger;
    this.#period = breaker.admit() ?? breaker.period;
  }

  get address(): string {
    return this.#endpoint.text;
  }

  get client(): TargetClient {
    return this.#endpoint.client;
  }

  get hasSiblings(): boolean {
    return this.#endpoint.siblings.length > 1;
  }

  next(request: BalancingRequest, mayQueue: boolean): ChosenTarget | null {
    const picked = this.#owner.next(this.#endpoint, request, mayQueue);
    return picked === null ? null : new ChosenEndpoint(picked.endpoint, picked.responseHeaders, this.#owner);
  }

  answered(): void {
    if (this.#isOver) return;
    const { ledger } = this.#endpoint;
    const { ejectedSinceMs } = ledger;
    // The rest of the exchange counts in the new period.
    this.#period = ledger.breaker.answeredOnTrial(this.#period);
    if (ledger.ejectedSinceMs !== ejectedSinceMs) this.#logChange('Target works again');
  }

  ended(outcome: AttemptOutcome, detail = 'failed'): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const endpoint = this.#endpoint;
    const { ledger } = endpoint;
    ledger.active -= 1;
    if (outcome === 'failure') this.#failed(detail.slice(0, maximumError));
    else {
      const { ejectedSinceMs } = ledger;
      ledger.breaker.ended(this.#period, outcome);
      if (ledger.ejectedSinceMs !== ejectedSinceMs) this.#logChange('Target works again');
    }
    endpoint.underWay -= 1;
    if (endpoint.isRetired && endpoint.underWay === 0) this.#owner.whenUnused(endpoint);
  }

  #failed(error: string): void {
    const { ledger, isSparedLast } = this.#endpoint;
    const { breaker, ejectedSinceMs } = ledger;
    ledger.failedRequests += 1;
    const isSpared = isSparedLast && this.#owner.isLast(this.#endpoint);
    const counts = isSpared
      ? breaker.failedWithoutAlternative(this.#period)
      : breaker.ended(this.#period, 'failure', error);
    if (counts) ledger.lastError = error;
    if ((ledger.ejectedSinceMs === null) !== (ejectedSinceMs === null)) this.#logChange(sparedMessage);
  }

  /** Logs a target when it is first ejected and when it works again, not for each failed probe. */
  #logChange(backMessage: string): void {
    const { ledger, text, names } = this.#endpoint;
    const { logger, upstream } = this.#owner;
    const name = names.includes(text) ? {} : { name: names[0] as string };
    const fields = { upstream, target: text, ...name };
    if (ledger.ejectedSinceMs === null) logger.info(backMessage, fields);
    else logger.warn('Target ejected after too many failures', { ...fields, error: ledger.lastError });
  }
}
