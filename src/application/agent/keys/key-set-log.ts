import type { KeySetState, RefusedKey } from '../../../domain/agent/tokens/key-set.js';
import type { Logger } from '../../ports/shared/logger.js';
import type { ProviderKey } from './provider-key.js';

/** Limits of one log line: keys listed, and characters of each `kid`. */
const maximumListedKeys = 10;
const maximumKidLength = 64;

const kidText = (kid: string | null): string => (kid === null ? 'a key without kid' : kid.slice(0, maximumKidLength));

/**
 * Logs the changes and failures of one key set. Providers choose the `kid`, so the log truncates it; a query may hold
 * a secret, so the log omits it.
 */
export class KeySetLog {
  readonly #logger: Logger;
  readonly #url: string;
  #lastRefused = '';

  constructor(logger: Logger, url: string) {
    this.#logger = logger;
    this.#url = url.replace(/\?.*$/s, '');
  }

  logFailure(reason: string, state: KeySetState): void {
    this.#logger.warn('the key set could not be fetched', { url: this.#url, reason, keys: state });
  }

  logChange(keys: readonly ProviderKey[], added: number, withdrawn: readonly ProviderKey[]): void {
    if (added === 0 && withdrawn.length === 0) return;
    this.#logger.info('the key set has changed', {
      url: this.#url,
      count: keys.length,
      keys: keys.slice(0, maximumListedKeys).map(({ kid }) => kidText(kid)),
      added,
      withdrawn: withdrawn.slice(0, maximumListedKeys).map(({ kid }) => kidText(kid)),
    });
  }

  logRecovery(): void {
    this.#logger.info('the key set is fresh again', { url: this.#url });
  }

  /** Logs refused keys once, until the list changes. */
  logRefused(refused: readonly RefusedKey[]): void {
    const keys = refused.slice(0, maximumListedKeys).map(({ kid, reason }) => `${kidText(kid)}: ${reason}`);
    const text = keys.join('\n');
    if (text === this.#lastRefused) return;
    this.#lastRefused = text;
    if (keys.length > 0) {
      this.#logger.info('keys of the set are not used', { url: this.#url, count: refused.length, keys });
    }
  }
}
