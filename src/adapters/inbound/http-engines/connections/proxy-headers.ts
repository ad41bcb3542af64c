import type { Socket } from 'node:net';
import type { ProxyHeaderFailure } from '../../../../application/ports/gateway/http-engine.js';
import { type CidrSet, includesAddress } from '../../../../domain/http/cidr-set.js';
import { parseIpAddress } from '../../../../domain/http/ip-address.js';
import type { ProxiedClient } from '../../../../domain/http/proxy-protocol/proxy-header.js';
import { readProxyHeader } from '../../../../domain/http/proxy-protocol/read-proxy-header.js';

/** Connections of one listener whose header is awaited, at the most: a proxy sends it with its first octets. */
const maxWaiting = 1_024;

/** What a proxy said of a connection that it made. */
export interface Proxied {
  /** The proxy. */
  readonly peerAddress: string;
  /** Length of its header. */
  readonly octets: number;
  /** Null: the connection is the proxy's own. */
  readonly client: ProxiedClient | null;
}

/** A connection whose header is awaited. */
interface Awaited {
  readonly peerAddress: string;
  /** By the monotonic clock. */
  readonly acceptedMs: number;
}

/** Reads the headers of the PROXY protocol that the connections of a listener begin with. */
export class ProxyHeaders {
  readonly #timeoutMs: () => number;
  readonly #failed: (peerAddress: string, reason: ProxyHeaderFailure['reason']) => void;
  readonly #waiting = new Map<Socket, Awaited>();
  #from: CidrSet | null = null;

  /** `timeoutMs`: how long one that comes now is waited for. `failed` is told of every connection that ended for its header. */
  constructor(timeoutMs: () => number, failed: (peerAddress: string, reason: ProxyHeaderFailure['reason']) => void) {
    this.#timeoutMs = timeoutMs;
    this.#failed = failed;
  }

  /** Every connection that comes has to begin with one. */
  get areExpected(): boolean {
    return this.#from !== null;
  }

  /** Who has to send them from now on; null: nobody. Ends those that are awaited of others. */
  expectFrom(from: CidrSet | null): void {
    this.#from = from;
    for (const [raw, { peerAddress }] of this.#waiting) if (!this.mayCome(peerAddress)) raw.destroy();
  }

  /** Whether a peer is one of those that have to send them. */
  mayCome(peerAddress: string): boolean {
    const address = parseIpAddress(peerAddress);
    return this.#from !== null && address !== null && includesAddress(this.#from, address);
  }

  /** Ends those that are awaited on connections which were accepted before that moment. */
  endWaiting(acceptedBeforeMs: number): void {
    for (const [raw, { acceptedMs }] of this.#waiting) if (acceptedMs <= acceptedBeforeMs) raw.destroy();
  }

  /**
   * Takes the header from the beginning of a connection that nothing was read of. `done` is called in the turn in which its
   * last octet came; what came behind that is left to be read. A connection without a sound header ends.
   */
  take(raw: Socket, peerAddress: string, done: (proxied: Proxied) => void): void {
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
    // Whoever connects and leaves without a word looks whether the port is open, and fails in nothing.
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
