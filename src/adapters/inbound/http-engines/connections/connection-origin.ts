import type { ConnectionTls } from '../../../../application/ports/gateway/http-exchange.js';
import type { ProxiedClient } from '../../../../domain/http/proxy-protocol/proxy-header.js';

/** What is known of a connection besides its two ends. */
export interface ConnectionOrigin {
  /** Null on a plain connection. */
  readonly tls: ConnectionTls | null;
  /** Whom its PROXY header names; null where it has none, or where the connection is the proxy's own. */
  readonly client: ProxiedClient | null;
  /** A PROXY header came, and names nobody. */
  readonly isUnnamed: boolean;
}

export const plainOrigin: ConnectionOrigin = { tls: null, client: null, isUnnamed: false };
