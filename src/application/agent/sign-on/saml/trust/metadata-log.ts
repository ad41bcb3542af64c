import type { Logger } from '../../../../ports/shared/logger.js';
import type { TrustState } from './identity-provider-trust.js';
import type { LoadedMetadata } from './load-metadata.js';

/** Certificates that one line names, at the most. */
const namedAtMost = 10;
const clauseLength = 200;

/** What is told of the metadata of one place. A query may hold a secret, so it is left out; what others wrote is cut. */
export class MetadataLog {
  readonly #logger: Logger;
  readonly #url: string;
  #told = '';
  #doubts = '';

  constructor(logger: Logger, url: string) {
    this.#logger = logger;
    this.#url = url.replace(/\?.*$/s, '');
  }

  failed(reason: string, state: TrustState): void {
    this.#logger.warn('the metadata of the identity provider could not be had', {
      url: this.#url,
      reason: reason.slice(0, clauseLength),
      metadata: state,
    });
  }

  recovered(): void {
    this.#logger.info('the metadata of the identity provider is fresh again', { url: this.#url });
  }

  /** Says only what has changed. */
  taken({ provider, leftOut, outdated }: LoadedMetadata): void {
    const told = JSON.stringify(provider);
    if (told !== this.#told) {
      this.#logger.info('the metadata of the identity provider has changed', {
        url: this.#url,
        entity_id: provider.entityId.slice(0, clauseLength),
        certificates: provider.signingCertificates.length,
      });
    }
    this.#told = told;
    const clauses = leftOut.slice(0, namedAtMost).map((clause) => clause.slice(0, clauseLength));
    const doubts = JSON.stringify([clauses, outdated]);
    if (doubts !== this.#doubts && leftOut.length > 0) {
      this.#logger.warn('certificates of the metadata are not used', {
        url: this.#url,
        count: leftOut.length,
        reasons: clauses,
      });
    }
    if (doubts !== this.#doubts && outdated > 0) {
      this.#logger.warn('certificates of the metadata are over; their keys are used', {
        url: this.#url,
        count: outdated,
      });
    }
    this.#doubts = doubts;
  }
}
