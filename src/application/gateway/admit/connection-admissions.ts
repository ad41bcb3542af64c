import {
  connectionsOver,
  maxAdminConnections,
  reachedConnectionLimit,
} from '../../../domain/gateway/limits/connection-limits.js';
import type { LimitViolation } from '../../../domain/gateway/limits/limit-violation.js';
import { type CidrSet, includesAddress } from '../../../domain/http/cidr-set.js';
import { addressGroup, parseIpAddress, unmappedAddress } from '../../../domain/http/ip-address.js';
import type { ConnectionAdmission } from '../../ports/gateway/http-engine.js';
import type { PermitBook, Permits } from '../../ports/gateway/permits.js';
import { PermitsBySubject } from '../workers/share-permits/permits-by-subject.js';
import type { ConnectionRefusalCounter } from './connection-refusal-counter.js';

/**
 * Lets connections to the admin address in, by a bound of their own: it has to answer while clients fill what is
 * theirs, and while memory is short.
 */
export class AdminConnectionAdmissions {
  readonly #refusals: ConnectionRefusalCounter;
  readonly #release = (): void => {
    this.#open -= 1;
  };
  #open = 0;

  constructor(refusals: ConnectionRefusalCounter) {
    this.#refusals = refusals;
  }

  admit(peerAddress: string): ConnectionAdmission {
    const violation = connectionsOver('max-admin-connections', maxAdminConnections, this.#open);
    if (violation !== null) return this.#refusals.refuse(violation, peerAddress);
    this.#open += 1;
    return { kind: 'admitted', release: this.#release };
  }
}

/** Peers that speak for many clients, by listener; their connections are not counted by address. */
export type TrustedProxies = ReadonlyMap<string, CidrSet>;

/** A connection that asks to be let in. */
interface Newcomer {
  /** What refusals are written down with. */
  readonly address: string;
  /** What it is counted by, whoever is trusted by the time it ends; null where its peer speaks for many. */
  readonly client: string | null;
  /** Those of the client. */
  readonly permits: Permits | null;
}

/**
 * Lets connections of clients in, over all listeners and from one configuration to the next: those that stand count
 * against the limits that are in force when the next one comes. A client that has too many itself is told that,
 * whatever the others have.
 */
export class ConnectionAdmissions {
  readonly #trustedProxies: () => TrustedProxies;
  readonly #isShortOfMemory: () => LimitViolation | null;
  readonly #refusals: ConnectionRefusalCounter;
  readonly #noteConnection: (open: number) => void;
  readonly #all: Permits;
  /** Bounded by the connections: no address has none. */
  readonly #ofClients: PermitsBySubject;

  /**
   * `noteConnection` is told of each connection, and how many there are before it. `isShortOfMemory` gives what keeps
   * every connection out while memory is short.
   */
  constructor(
    trustedProxies: () => TrustedProxies,
    book: PermitBook,
    isShortOfMemory: () => LimitViolation | null,
    refusals: ConnectionRefusalCounter,
    noteConnection: (open: number) => void = () => undefined,
  ) {
    this.#trustedProxies = trustedProxies;
    this.#isShortOfMemory = isShortOfMemory;
    this.#refusals = refusals;
    this.#noteConnection = noteConnection;
    this.#all = book.open('connections', '');
    this.#ofClients = new PermitsBySubject(book, 'connections-of-client');
  }

  /** Connections that have been let in and stand. */
  get total(): number {
    return this.#all.taken;
  }

  /** Addresses that have connections which count against their own limit. */
  get clients(): number {
    return this.#ofClients.size;
  }

  /**
   * `listener`: its key. `peerAddress` is written as systems write addresses. A promise where other workers have a
   * say: it settles in every case, soon.
   */
  admit(listener: string, peerAddress: string): ConnectionAdmission | Promise<ConnectionAdmission> {
    this.#noteConnection(this.#all.taken);
    const address = unmappedAddress(peerAddress);
    const shortage = this.#isShortOfMemory();
    if (shortage !== null) return this.#refusals.refuse(shortage, address);
    const client = speaksForMany(this.#trustedProxies().get(listener), address) ? null : addressGroup(address);
    const permits = client === null ? null : this.#ofClients.hold(client);
    const newcomer = { address, client, permits };
    const ofClient = permits === null ? 'taken' : permits.take();
    if (ofClient === 'unknown') return this.#askClient(newcomer);
    return ofClient === 'full' ? this.#refusedByClient(newcomer) : this.#enter(newcomer);
  }

  async #askClient(newcomer: Newcomer): Promise<ConnectionAdmission> {
    const isTaken = (await newcomer.permits?.ask()) ?? true;
    return isTaken ? this.#enter(newcomer) : this.#refusedByClient(newcomer);
  }

  #refusedByClient({ address, client, permits }: Newcomer): ConnectionAdmission {
    const violation = reachedConnectionLimit(
      'max-connections-per-client',
      permits?.limit ?? 0,
      permits?.takenByAll ?? 0,
    );
    if (client !== null) this.#ofClients.letGo(client);
    return this.#refusals.refuse(violation, address);
  }

  /** It has what it needs of its client's. */
  #enter(newcomer: Newcomer): ConnectionAdmission | Promise<ConnectionAdmission> {
    const outcome = this.#all.take();
    if (outcome === 'unknown') return this.#askAll(newcomer);
    return outcome === 'taken' ? this.#admitted(newcomer) : this.#refusedByAll(newcomer);
  }

  async #askAll(newcomer: Newcomer): Promise<ConnectionAdmission> {
    return (await this.#all.ask()) ? this.#admitted(newcomer) : this.#refusedByAll(newcomer);
  }

  #refusedByAll(newcomer: Newcomer): ConnectionAdmission {
    this.#leave(newcomer);
    const { limit, takenByAll } = this.#all;
    return this.#refusals.refuse(reachedConnectionLimit('max-total-connections', limit, takenByAll), newcomer.address);
  }

  #admitted(newcomer: Newcomer): ConnectionAdmission {
    return {
      kind: 'admitted',
      release: () => {
        this.#all.giveBack();
        this.#leave(newcomer);
      },
    };
  }

  #leave({ client, permits }: Newcomer): void {
    if (client === null) return;
    permits?.giveBack();
    this.#ofClients.letGo(client);
  }
}

const speaksForMany = (trusted: CidrSet | undefined, address: string): boolean => {
  if (trusted === undefined || (trusted.ipv4.length === 0 && trusted.ipv6.length === 0)) return false;
  const parsed = parseIpAddress(address);
  return parsed !== null && includesAddress(trusted, parsed);
};
