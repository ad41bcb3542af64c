import { isUnixSocket, type StreamAddress } from '../../configuration/network-addresses.js';
import { parseAuthority } from '../../http/request-target.js';
import type { HostHeader } from '../configuration/gateway-configuration.js';

/** The parts of an upstream that determine its names. */
interface NamedUpstream {
  readonly targets: readonly { readonly address: StreamAddress }[];
  readonly hostHeader: HostHeader;
  /** Null: plain connections. */
  readonly tls: object | null;
}

/** The names by which an upstream knows itself, in lower case. */
export interface UpstreamAuthorities {
  /** With a port, or without it where requests or URLs leave it out. */
  readonly authorities: ReadonlySet<string>;
  /** Without ports. */
  readonly hosts: ReadonlySet<string>;
  readonly ports: readonly number[];
}

const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** The authorities of all targets, and the fixed Host of the upstream. */
export const upstreamAuthorities = ({ targets, hostHeader, tls }: NamedUpstream): UpstreamAuthorities => {
  const authorities = new Set<string>();
  const hosts = new Set<string>();
  const ports: number[] = [];
  const standardPort = tls === null ? 80 : 443;
  for (const { address } of targets) {
    const host = isUnixSocket(address) ? 'localhost' : bracketed(address.host).toLowerCase();
    hosts.add(host);
    if (isUnixSocket(address)) {
      authorities.add(host);
      continue;
    }
    authorities.add(`${host}:${address.port}`);
    if (address.port === standardPort) authorities.add(host);
    if (!ports.includes(address.port)) ports.push(address.port);
  }
  if (hostHeader.kind === 'fixed') {
    const fixed = parseAuthority(hostHeader.host);
    authorities.add(hostHeader.host.toLowerCase());
    if (fixed.ok) {
      hosts.add(fixed.value.host);
      for (const port of ports) authorities.add(`${fixed.value.host}:${port}`);
    }
  }
  return { authorities, hosts, ports };
};
