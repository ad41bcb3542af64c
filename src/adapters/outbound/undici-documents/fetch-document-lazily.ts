import type { KeySetFailure } from '../../../application/ports/agent/key-set-source.js';
import type { Cancellation } from '../../../application/ports/shared/cancellation.js';
import type { Result } from '../../../domain/shared/result.js';
import { type DocumentLimits, type DocumentRequest, documentFailure } from './document-request.js';

const loadFetchDocument = async (): Promise<typeof import('./fetch-document.js') | null> => {
  try {
    return await import('./fetch-document.js');
  } catch {
    return null;
  }
};

/** `fetchDocument`, but loads undici with the first fetch: few configurations fetch a document. Never rejects. */
export const fetchDocumentLazily = async (
  request: DocumentRequest,
  limits: DocumentLimits,
  cancellation: Cancellation,
): Promise<Result<string, KeySetFailure>> => {
  const loaded = await loadFetchDocument();
  return loaded === null
    ? documentFailure(
        'unreachable',
        'the HTTP client cannot be loaded: the files of the program have changed, restart it',
      )
    : loaded.fetchDocument(request, limits, cancellation);
};
