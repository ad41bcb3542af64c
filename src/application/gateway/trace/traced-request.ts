import type { ClientAddress } from '../../../domain/http/client-address.js';
import type { ClientRequest } from '../../ports/gateway/http-exchange.js';

/** What spans tell of a request. What is learnt of it on its way is read when it ends. */
export interface TracedRequest {
  readonly request: Pick<ClientRequest, 'method' | 'headers' | 'httpVersion' | 'connection'>;
  readonly client: Pick<ClientAddress, 'address' | 'peerTrusted'>;
  /** Without port; null where it is not known. */
  readonly host: string | null;
  /** Without the query; empty where it is not known. */
  readonly path: string;
}
