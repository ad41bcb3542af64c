/** The client in a PROXY header. */
export interface ProxiedClient {
  /** In canonical text: an IPv4-mapped address is written as IPv4. */
  readonly address: string;
  readonly port: number;
}

/** The fault of a header: absent, malformed, too long, or with a wrong checksum. */
export type ProxyHeaderFault = 'no_proxy_header' | 'malformed' | 'too_long' | 'wrong_checksum';

/**
 * The result of parsing the start of a connection. `incompleteProxyHeader`: more octets are needed.
 * `complete`: the header has that many octets, and the client's data follows. Without a client, the
 * connection is the proxy's own (LOCAL), or its client has no IP address.
 */
export type ProxyHeaderReading =
  | { readonly kind: 'incomplete' }
  | { readonly kind: 'faulty'; readonly fault: ProxyHeaderFault }
  | { readonly kind: 'complete'; readonly octets: number; readonly client: ProxiedClient | null };

export const incompleteProxyHeader: ProxyHeaderReading = { kind: 'incomplete' };

export const faultyProxyHeader = (fault: ProxyHeaderFault): ProxyHeaderReading => ({ kind: 'faulty', fault });
