import type { SocketAddress } from '../../../domain/configuration/network-addresses.js';
import type { JsonValue } from '../../../domain/shared/json.js';
import type { Result } from '../../../domain/shared/result.js';
import type { Secret } from '../../../domain/shared/secret.js';

/** The reply of an admin endpoint of a running gateway. */
export interface AdminReply {
  readonly status: number;
  /** Null if the body is empty or not JSON. */
  readonly body: JsonValue;
}

/** Why there is no reply. */
export interface AdminFailure {
  readonly kind: 'nobody_listens' | 'timed_out' | 'failed';
  /** One clause without the address. */
  readonly detail: string;
}

/** Calls the admin endpoints of another process. */
export interface AdminClient {
  /** Sends a POST without a body. Does not follow redirects; settles within its deadline. */
  post(address: SocketAddress, path: string, token: Secret): Promise<Result<AdminReply, AdminFailure>>;
}
