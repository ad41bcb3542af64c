import type { IdentityProvider } from '../../../../../domain/agent/saml/identity-provider.js';
import { refreshDelayMs } from '../../../../../domain/agent/saml/metadata/refresh-delay.js';
import type { Result } from '../../../../../domain/shared/result.js';
import type { Logger } from '../../../../ports/shared/logger.js';
import type { Random } from '../../../../ports/shared/random.js';
import type { ScheduledTask, Scheduler } from '../../../../ports/shared/scheduler.js';
import { CancellationSource } from '../../../../shared/cancellation/cancellation-source.js';
import type { IdentityProviderTrust, TrustState } from './identity-provider-trust.js';
import { type LoadedMetadata, type LoadMetadataParts, loadMetadata, type MetadataPlace } from './load-metadata.js';
import { MetadataLog } from './metadata-log.js';

export interface MetadataTrustParts extends LoadMetadataParts {
  readonly scheduler: Scheduler;
  readonly random: Pick<Random, 'fraction'>;
  readonly logger: Logger;
}

/** Between two attempts that are made for the sake of sign-ons, at the least: anybody can begin one. */
const hurriedIntervalMs = 5_000;

/**
 * An identity provider that its metadata describes. That is fetched at once, then again and again in the background, one
 * attempt at a time; the last that was good serves until there is another, or its time is over.
 */
export class MetadataTrust implements IdentityProviderTrust {
  readonly #place: MetadataPlace;
  readonly #refreshMs: number;
  readonly #parts: MetadataTrustParts;
  readonly #log: MetadataLog;
  readonly #listeners = new Set<() => void>();
  readonly #cancellation = new CancellationSource();
  readonly #firstLoad: Promise<void>;
  /** The attempt under way. */
  #running: Promise<void> | null = null;
  /** When the last attempt ended, on the monotonic clock. */
  #endedMs = 0;
  #loaded: LoadedMetadata | null = null;
  /** Attempts that failed since the last that did not. */
  #failures = 0;
  #failure: string | null = null;
  #next: ScheduledTask | null = null;
  /** What was last told to the listeners. */
  #told: TrustState = 'absent';
  #toldDemand = false;

  constructor(place: MetadataPlace, refreshMs: number, parts: MetadataTrustParts) {
    this.#place = place;
    this.#refreshMs = refreshMs;
    this.#parts = parts;
    this.#log = new MetadataLog(parts.logger, place.url);
    this.#firstLoad = this.#begin();
  }

  current(): IdentityProvider | null {
    const loaded = this.#loaded;
    if (loaded === null) return null;
    const isOver = loaded.validUntilMs !== null && this.#parts.clock.wallMs() >= loaded.validUntilMs;
    return isOver ? null : loaded.provider;
  }

  state(): TrustState {
    if (this.current() === null) return 'absent';
    return this.#failures === 0 ? 'fresh' : 'stale';
  }

  lastFailure(): string | null {
    return this.#failure;
  }

  firstLoad(): Promise<void> {
    return this.state() === 'absent' ? (this.#running ?? this.#firstLoad) : this.#firstLoad;
  }

  hurry(): void {
    if (this.state() !== 'absent') return;
    if (this.#parts.clock.monotonicMs() - this.#endedMs >= hurriedIntervalMs) void this.#begin();
  }

  /** Begins an attempt where the last one failed or what it brought is over, without the wait that would come before it. */
  retryNow(): void {
    if (this.state() !== 'fresh') void this.#begin();
  }

  onChange(listener: () => void): () => void {
    const own = () => listener();
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  /** Nobody uses it any more: an attempt that lasts is given up, and none begins. What is known stays known. */
  stop(): void {
    this.#cancellation.cancel();
    this.#next?.cancel();
    this.#next = null;
    this.#listeners.clear();
  }

  /** Begins an attempt, unless one is under way. */
  #begin(): Promise<void> {
    if (this.#cancellation.isCancelled) return Promise.resolve();
    this.#next?.cancel();
    this.#next = null;
    this.#running ??= this.#attempt();
    return this.#running;
  }

  async #attempt(): Promise<void> {
    const loaded = await loadMetadata(this.#place, this.#parts, this.#cancellation);
    this.#running = null;
    if (this.#cancellation.isCancelled) return;
    const { scheduler, random, clock } = this.#parts;
    this.#endedMs = clock.monotonicMs();
    this.#take(loaded);
    const delayMs = refreshDelayMs({
      failures: this.#failures,
      refreshMs: this.#refreshMs,
      cacheDurationMs: this.#loaded?.cacheDurationMs ?? null,
      leftMs: this.#leftMs(),
      fraction: random.fraction(),
    });
    this.#next = scheduler.after(delayMs, () => void this.#begin());
    const state = this.state();
    const demand = this.#loaded?.provider.wantsSignedRequests ?? false;
    if (state === this.#told && demand === this.#toldDemand) return;
    this.#told = state;
    this.#toldDemand = demand;
    for (const listener of [...this.#listeners]) listener();
  }

  /** How long what is known still counts; null: without end. */
  #leftMs(): number | null {
    if (this.#loaded === null) return 0;
    const { validUntilMs } = this.#loaded;
    return validUntilMs === null ? null : Math.max(0, validUntilMs - this.#parts.clock.wallMs());
  }

  #take(loaded: Result<LoadedMetadata, string>): void {
    if (!loaded.ok) {
      this.#failures += 1;
      this.#failure = loaded.error;
      this.#log.failed(loaded.error, this.state());
      return;
    }
    if (this.#failures > 0 && this.#loaded !== null) this.#log.recovered();
    this.#failures = 0;
    this.#failure = null;
    this.#loaded = loaded.value;
    this.#log.taken(loaded.value);
  }
}
