import type { KeySetState, RefusedKey } from '../../../domain/agent/tokens/key-set.js';
import type { Logger } from '../../ports/shared/logger.js';
import type { VerifyingKey } from './verifying-key.js';

/** Keys that one line names, at most; and characters of each. */
const namedAtMost = 10;
const kidLength = 64;

const named = (kid: string | null): string => (kid === null ? 'a key without kid' : kid.slice(0, kidLength));

/** What is told of one key set. Providers write kids, so they are cut; a query may hold a secret, so it is left out. */
export class KeySetLog {
  readonly #logger: Logger;
  readonly #url: string;
  #refused = '';

  constructor(logger: Logger, url: string) {
    this.#logger = logger;
    this.#url = url.replace(/\?.*$/s, '');
  }

  failed(reason: string, state: KeySetState): void {
    this.#logger.warn('the key set could not be fetched', { url: this.#url, reason, keys: state });
  }

  taken(keys: readonly VerifyingKey[], added: number, withdrawn: readonly VerifyingKey[]): void {
    if (added === 0 && withdrawn.length === 0) return;
    this.#logger.info('the key set has changed', {
      url: this.#url,
      count: keys.length,
      keys: keys.slice(0, namedAtMost).map(({ kid }) => named(kid)),
      added,
      withdrawn: withdrawn.slice(0, namedAtMost).map(({ kid }) => named(kid)),
    });
  }

  recovered(): void {
    this.#logger.info('the key set is fresh again', { url: this.#url });
  }

  /** Said once for as long as the same keys are refused. */
  refused(refused: readonly RefusedKey[]): void {
    const keys = refused.slice(0, namedAtMost).map(({ kid, reason }) => `${named(kid)}: ${reason}`);
    const told = keys.join('\n');
    if (told === this.#refused) return;
    this.#refused = told;
    if (keys.length > 0) {
      this.#logger.info('keys of the set are not used', { url: this.#url, count: refused.length, keys });
    }
  }
}
