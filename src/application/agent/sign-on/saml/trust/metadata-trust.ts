import type { IdentityProvider } from '../../../../../domain/agent/saml/identity-provider.js';
import { refreshDelayMs } from '../../../../../domain/agent/saml/metadata/refresh-delay.js';
import { err, ok, type Result } from '../../../../../domain/shared/result.js';
import type { MetadataSource } from '../../../../ports/agent/key-set-source.js';
import type { SamlDocumentVerifier } from '../../../../ports/agent/saml-document-verifier.js';
import type { SamlKeys, SigningCertificate } from '../../../../ports/agent/saml-keys.js';
import type { Cancellation } from '../../../../ports/shared/cancellation.js';
import type { Clock } from '../../../../ports/shared/clock.js';
import type { Logger } from '../../../../ports/shared/logger.js';
import type { Random } from '../../../../ports/shared/random.js';
import type { ScheduledTask, Scheduler } from '../../../../ports/shared/scheduler.js';
import { CancellationSource } from '../../../../shared/cancellation/cancellation-source.js';
import type { IdentityProviderTrust, TrustState } from './identity-provider-trust.js';

interface LoadMetadataParts {
  readonly source: MetadataSource;
  readonly verifier: Pick<SamlDocumentVerifier, 'verifyMetadata'>;
  readonly keys: Pick<SamlKeys, 'readCertificate'>;
  readonly clock: Clock;
}

/** What to fetch, and how to check it. */
interface MetadataPlace {
  readonly url: string;
  /** Null: the only entity of the metadata. */
  readonly entityId: string | null;
  /** Certificates, each DER in base64. One of them must have signed the metadata; empty: it needs no signature. */
  readonly certificates: readonly string[];
}

interface LoadedMetadata {
  /** Has at least one certificate. The agent can use all its certificates. */
  readonly provider: IdentityProvider;
  readonly validUntilMs: number | null;
  readonly cacheDurationMs: number | null;
  /** The reason for each omitted certificate, one clause each. */
  readonly leftOut: readonly string[];
  /** Number of expired certificates. The agent uses their keys, because SAML trusts keys, not validity periods. */
  readonly outdated: number;
}

/** Fetches metadata and reads the identity provider. The error is one clause for the log. Never rejects. */
const loadMetadata = async (
  { url, entityId, certificates }: MetadataPlace,
  { source, verifier, keys, clock }: LoadMetadataParts,
  cancellation: Cancellation,
): Promise<Result<LoadedMetadata, string>> => {
  const fetched = await source.fetch(url, cancellation);
  if (!fetched.ok) return err(`${fetched.error.code}: ${fetched.error.detail}`);
  const nowMs = clock.wallMs();
  const described = await verifier.verifyMetadata(fetched.value, { certificates, entityId, nowMs }, cancellation);
  if (!described.ok) {
    const { error } = described;
    return err(typeof error === 'string' ? `refused: ${error}` : `unusable: the metadata ${error.unusable}`);
  }
  const usable: SigningCertificate[] = [];
  const leftOut: string[] = [];
  for (const der of described.value.provider.signingCertificates) {
    const certificate = keys.readCertificate(der);
    if (certificate.ok) usable.push(certificate.value);
    else leftOut.push(certificate.error);
  }
  if (usable.length === 0) return err(`unusable: no certificate of the metadata can be used: the first ${leftOut[0]}`);
  const { provider, validUntilMs, cacheDurationMs } = described.value;
  return ok({
    provider: { ...provider, signingCertificates: usable.map(({ der }) => der) },
    validUntilMs,
    cacheDurationMs,
    leftOut,
    outdated: usable.filter(({ notAfterMs }) => notAfterMs < nowMs).length,
  });
};

/** Maximum reasons per log line. */
const maximumReasons = 10;
const clauseLength = 200;

/**
 * Logs changes and failures of one metadata URL. Omits the query, which may contain a secret, and truncates foreign
 * text.
 */
class MetadataLog {
  readonly #logger: Logger;
  readonly #url: string;
  #reported = '';
  #doubts = '';

  constructor(logger: Logger, url: string) {
    this.#logger = logger;
    this.#url = url.replace(/\?.*$/s, '');
  }

  failed(reason: string, state: TrustState): void {
    this.#logger.warn('the metadata of the identity provider could not be fetched', {
      url: this.#url,
      reason: reason.slice(0, clauseLength),
      metadata: state,
    });
  }

  recovered(): void {
    this.#logger.info('the metadata of the identity provider is fresh again', { url: this.#url });
  }

  /** Logs only changes. */
  taken({ provider, leftOut, outdated }: LoadedMetadata): void {
    const provided = JSON.stringify(provider);
    if (provided !== this.#reported) {
      this.#logger.info('the metadata of the identity provider has changed', {
        url: this.#url,
        entity_id: provider.entityId.slice(0, clauseLength),
        certificates: provider.signingCertificates.length,
      });
    }
    this.#reported = provided;
    const clauses = leftOut.slice(0, maximumReasons).map((clause) => clause.slice(0, clauseLength));
    const doubts = JSON.stringify([clauses, outdated]);
    if (doubts !== this.#doubts && leftOut.length > 0) {
      this.#logger.warn('certificates of the metadata are not used', {
        url: this.#url,
        count: leftOut.length,
        reasons: clauses,
      });
    }
    if (doubts !== this.#doubts && outdated > 0) {
      this.#logger.warn('certificates of the metadata have expired; their keys are used', {
        url: this.#url,
        count: outdated,
      });
    }
    this.#doubts = doubts;
  }
}

export interface MetadataTrustOptions extends LoadMetadataParts {
  readonly scheduler: Scheduler;
  readonly random: Pick<Random, 'fraction'>;
  readonly logger: Logger;
}

/** Minimum interval between fetches that sign-ons start, because anyone can begin a sign-on. */
const hurriedIntervalMs = 5_000;

/**
 * An identity provider with metadata. Fetches the metadata at once, then periodically in the background, one fetch at a
 * time. The last good metadata stays in use until it expires.
 */
export class MetadataTrust implements IdentityProviderTrust {
  readonly #place: MetadataPlace;
  readonly #refreshMs: number;
  readonly #parts: MetadataTrustOptions;
  readonly #log: MetadataLog;
  readonly #listeners = new Set<() => void>();
  readonly #cancellation = new CancellationSource();
  readonly #firstLoad: Promise<void>;
  /** The running fetch. */
  #running: Promise<void> | null = null;
  /** When the last fetch ended, by the monotonic clock. */
  #endedMs = 0;
  #loaded: LoadedMetadata | null = null;
  /** Consecutive failed fetches. */
  #failures = 0;
  #failure: string | null = null;
  #next: ScheduledTask | null = null;
  /** The state at the last call of the listeners. */
  #reported: TrustState = 'absent';
  #reportedDemand = false;

  constructor(place: MetadataPlace, refreshMs: number, parts: MetadataTrustOptions) {
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

  /** Starts a fetch without the retry delay if the last one failed or its metadata expired. */
  retryNow(): void {
    if (this.state() !== 'fresh') void this.#begin();
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

  /** Starts a fetch unless one is running. */
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
    if (state === this.#reported && demand === this.#reportedDemand) return;
    this.#reported = state;
    this.#reportedDemand = demand;
    for (const listener of [...this.#listeners]) listener();
  }

  /** How long the metadata is still valid; null: without limit. */
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
