import type { IdentityProvider } from '../../domain/saml/identity-provider.js';
import { refreshDelayMs } from '../../domain/saml/metadata/refresh-delay.js';
import type { Result } from '../../domain/shared/result.js';
import { CancellationSource } from '../cancellation/cancellation-source.js';
import type { Logger } from '../ports/logger.js';
import type { Random } from '../ports/random.js';
import type { ScheduledTask, Scheduler } from '../ports/scheduler.js';
import type { IdentityProviderTrust, TrustState } from './identity-provider-trust.js';
import { type LoadedMetadata, type LoadMetadataParts, loadMetadata, type MetadataPlace } from './load-metadata.js';
import { MetadataLog } from './metadata-log.js';

export interface MetadataTrustParts extends LoadMetadataParts {
  readonly scheduler: Scheduler;
  readonly random: Pick<Random, 'fraction'>;
  readonly logger: Logger;
}

const noTerm = { cacheDurationMs: null, validUntilMs: null };

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
  #loaded: LoadedMetadata | null = null;
  /** Attempts that failed since the last that did not. */
  #failures = 0;
  #failure: string | null = null;
  #next: ScheduledTask | null = null;
  /** What was last told to the listeners. */
  #told: TrustState = 'absent';

  constructor(place: MetadataPlace, refreshMs: number, parts: MetadataTrustParts) {
    this.#place = place;
    this.#refreshMs = refreshMs;
    this.#parts = parts;
    this.#log = new MetadataLog(parts.logger, place.url);
    this.#firstLoad = this.#attempt();
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
    return this.#firstLoad;
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

  async #attempt(): Promise<void> {
    this.#next = null;
    const loaded = await loadMetadata(this.#place, this.#parts, this.#cancellation);
    if (this.#cancellation.isCancelled) return;
    this.#take(loaded);
    const { scheduler, random, clock } = this.#parts;
    const { cacheDurationMs, validUntilMs } = this.#loaded ?? noTerm;
    const delayMs = refreshDelayMs({
      failures: this.#failures,
      refreshMs: this.#refreshMs,
      cacheDurationMs,
      leftMs: validUntilMs === null ? null : validUntilMs - clock.wallMs(),
      fraction: random.fraction(),
    });
    this.#next = scheduler.after(delayMs, () => void this.#attempt());
    const state = this.state();
    if (state === this.#told) return;
    this.#told = state;
    for (const listener of [...this.#listeners]) listener();
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
