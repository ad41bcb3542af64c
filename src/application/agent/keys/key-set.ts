import { discoveryUrl, type KeySetLocation } from '../../../domain/agent/tokens/discovery.js';
import {
  afterFailure,
  afterRefetch,
  afterSuccess,
  chooseKey,
  type KeySetFreshness,
  type KeySetState,
  keySetState,
  mayRefetch,
  neverFetched,
  nextAttemptDelayMs,
} from '../../../domain/agent/tokens/key-set.js';
import type { Result } from '../../../domain/shared/result.js';
import type { KeySetSource } from '../../ports/agent/key-set-source.js';
import type { VerificationKeys } from '../../ports/agent/token-verifier.js';
import type { Cancellation } from '../../ports/shared/cancellation.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { Logger } from '../../ports/shared/logger.js';
import type { Random } from '../../ports/shared/random.js';
import type { ScheduledTask, Scheduler } from '../../ports/shared/scheduler.js';
import { CancellationSource } from '../../shared/cancellation/cancellation-source.js';
import { KeySetLog } from './key-set-log.js';
import { type KeySetSpec, type LoadedKey, type LoadedKeySet, loadKeySet } from './load-key-set.js';
import type { ProviderKey } from './provider-key.js';

/** How a wait for a refetch ended. */
type RefetchOutcome =
  /** The fetch ended, with or without success. */
  | 'ended'
  /** The timeout passed; the fetch continues. */
  | 'timed_out'
  | 'cancelled';

/** The requests that wait for one fetch, each with its own timeout; their number is bounded. */
class RefetchWaiters {
  readonly #scheduler: Scheduler;
  readonly #maximum: number;
  readonly #settlers = new Set<(outcome: RefetchOutcome) => void>();

  constructor(scheduler: Scheduler, maximum: number) {
    this.#scheduler = scheduler;
    this.#maximum = maximum;
  }

  get isFull(): boolean {
    return this.#settlers.size >= this.#maximum;
  }

  /** Call it only while `isFull` is false. */
  wait(timeoutMs: number, cancellation: Cancellation): Promise<RefetchOutcome> {
    return new Promise((resolve) => {
      let removeListener: () => void = () => undefined;
      const settle = (outcome: RefetchOutcome): void => {
        this.#settlers.delete(settle);
        deadline.cancel();
        removeListener();
        resolve(outcome);
      };
      const deadline = this.#scheduler.after(timeoutMs, () => settle('timed_out'));
      this.#settlers.add(settle);
      removeListener = cancellation.onCancel(() => settle('cancelled'));
    });
  }

  endAll(): void {
    for (const settle of [...this.#settlers]) settle('ended');
  }
}

export interface KeySetPorts {
  readonly source: KeySetSource;
  readonly keys: VerificationKeys;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly logger: Logger;
}

export type RefreshResult = 'success' | 'failure';

/** Requests that may wait for one set. A client can invent a `kid`, and each waiting request holds memory. */
export const maximumRefetchWaiters = 256;

/** Why a request does not wait for a refetch. */
export type RefetchRefusal =
  /** The last refetch was too recent, or the set is suspended. */
  | 'too_soon'
  /** `maximumRefetchWaiters` requests already wait. */
  | 'crowded';

const locationText = (location: KeySetLocation): string =>
  location.kind === 'url' ? location.url : discoveryUrl(location.issuer);

/** The failure of a set without a usable key. Its withdrawn keys are withdrawn all the same. */
const noUsableKeyText =
  'unusable: the set has keys, but none that can be used; those that it no longer has are withdrawn';

/**
 * The keys of one provider. It fetches the set at once and then periodically in the background, one attempt at a time.
 * The last good set stays in use until the next one.
 */
export class KeySet {
  readonly #spec: KeySetSpec;
  readonly #refreshMs: number;
  readonly #ports: KeySetPorts;
  readonly #log: KeySetLog;
  readonly #onRefresh: (result: RefreshResult) => void;
  readonly #listeners = new Set<() => void>();
  readonly #waiters: RefetchWaiters;
  #firstLoad: Promise<void>;
  #keys: readonly LoadedKey[] = [];
  #freshness: KeySetFreshness = neverFetched;
  #failure: string | null = null;
  /** Cancels the running attempt; null: no attempt runs. */
  #attempting: CancellationSource | null = null;
  #next: ScheduledTask | null = null;
  /** No configuration uses the set, so no attempt begins. */
  #isSuspended = false;
  /** `suspend` cancelled or prevented an attempt; `resume` makes up for it. */
  #isOverdue = false;
  #isStopped = false;

  constructor(spec: KeySetSpec, refreshMs: number, ports: KeySetPorts, onRefresh: (result: RefreshResult) => void) {
    this.#spec = spec;
    this.#refreshMs = refreshMs;
    this.#ports = ports;
    this.#log = new KeySetLog(ports.logger, locationText(spec.location));
    this.#onRefresh = onRefresh;
    this.#waiters = new RefetchWaiters(ports.scheduler, maximumRefetchWaiters);
    this.#firstLoad = this.#start();
  }

  /** The key that the header of a token names; null: no key matches, or several do. */
  find(kid: string | null, algorithm: string): ProviderKey | null {
    return chooseKey(this.#keys, kid, algorithm);
  }

  /** Whether a key of any algorithm has that `kid`. */
  hasKid(kid: string): boolean {
    return this.#keys.some((key) => key.kid === kid);
  }

  /**
   * Fetches the set because a token names a key that is not in it, and waits for the end. All callers share the running
   * attempt; it continues after they stop waiting.
   */
  refetch(timeoutMs: number, cancellation: Cancellation): Promise<RefetchOutcome> | RefetchRefusal {
    if (this.#attempting === null) {
      const nowMs = this.#ports.clock.monotonicMs();
      if (this.#isSuspended || !mayRefetch(this.#freshness, nowMs)) return 'too_soon';
      this.#freshness = afterRefetch(this.#freshness, nowMs);
      void this.#start();
    }
    return this.#waiters.isFull ? 'crowded' : this.#waiters.wait(timeoutMs, cancellation);
  }

  /** Resolves when the first attempt ends, with or without success; at once while the set is suspended. */
  firstLoad(): Promise<void> {
    return this.#firstLoad;
  }

  state(): KeySetState {
    return keySetState(this.#freshness);
  }

  /** Why the last attempt failed, in one clause; null: it succeeded, or none has ended. */
  lastFailure(): string | null {
    return this.#failure;
  }

  /** Calls the listener whenever `state` changes. Returns a function that removes the listener. */
  onChange(listener: () => void): () => void {
    const own = () => listener();
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  /** Cancels the running attempt and begins no other until `resume`. The keys stay. */
  suspend(): void {
    this.#isSuspended = true;
    if (this.#attempting !== null) this.#isOverdue = true;
    this.#attempting?.cancel();
    this.#attempting = null;
    this.#waiters.endAll();
  }

  /** Allows attempts again, and starts one at once if one was missed. */
  resume(): void {
    if (!this.#isSuspended || this.#isStopped) return;
    this.#isSuspended = false;
    if (!this.#isOverdue) return;
    const ended = this.#start();
    if (this.state() === 'absent') this.#firstLoad = ended;
  }

  /** Suspends the set for good, and cancels every timer. */
  stop(): void {
    this.#isStopped = true;
    this.suspend();
    this.#next?.cancel();
    this.#next = null;
    this.#listeners.clear();
  }

  // INVARIANT: called only while no attempt runs, so that attempts never overlap.
  #start(): Promise<void> {
    this.#next?.cancel();
    this.#next = null;
    this.#isOverdue = false;
    const attempting = new CancellationSource();
    this.#attempting = attempting;
    return this.#attempt(attempting);
  }

  async #attempt(cancellation: CancellationSource): Promise<void> {
    const { source, keys } = this.#ports;
    const loaded = await loadKeySet(this.#spec, this.#keys, source, keys, cancellation);
    if (cancellation.isCancelled) return;
    this.#attempting = null;
    this.#end(loaded);
    this.#waiters.endAll();
  }

  #end(loaded: Result<LoadedKeySet, string>): void {
    const { scheduler, random } = this.#ports;
    const before = this.state();
    if (loaded.ok) this.#replaceKeys(loaded.value);
    const failure = loaded.ok ? this.#noUsableKey() : loaded.error;
    this.#failure = failure;
    if (failure === null) {
      this.#freshness = afterSuccess(this.#freshness);
      if (before === 'stale') this.#log.logRecovery();
    } else {
      this.#freshness = afterFailure(this.#freshness);
      this.#log.logFailure(failure, this.state());
    }
    const delayMs = nextAttemptDelayMs(this.#freshness, this.#refreshMs, random.fraction());
    this.#next = scheduler.after(delayMs, () => {
      if (this.#isSuspended) this.#isOverdue = true;
      else void this.#start();
    });
    this.#onRefresh(failure === null ? 'success' : 'failure');
    if (this.state() !== before) for (const listener of [...this.#listeners]) listener();
  }

  #noUsableKey(): string | null {
    return this.#keys.length === 0 ? noUsableKeyText : null;
  }

  /** Replaces all keys synchronously: no request sees half of a set, and a removed key is refused at once. */
  #replaceKeys({ keys, refused }: LoadedKeySet): void {
    const held = this.#keys;
    const withdrawn = held.filter((key) => !keys.includes(key));
    for (const key of withdrawn) key.withdraw();
    this.#keys = keys;
    this.#log.logChange(keys, keys.filter((key) => !held.includes(key)).length, withdrawn);
    this.#log.logRefused(refused);
  }
}
