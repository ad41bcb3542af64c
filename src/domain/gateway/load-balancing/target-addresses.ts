import { isUnixSocket, type StreamAddress } from '../../configuration/network-addresses.js';
import { streamAddressText } from '../../configuration/schema/grpc-address.js';
import type { TargetConfiguration } from '../configuration/gateway-configuration.js';

/** An address of an upstream. */
export interface TargetAddress {
  /** An IP address and a port, or a unix socket. */
  readonly address: StreamAddress;
  /**
   * The address as text, unique in the upstream. If connections depend on host names and several hosts share an
   * address, the text of each host after the first has the host: `10.0.0.1:443 (b.example)`.
   */
  readonly text: string;
  /** Addresses with equal keys can share connections. */
  readonly key: string;
  /** The host of the target, for SNI and Host; empty for a unix socket. */
  readonly host: string;
  /** The targets with this address, as in the configuration; at least one. */
  readonly names: readonly string[];
  /** The total weight of its targets. */
  readonly configuredWeight: number;
  /** Its share of the requests, as a whole number; 0 only if the weight is 0. */
  readonly share: number;
}

/** Shares per unit of weight. Sums of whole numbers are exact. */
const sharesOfWeight = 65_536;

/**
 * The distinct addresses of targets, in the order of the targets. The weight of a target is divided among its
 * addresses, so its load does not depend on their number.
 *
 * @param addressesOf the distinct IP addresses of a host
 * @param byName whether connections depend on the host name (SNI, Host), so that hosts with one address stay separate
 */
export const targetAddresses = (
  targets: readonly TargetConfiguration[],
  addressesOf: (host: string) => readonly string[],
  byName = false,
): readonly TargetAddress[] => {
  const found = new Map<string, TargetAddress>();
  const owners = new Map<string, string>();
  for (const { address, weight } of targets) {
    const name = streamAddressText(address);
    const own = isUnixSocket(address)
      ? [address]
      : addressesOf(address.host).map((host) => ({ host, port: address.port }));
    const host = isUnixSocket(address) ? '' : address.host;
    const share = weight === 0 ? 0 : Math.max(1, Math.round((weight * sharesOfWeight) / own.length));
    for (const each of own) {
      const plain = streamAddressText(each);
      const owner = owners.get(plain) ?? host;
      owners.set(plain, owner);
      const text = byName && owner !== host ? `${plain} (${host})` : plain;
      const known = found.get(text) ?? {
        address: each,
        text,
        key: byName ? `${plain} ${host}` : plain,
        host,
        names: [],
        configuredWeight: 0,
        share: 0,
      };
      found.set(text, {
        ...known,
        names: known.names.includes(name) ? known.names : [...known.names, name],
        configuredWeight: known.configuredWeight + weight,
        share: known.share + share,
      });
    }
  }
  return [...found.values()];
};
