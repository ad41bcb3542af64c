import type { SocketAddress } from '../../../domain/configuration/network-addresses.js';
import type { JsonValue } from '../../../domain/shared/json.js';
import type { Result } from '../../../domain/shared/result.js';
import type { Secret } from '../../../domain/shared/secret.js';

/** What an admin endpoint of a gateway that runs said. */
export interface AdminReply {
  readonly status: number;
  /** Null where there is none, or it is no JSON. */
  readonly body: JsonValue;
}

/** Why there is no reply. */
export interface AdminFailure {
  readonly kind: 'nobody_listens' | 'timed_out' | 'failed';
  /** One clause without the address. */
  readonly detail: string;
}

/** The admin endpoints of another process. */
export interface AdminClient {
  /** POST without a body. Follows nothing, and settles within its deadline. */
  post(address: SocketAddress, path: string, token: Secret): Promise<Result<AdminReply, AdminFailure>>;
}
