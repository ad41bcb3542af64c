import type { KeySetFailure, MetadataSource } from '../../../application/ports/agent/key-set-source.js';
import type { Cancellation } from '../../../application/ports/shared/cancellation.js';
import type { Result } from '../../../domain/shared/result.js';
import { type DocumentLimits, defaultMetadataLimits } from './document-request.js';
import { fetchDocumentLazily } from './fetch-document-lazily.js';

const accept = 'application/samlmetadata+xml, application/xml, text/xml';

/** Fetches SAML metadata with undici. */
export class UndiciMetadataSource implements MetadataSource {
  readonly #limits: DocumentLimits;

  constructor(limits: DocumentLimits = defaultMetadataLimits) {
    this.#limits = limits;
  }

  fetch(url: string, cancellation: Cancellation): Promise<Result<string, KeySetFailure>> {
    return fetchDocumentLazily({ url, accept }, this.#limits, cancellation);
  }
}
