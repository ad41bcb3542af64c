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
 * Admits connections to the admin address under a separate limit, so that it answers even while clients use up their
 * limits or memory is short.
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

/** Trusted proxies by listener. Their connections are not counted by address, because they serve many clients. */
export type TrustedProxies = ReadonlyMap<string, CidrSet>;

/** A connection that asks for admission. */
interface NewConnection {
  /** The address for the log of refusals. */
  readonly address: string;
  /** The client that it counts for, fixed until it ends; null: its peer is a trusted proxy. */
  readonly client: string | null;
  /** The permits of the client. */
  readonly permits: Permits | null;
}

/**
 * Admits connections of clients, over all listeners and configurations. Open connections count against the limits in
 * force when the next one arrives. The limit of a client is checked before the total, so that its own excess is
 * reported.
 */
export class ConnectionAdmissions {
  readonly #trustedProxies: () => TrustedProxies;
  readonly #memoryShortage: () => LimitViolation | null;
  readonly #refusals: ConnectionRefusalCounter;
  readonly #noteConnection: (open: number) => void;
  readonly #totalPermits: Permits;
  /** Permits by client. Their number is bounded, because each client has a connection. */
  readonly #clientPermits: PermitsBySubject;

  /**
   * `noteConnection` gets the number of open connections before each new one. `memoryShortage` returns the
   * violation that refuses all connections while memory is short; null: it is not short.
   */
  constructor(
    trustedProxies: () => TrustedProxies,
    book: PermitBook,
    memoryShortage: () => LimitViolation | null,
    refusals: ConnectionRefusalCounter,
    noteConnection: (open: number) => void = () => undefined,
  ) {
    this.#trustedProxies = trustedProxies;
    this.#memoryShortage = memoryShortage;
    this.#refusals = refusals;
    this.#noteConnection = noteConnection;
    this.#totalPermits = book.open('connections', '');
    this.#clientPermits = new PermitsBySubject(book, 'connections-of-client');
  }

  /** Open connections. */
  get total(): number {
    return this.#totalPermits.taken;
  }

  /** Clients with connections that count against the limit per client. */
  get clients(): number {
    return this.#clientPermits.size;
  }

  /**
   * Admits or refuses a connection. `listener`: its key. `peerAddress`: as the system reports it. Returns a promise if
   * the supervisor must decide; it always settles, soon.
   */
  admit(listener: string, peerAddress: string): ConnectionAdmission | Promise<ConnectionAdmission> {
    this.#noteConnection(this.#totalPermits.taken);
    const address = unmappedAddress(peerAddress);
    const shortage = this.#memoryShortage();
    if (shortage !== null) return this.#refusals.refuse(shortage, address);
    const client = isTrustedProxy(this.#trustedProxies().get(listener), address) ? null : addressGroup(address);
    const permits = client === null ? null : this.#clientPermits.hold(client);
    const connection = { address, client, permits };
    const outcome = permits === null ? 'taken' : permits.take();
    if (outcome === 'unknown') return this.#askClient(connection);
    return outcome === 'full' ? this.#refuseForClient(connection) : this.#enter(connection);
  }

  async #askClient(connection: NewConnection): Promise<ConnectionAdmission> {
    const isTaken = (await connection.permits?.ask()) ?? true;
    return isTaken ? this.#enter(connection) : this.#refuseForClient(connection);
  }

  #refuseForClient({ address, client, permits }: NewConnection): ConnectionAdmission {
    const violation = reachedConnectionLimit(
      'max-connections-per-client',
      permits?.limit ?? 0,
      permits?.takenByAll ?? 0,
    );
    if (client !== null) this.#clientPermits.release(client);
    return this.#refusals.refuse(violation, address);
  }

  /** Checks the total, after the permit of the client was taken. */
  #enter(connection: NewConnection): ConnectionAdmission | Promise<ConnectionAdmission> {
    const outcome = this.#totalPermits.take();
    if (outcome === 'unknown') return this.#askTotal(connection);
    return outcome === 'taken' ? this.#admitted(connection) : this.#refuseForTotal(connection);
  }

  async #askTotal(connection: NewConnection): Promise<ConnectionAdmission> {
    return (await this.#totalPermits.ask()) ? this.#admitted(connection) : this.#refuseForTotal(connection);
  }

  #refuseForTotal(connection: NewConnection): ConnectionAdmission {
    this.#leave(connection);
    const { limit, takenByAll } = this.#totalPermits;
    return this.#refusals.refuse(
      reachedConnectionLimit('max-total-connections', limit, takenByAll),
      connection.address,
    );
  }

  #admitted(connection: NewConnection): ConnectionAdmission {
    return {
      kind: 'admitted',
      release: () => {
        this.#totalPermits.giveBack();
        this.#leave(connection);
      },
    };
  }

  #leave({ client, permits }: NewConnection): void {
    if (client === null) return;
    permits?.giveBack();
    this.#clientPermits.release(client);
  }
}

const isTrustedProxy = (trusted: CidrSet | undefined, address: string): boolean => {
  if (trusted === undefined || (trusted.ipv4.length === 0 && trusted.ipv6.length === 0)) return false;
  const parsed = parseIpAddress(address);
  return parsed !== null && includesAddress(trusted, parsed);
};
