import type { SocketAddress } from '../../configuration/network-addresses.js';
import { socketAddressText } from '../../configuration/schema/network-kinds.js';
import type { TargetConfiguration } from '../configuration/gateway-configuration.js';

/** An address of an upstream. */
export interface TargetAddress {
  /** An IP address and a port. */
  readonly address: SocketAddress;
  /** The same as `host:port`. */
  readonly text: string;
  /** The targets with this address, as `host:port` of the configuration; at least one. */
  readonly names: readonly string[];
  /** The total weight of its targets. */
  readonly configuredWeight: number;
  /** Its share of the requests, as a whole number; 0 only if the weight is 0. */
  readonly share: number;
}

/** Shares for each unit of weight. Whole numbers add up exactly. */
const sharesOfWeight = 65_536;

/**
 * The distinct addresses of targets, in the order of the targets. The weight of a target is divided among its
 * addresses, so its load does not depend on their number.
 *
 * @param addressesOf the distinct IP addresses of a host
 */
export const targetAddresses = (
  targets: readonly TargetConfiguration[],
  addressesOf: (host: string) => readonly string[],
): readonly TargetAddress[] => {
  const found = new Map<string, TargetAddress>();
  for (const { address, weight } of targets) {
    const name = socketAddressText(address);
    const hosts = addressesOf(address.host);
    const share = weight === 0 ? 0 : Math.max(1, Math.round((weight * sharesOfWeight) / hosts.length));
    for (const host of hosts) {
      const own: SocketAddress = { host, port: address.port };
      const text = socketAddressText(own);
      const known = found.get(text) ?? { address: own, text, names: [], configuredWeight: 0, share: 0 };
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
