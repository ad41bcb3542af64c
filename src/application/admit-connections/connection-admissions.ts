import { addressGroup } from '../../domain/http/address-group.js';
import { type CidrSet, includesAddress } from '../../domain/http/cidr-set.js';
import { parseIpAddress } from '../../domain/http/ip-address.js';
import { unmappedAddress } from '../../domain/http/unmapped-address.js';
import { type ConnectionLimits, connectionViolation } from '../../domain/limits/connection-limits.js';
import type { LimitViolation } from '../../domain/limits/limit-violation.js';
import type { Admission } from '../ports/http-engine.js';
import type { ConnectionRefusals } from './connection-refusals.js';

/** What connections are judged by at the moment. */
export interface ConnectionRules {
  readonly limits: ConnectionLimits;
  /** Peers that speak for many clients, by listener; their connections are not counted by address. */
  readonly trustedProxies: ReadonlyMap<string, CidrSet>;
}

/**
 * Lets connections of clients in, over all listeners and from one configuration to the next: those that stand count
 * against the limits that are in force when the next one comes.
 */
export class ConnectionAdmissions {
  readonly #rules: () => ConnectionRules;
  readonly #isShortOfMemory: () => LimitViolation | null;
  readonly #refusals: ConnectionRefusals;
  /** Bounded by the connections: no address has none. */
  readonly #ofClient = new Map<string, number>();
  #total = 0;

  /** `isShortOfMemory` gives what keeps every connection out while memory is short. */
  constructor(
    rules: () => ConnectionRules,
    isShortOfMemory: () => LimitViolation | null,
    refusals: ConnectionRefusals,
  ) {
    this.#rules = rules;
    this.#isShortOfMemory = isShortOfMemory;
    this.#refusals = refusals;
  }

  /** Connections that have been let in and stand. */
  get total(): number {
    return this.#total;
  }

  /** Addresses that have connections which count against their own limit. */
  get clients(): number {
    return this.#ofClient.size;
  }

  /** `listener`: its key. `peerAddress` is written as systems write addresses. */
  admit(listener: string, peerAddress: string): Admission {
    const { limits, trustedProxies } = this.#rules();
    const address = unmappedAddress(peerAddress);
    const client = speaksForMany(trustedProxies.get(listener), address) ? null : addressGroup(address);
    const ofClient = client === null ? null : (this.#ofClient.get(client) ?? 0);
    const violation = connectionViolation(limits, { total: this.#total, ofClient }, this.#isShortOfMemory());
    if (violation !== null) return this.#refusals.refuse(violation, address);
    this.#total += 1;
    if (client !== null && ofClient !== null) this.#ofClient.set(client, ofClient + 1);
    return { kind: 'admitted', release: () => this.#release(client) };
  }

  /** `client` is what the connection was counted by when it came, whoever is trusted by now. */
  #release(client: string | null): void {
    this.#total -= 1;
    if (client === null) return;
    const left = (this.#ofClient.get(client) ?? 0) - 1;
    if (left > 0) this.#ofClient.set(client, left);
    else this.#ofClient.delete(client);
  }
}

const speaksForMany = (trusted: CidrSet | undefined, address: string): boolean => {
  if (trusted === undefined || (trusted.ipv4.length === 0 && trusted.ipv6.length === 0)) return false;
  const parsed = parseIpAddress(address);
  return parsed !== null && includesAddress(trusted, parsed);
};
