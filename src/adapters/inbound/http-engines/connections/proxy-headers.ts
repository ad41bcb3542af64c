import type { Socket } from 'node:net';
import type { ProxyHeaderFailure } from '../../../../application/ports/gateway/http-engine.js';
import { type CidrSet, includesAddress } from '../../../../domain/http/cidr-set.js';
import { parseIpAddress } from '../../../../domain/http/ip-address.js';
import type { ProxiedClient } from '../../../../domain/http/proxy-protocol/proxy-header.js';
import { readProxyHeader } from '../../../../domain/http/proxy-protocol/read-proxy-header.js';

/**
 * Most connections of one listener that may await their PROXY header. Proxies send it with the
 * first octets.
 */
const maxWaiting = 1_024;

/** Contents of a PROXY header. */
export interface ProxyHeaderContents {
  /** Address of the proxy. */
  readonly peerAddress: string;
  /** Length of the header. */
  readonly octets: number;
  /** Null for the proxy's own connection (LOCAL). */
  readonly client: ProxiedClient | null;
}

/** A connection that awaits its header. */
interface Awaited {
  readonly peerAddress: string;
  /** Monotonic clock, in milliseconds. */
  readonly acceptedMs: number;
}

/** Reads the PROXY protocol headers at the start of connections. */
export class ProxyHeaders {
  readonly #timeoutMs: () => number;
  readonly #failed: (peerAddress: string, reason: ProxyHeaderFailure['reason']) => void;
  readonly #waiting = new Map<Socket, Awaited>();
  #from: CidrSet | null = null;

  /**
   * @param timeoutMs header timeout for a connection that arrives now
   * @param failed receives every connection that was closed because of its header
   */
  constructor(timeoutMs: () => number, failed: (peerAddress: string, reason: ProxyHeaderFailure['reason']) => void) {
    this.#timeoutMs = timeoutMs;
    this.#failed = failed;
  }

  /** Every connection must start with a PROXY header. */
  get areExpected(): boolean {
    return this.#from !== null;
  }

  /**
   * Sets the peers that must send headers; null disables the protocol. Closes waiting connections
   * of other peers.
   */
  expectFrom(from: CidrSet | null): void {
    this.#from = from;
    for (const [raw, { peerAddress }] of this.#waiting) if (!this.mayCome(peerAddress)) raw.destroy();
  }

  /** Whether this peer may send PROXY headers. */
  mayCome(peerAddress: string): boolean {
    const address = parseIpAddress(peerAddress);
    return this.#from !== null && address !== null && includesAddress(this.#from, address);
  }

  /** Closes waiting connections that were accepted before `acceptedBeforeMs`. */
  endWaiting(acceptedBeforeMs: number): void {
    for (const [raw, { acceptedMs }] of this.#waiting) if (acceptedMs <= acceptedBeforeMs) raw.destroy();
  }

  /**
   * Reads the header of an unread connection. Calls `done` in the turn of its last octet; later
   * octets stay unread. Closes the connection if the header is malformed.
   */
  take(raw: Socket, peerAddress: string, done: (proxied: ProxyHeaderContents) => void): void {
    if (!this.mayCome(peerAddress) || this.#waiting.size >= maxWaiting) {
      raw.destroy();
      this.#failed(peerAddress, this.mayCome(peerAddress) ? 'too_many' : 'untrusted_peer');
      return;
    }
    let came: Buffer = Buffer.alloc(0);
    const settle = (): void => {
      this.#waiting.delete(raw);
      clearTimeout(timer);
      raw.off('readable', read).off('end', fallSilent).off('error', end).off('close', settle);
    };
    const end = (): void => void raw.destroy();
    const fail = (reason: ProxyHeaderFailure['reason']): void => {
      settle();
      raw.on('error', () => undefined);
      raw.destroy();
      this.#failed(peerAddress, reason);
    };
    // A peer that connects and closes without data is a port check, not a failure.
    const fallSilent = (): void => (came.length === 0 ? end() : fail('incomplete'));
    const read = (): void => {
      const piece = raw.read() as Buffer | null;
      if (piece === null) return;
      came = came.length === 0 ? piece : Buffer.concat([came, piece]);
      const reading = readProxyHeader(came);
      if (reading.kind === 'faulty') fail(reading.fault);
      if (reading.kind !== 'complete') return;
      settle();
      if (came.length > reading.octets) raw.unshift(came.subarray(reading.octets));
      done({ peerAddress, octets: reading.octets, client: reading.client });
    };
    const timer = setTimeout(() => fail('timed_out'), this.#timeoutMs());
    this.#waiting.set(raw, { peerAddress, acceptedMs: performance.now() });
    raw.on('readable', read).on('end', fallSilent).on('error', end).on('close', settle);
  }
}
