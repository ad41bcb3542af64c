import type { SocketAddress } from '../../configuration/network-addresses.js';
import { socketAddressText } from '../../configuration/schema/network-kinds.js';
import type { TargetConfiguration } from '../configuration/gateway-configuration.js';

/** One address that requests of an upstream can be sent to. */
export interface TargetAddress {
  /** An IP address and a port. */
  readonly address: SocketAddress;
  /** The same as `host:port`. */
  readonly text: string;
  /** The targets that it is an address of, as `host:port` of the configuration; at least one. */
  readonly names: readonly string[];
  /** That of its targets, together. */
  readonly configuredWeight: number;
  /** Its share of the requests: whole, and 0 only where the weight is. */
  readonly share: number;
}

/** Shares are whole numbers, which add up exactly, and fine enough for the parts of a target's weight. */
const sharesOfWeight = 65_536;

/**
 * The addresses of targets, each once, in the order of the targets. The weight of a target is divided among its
 * addresses, so that what a target gets does not depend on how many addresses its name has.
 *
 * @param addressesOf the IP addresses of a host, each once
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
