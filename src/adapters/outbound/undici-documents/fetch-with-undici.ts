import type { KeySetFailure } from '../../../application/ports/agent/key-set-source.js';
import type { Cancellation } from '../../../application/ports/shared/cancellation.js';
import type { Result } from '../../../domain/shared/result.js';
import { type DocumentLimits, type DocumentRequest, documentFailure } from './document-request.js';

const load = async (): Promise<typeof import('./fetch-document.js') | null> => {
  try {
    return await import('./fetch-document.js');
  } catch {
    return null;
  }
};

/** See `fetchDocument`. Loads undici with the first fetch: few configurations fetch anything. Never rejects. */
export const fetchWithUndici = async (
  request: DocumentRequest,
  limits: DocumentLimits,
  cancellation: Cancellation,
): Promise<Result<string, KeySetFailure>> => {
  const client = await load();
  return client === null
    ? documentFailure(
        'unreachable',
        'the HTTP client cannot be loaded: the files of the program have changed, restart it',
      )
    : client.fetchDocument(request, limits, cancellation);
};
