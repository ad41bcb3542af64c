import type { KeySetFailure } from '../../../application/ports/agent/key-set-source.js';
import type { Cancellation } from '../../../application/ports/shared/cancellation.js';
import type { Result } from '../../../domain/shared/result.js';
import {
  type CalledEndpoint,
  type DocumentLimits,
  type DocumentRequest,
  documentFailure,
  type EndpointCall,
} from './document-request.js';

type KeepAliveConnections = import('./fetch-document.js').KeepAliveConnections;

const loadFetchDocument = async (): Promise<typeof import('./fetch-document.js') | null> => {
  try {
    return await import('./fetch-document.js');
  } catch {
    return null;
  }
};

const notLoaded = documentFailure(
  'unreachable',
  'the HTTP client cannot be loaded: the files of the program have changed, restart it',
);

/** `fetchDocument`, but loads undici with the first fetch: few configurations fetch a document. Never rejects. */
export const fetchDocumentLazily = async (
  request: DocumentRequest,
  limits: DocumentLimits,
  cancellation: Cancellation,
): Promise<Result<string, KeySetFailure>> => {
  const loaded = await loadFetchDocument();
  return loaded === null ? notLoaded : loaded.fetchDocument(request, limits, cancellation);
};

/** `KeepAliveConnections`, likewise. */
export class LazyKeepAliveConnections {
  readonly #limits: DocumentLimits;
  #connections: KeepAliveConnections | null = null;

  constructor(limits: DocumentLimits) {
    this.#limits = limits;
  }

  async call(call: EndpointCall, cancellation: Cancellation): Promise<Result<CalledEndpoint, KeySetFailure>> {
    const loaded = await loadFetchDocument();
    if (loaded === null) return notLoaded;
    this.#connections ??= new loaded.KeepAliveConnections(this.#limits);
    return this.#connections.call(call, cancellation);
  }
}

/** `callEndpoint`, likewise. */
export const callEndpointLazily = async (
  call: EndpointCall,
  limits: DocumentLimits,
  cancellation: Cancellation,
): Promise<Result<CalledEndpoint, KeySetFailure>> => {
  const loaded = await loadFetchDocument();
  return loaded === null ? notLoaded : loaded.callEndpoint(call, limits, cancellation);
};
