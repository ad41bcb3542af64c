/** The client that a PROXY header names. */
export interface ProxiedClient {
  /** In canonical text: an IPv4-mapped address is written as IPv4. */
  readonly address: string;
  readonly port: number;
}

/**
 * What is wrong with a header: the connection begins with something else, its form is not that of the protocol, it is
 * longer than it may be, or its checksum is another.
 */
export type ProxyHeaderFault = 'no_proxy_header' | 'malformed' | 'too_long' | 'wrong_checksum';

/**
 * What the beginning of a connection was found to be. `incompleteProxyHeader`: more has to come. `complete`: the
 * header has that many octets, and what follows is the client's own; without a client the connection is the proxy's
 * own (LOCAL), or one whose client has no IP address.
 */
export type ProxyHeaderReading =
  | { readonly kind: 'incomplete' }
  | { readonly kind: 'faulty'; readonly fault: ProxyHeaderFault }
  | { readonly kind: 'complete'; readonly octets: number; readonly client: ProxiedClient | null };

export const incompleteProxyHeader: ProxyHeaderReading = { kind: 'incomplete' };

export const faultyProxyHeader = (fault: ProxyHeaderFault): ProxyHeaderReading => ({ kind: 'faulty', fault });
