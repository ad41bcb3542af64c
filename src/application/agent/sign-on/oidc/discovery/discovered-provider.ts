import { isSafeKeySetUrl } from '../../../../../domain/agent/configuration/key-set-url.js';
import {
  type ConfiguredEndpoints,
  type ProviderMetadata,
  readProviderMetadata,
} from '../../../../../domain/agent/oidc/provider-metadata.js';
import { discoveryUrl } from '../../../../../domain/agent/tokens/discovery.js';
import { nextAttemptDelayMs } from '../../../../../domain/agent/tokens/key-set.js';
import { err, type Result } from '../../../../../domain/shared/result.js';
import type { KeySetSource } from '../../../../ports/agent/key-set-source.js';
import type { Clock } from '../../../../ports/shared/clock.js';
import type { Logger } from '../../../../ports/shared/logger.js';
import type { Random } from '../../../../ports/shared/random.js';
import type { ScheduledTask, Scheduler } from '../../../../ports/shared/scheduler.js';
import { CancellationSource } from '../../../../shared/cancellation/cancellation-source.js';
import type { ProviderEndpointLookup } from './provider-endpoint-lookup.js';

/** A provider to discover. */
export interface DiscoveryPlace {
  readonly issuer: string;
  /** They replace endpoints of the document. */
  readonly endpoints: ConfiguredEndpoints;
}

export interface DiscoveryServices {
  readonly source: KeySetSource;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly scheduler: Scheduler;
  readonly random: Pick<Random, 'fraction'>;
  readonly logger: Logger;
}

/** Interval between fetches of a discovery document. */
const refreshMs = 3_600_000;
/** Minimum interval between fetches that sign-ons start, because anyone can begin a sign-on. */
const hurriedIntervalMs = 5_000;

/**
 * A provider with a discovery document. Fetches it at once, then periodically in the background, one fetch at a time.
 * The last good document stays in use.
 */
export class DiscoveredProvider implements ProviderEndpointLookup {
  readonly #place: DiscoveryPlace;
  readonly #parts: DiscoveryServices;
  readonly #listeners = new Set<() => void>();
  readonly #cancellation = new CancellationSource();
  readonly #firstLoad: Promise<void>;
  #isRunning = false;
  /** When the last fetch ended, by the monotonic clock. */
  #endedMs = 0;
  #metadata: ProviderMetadata | null = null;
  /** Consecutive failed fetches. */
  #failures = 0;
  #failure: string | null = null;
  #next: ScheduledTask | null = null;

  constructor(place: DiscoveryPlace, parts: DiscoveryServices) {
    this.#place = place;
    this.#parts = parts;
    this.#firstLoad = this.#attempt();
  }

  current(): ProviderMetadata | null {
    return this.#metadata;
  }

  lastFailure(): string | null {
    return this.#failure;
  }

  firstLoad(): Promise<void> {
    return this.#firstLoad;
  }

  hurry(): void {
    if (this.#metadata !== null || this.#isRunning || this.#cancellation.isCancelled) return;
    if (this.#parts.clock.monotonicMs() - this.#endedMs >= hurriedIntervalMs) void this.#attempt();
  }

  onChange(listener: () => void): () => void {
    const own = () => listener();
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  /** Cancels the running fetch and starts no other. The metadata stays. */
  stop(): void {
    this.#cancellation.cancel();
    this.#next?.cancel();
    this.#next = null;
    this.#listeners.clear();
  }

  async #attempt(): Promise<void> {
    this.#next?.cancel();
    this.#next = null;
    this.#isRunning = true;
    const read = await this.#fetch();
    this.#isRunning = false;
    if (this.#cancellation.isCancelled) return;
    const { clock, scheduler, random } = this.#parts;
    this.#endedMs = clock.monotonicMs();
    const wasKnown = this.#metadata !== null;
    this.#take(read);
    const freshness = { hasKeys: this.#metadata !== null, failures: this.#failures, refetchedAtMs: null };
    const delayMs = nextAttemptDelayMs(freshness, refreshMs, random.fraction());
    this.#next = scheduler.after(delayMs, () => void this.#attempt());
    if (!wasKnown && this.#metadata !== null) for (const listener of [...this.#listeners]) listener();
  }

  async #fetch(): Promise<Result<ProviderMetadata, string>> {
    const { issuer, endpoints } = this.#place;
    const document = await this.#parts.source.fetch(discoveryUrl(issuer), this.#cancellation);
    if (!document.ok) return err(`${document.error.code}: ${document.error.detail}`);
    const read = readProviderMetadata(document.value, issuer, endpoints, isSafeKeySetUrl);
    return read.ok ? read : err(`malformed: ${read.error}`);
  }

  #take(read: Result<ProviderMetadata, string>): void {
    const { logger } = this.#parts;
    const { issuer } = this.#place;
    if (!read.ok) {
      this.#failures += 1;
      this.#failure = read.error;
      const state = this.#metadata === null ? 'absent' : 'stale';
      logger.warn('the discovery document could not be used', { issuer, reason: read.error, metadata: state });
      return;
    }
    if (this.#failures > 0 && this.#metadata !== null) {
      logger.info('the discovery document is fresh again', { issuer });
    }
    this.#failures = 0;
    this.#failure = null;
    this.#metadata = read.value;
  }
}
