import type { KeySetFailure, KeySetSource } from '../../../application/ports/agent/key-set-source.js';
import type { Cancellation } from '../../../application/ports/shared/cancellation.js';
import type { JsonValue } from '../../../domain/shared/json.js';
import { ok, type Result } from '../../../domain/shared/result.js';
import { parseStrictJsonObject } from '../../../domain/shared/strict-json.js';
import { type DocumentLimits, defaultKeySetLimits, documentFailure } from './document-request.js';
import { fetchDocumentLazily } from './fetch-document-lazily.js';

const accept = 'application/jwk-set+json, application/json';

/** Fetches key sets with undici. */
export class UndiciKeySetSource implements KeySetSource {
  readonly #limits: DocumentLimits;

  constructor(limits: DocumentLimits = defaultKeySetLimits) {
    this.#limits = limits;
  }

  async fetch(url: string, cancellation: Cancellation): Promise<Result<JsonValue, KeySetFailure>> {
    const fetched = await fetchDocumentLazily({ url, accept }, this.#limits, cancellation);
    if (!fetched.ok) return fetched;
    const json = parseStrictJsonObject(fetched.value);
    return json === null ? documentFailure('malformed', 'the answer is not a JSON object') : ok(json);
  }
}
