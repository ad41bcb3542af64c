import type { Cancellation } from '../../../application/ports/cancellation.js';
import type { KeySetFailure } from '../../../application/ports/key-set-source.js';
import type { MetadataSource } from '../../../application/ports/metadata-source.js';
import type { Result } from '../../../domain/shared/result.js';
import { type DocumentLimits, defaultMetadataLimits } from './document-limits.js';

const accept = 'application/samlmetadata+xml, application/xml, text/xml';

/** Fetches SAML metadata with undici, which is loaded with the first fetch. */
export class UndiciMetadataSource implements MetadataSource {
  readonly #limits: DocumentLimits;

  constructor(limits: DocumentLimits = defaultMetadataLimits) {
    this.#limits = limits;
  }

  async fetch(url: string, cancellation: Cancellation): Promise<Result<string, KeySetFailure>> {
    const { fetchDocument } = await import('./fetch-document.js');
    return fetchDocument({ url, accept }, this.#limits, cancellation);
  }
}
