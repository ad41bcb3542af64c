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
import { type LoadedKey, type LoadedKeySet, loadKeySet, type WantedKeys } from './load-key-set.js';
import type { VerifyingKey } from './verifying-key.js';

/** How a wait came to its end. */
type KeyWaitOutcome =
  /** What was waited for has ended. */
  | 'ended'
  /** It goes on, and the wait took too long. */
  | 'timed_out'
  | 'cancelled';

/** Waits of many for one thing, each with a time of its own; so many at a time and no more. */
class KeyWaits {
  readonly #scheduler: Scheduler;
  readonly #maximum: number;
  readonly #ends = new Set<(end: KeyWaitOutcome) => void>();

  constructor(scheduler: Scheduler, maximum: number) {
    this.#scheduler = scheduler;
    this.#maximum = maximum;
  }

  get isFull(): boolean {
    return this.#ends.size >= this.#maximum;
  }

  /** Only where it is not full. */
  join(longestMs: number, cancellation: Cancellation): Promise<KeyWaitOutcome> {
    return new Promise((resolve) => {
      let endListening: () => void = () => undefined;
      const end = (how: KeyWaitOutcome): void => {
        this.#ends.delete(end);
        deadline.cancel();
        endListening();
        resolve(how);
      };
      const deadline = this.#scheduler.after(longestMs, () => end('timed_out'));
      this.#ends.add(end);
      endListening = cancellation.onCancel(() => end('cancelled'));
    });
  }

  endAll(): void {
    for (const end of [...this.#ends]) end('ended');
  }
}

export interface KeySetParts {
  readonly source: KeySetSource;
  readonly keys: VerificationKeys;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly logger: Logger;
}

export type RefreshResult = 'success' | 'failure';

/** Requests that wait for one set, at most: anybody can make up a `kid`, and each of them holds memory meanwhile. */
export const maximumWaiting = 256;

/** Why no fetch is waited for. */
export type NoWait =
  /** There has been one too short a time ago. */
  | 'too_soon'
  /** As many wait for it as may. */
  | 'crowded';

const locationText = (location: KeySetLocation): string =>
  location.kind === 'url' ? location.url : discoveryUrl(location.issuer);

/** A set of keys none of which can be used: those before are withdrawn all the same. */
const nothingUsable =
  'unusable: the set has keys, but none that can be used; those that it no longer has are withdrawn';

/**
 * The keys of one provider. The set is fetched at once, then again and again in the background, one attempt at a time; the
 * last good one serves until there is another.
 */
export class KeySet {
  readonly #wanted: WantedKeys;
  readonly #refreshMs: number;
  readonly #parts: KeySetParts;
  readonly #log: KeySetLog;
  readonly #onRefresh: (result: RefreshResult) => void;
  readonly #listeners = new Set<() => void>();
  readonly #waits: KeyWaits;
  #firstLoad: Promise<void>;
  #keys: readonly LoadedKey[] = [];
  #freshness: KeySetFreshness = neverFetched;
  #failure: string | null = null;
  /** Ends the attempt that lasts; null: none does. */
  #attempting: CancellationSource | null = null;
  #next: ScheduledTask | null = null;
  /** Nobody uses it: no attempt begins. */
  #isSuspended = false;
  /** An attempt was given up, or did not begin, because nobody used it. */
  #isOverdue = false;
  #isStopped = false;

  constructor(wanted: WantedKeys, refreshMs: number, parts: KeySetParts, onRefresh: (result: RefreshResult) => void) {
    this.#wanted = wanted;
    this.#refreshMs = refreshMs;
    this.#parts = parts;
    this.#log = new KeySetLog(parts.logger, locationText(wanted.location));
    this.#onRefresh = onRefresh;
    this.#waits = new KeyWaits(parts.scheduler, maximumWaiting);
    this.#firstLoad = this.#start();
  }

  /** The key that a token names by its header; null where there is none, or more than one. */
  find(kid: string | null, algorithm: string): VerifyingKey | null {
    return chooseKey(this.#keys, kid, algorithm);
  }

  /** Whether a key has that `kid`, whatever its algorithm. */
  hasKid(kid: string): boolean {
    return this.#keys.some((key) => key.kid === kid);
  }

  /**
   * Fetches the set because a token names a key that is not in it, and waits for that. Everyone who asks while an attempt
   * lasts waits for that one; it goes on when they no longer do.
   */
  refetch(longestMs: number, cancellation: Cancellation): Promise<KeyWaitOutcome> | NoWait {
    if (this.#attempting === null) {
      const nowMs = this.#parts.clock.monotonicMs();
      if (this.#isSuspended || !mayRefetch(this.#freshness, nowMs)) return 'too_soon';
      this.#freshness = afterRefetch(this.#freshness, nowMs);
      void this.#start();
    }
    return this.#waits.isFull ? 'crowded' : this.#waits.join(longestMs, cancellation);
  }

  /** Resolves with the end of the first attempt, whatever it brought; while it is suspended, at once. */
  firstLoad(): Promise<void> {
    return this.#firstLoad;
  }

  state(): KeySetState {
    return keySetState(this.#freshness);
  }

  /** Why the last attempt failed, in one clause; null where it did not. */
  lastFailure(): string | null {
    return this.#failure;
  }

  /** Calls back whenever `state` has changed; the result ends that. */
  onChange(listener: () => void): () => void {
    const own = () => listener();
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  /** Nobody uses it for the moment: an attempt that lasts is given up, and none begins. The keys stay as they are. */
  suspend(): void {
    this.#isSuspended = true;
    if (this.#attempting !== null) this.#isOverdue = true;
    this.#attempting?.cancel();
    this.#attempting = null;
    this.#waits.endAll();
  }

  /** Somebody uses it again: what has not come about meanwhile is made up for at once. */
  resume(): void {
    if (!this.#isSuspended || this.#isStopped) return;
    this.#isSuspended = false;
    if (!this.#isOverdue) return;
    const ended = this.#start();
    if (this.state() === 'absent') this.#firstLoad = ended;
  }

  /** The same for good: every timer ends. */
  stop(): void {
    this.#isStopped = true;
    this.suspend();
    this.#next?.cancel();
    this.#next = null;
    this.#listeners.clear();
  }

  // INVARIANT: called only while no attempt lasts, so that attempts never overlap.
  #start(): Promise<void> {
    this.#next?.cancel();
    this.#next = null;
    this.#isOverdue = false;
    const attempting = new CancellationSource();
    this.#attempting = attempting;
    return this.#attempt(attempting);
  }

  async #attempt(cancellation: CancellationSource): Promise<void> {
    const { source, keys } = this.#parts;
    const loaded = await loadKeySet(this.#wanted, this.#keys, source, keys, cancellation);
    if (cancellation.isCancelled) return;
    this.#attempting = null;
    this.#end(loaded);
    this.#waits.endAll();
  }

  #end(loaded: Result<LoadedKeySet, string>): void {
    const { scheduler, random } = this.#parts;
    const before = this.state();
    if (loaded.ok) this.#take(loaded.value);
    const failure = loaded.ok ? this.#nothingUsable() : loaded.error;
    this.#failure = failure;
    if (failure === null) {
      this.#freshness = afterSuccess(this.#freshness);
      if (before === 'stale') this.#log.recovered();
    } else {
      this.#freshness = afterFailure(this.#freshness);
      this.#log.failed(failure, this.state());
    }
    const delayMs = nextAttemptDelayMs(this.#freshness, this.#refreshMs, random.fraction());
    this.#next = scheduler.after(delayMs, () => {
      if (this.#isSuspended) this.#isOverdue = true;
      else void this.#start();
    });
    this.#onRefresh(failure === null ? 'success' : 'failure');
    if (this.state() !== before) for (const listener of [...this.#listeners]) listener();
  }

  #nothingUsable(): string | null {
    return this.#keys.length === 0 ? nothingUsable : null;
  }

  /** From one moment to the next: no request sees half of a set, and a key that has left it is refused at once. */
  #take({ keys, refused }: LoadedKeySet): void {
    const held = this.#keys;
    const withdrawn = held.filter((key) => !keys.includes(key));
    for (const key of withdrawn) key.withdraw();
    this.#keys = keys;
    this.#log.taken(keys, keys.filter((key) => !held.includes(key)).length, withdrawn);
    this.#log.refused(refused);
  }
}
