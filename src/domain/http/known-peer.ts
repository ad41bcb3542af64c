import { ownText } from '../shared/own-text.js';
import { type Ok, ok, type Result } from '../shared/result.js';
import type { CidrSet } from './cidr-set.js';
import { type ClientAddress, clientAddress } from './client-address.js';
import { formatForwardedElement } from './forwarded-element.js';
import { noHeaders } from './header-list.js';
import { parseAuthority, type RequestHost } from './host.js';

/** Hosts that are remembered one after the other; a connection that asks for more is that of a proxy, and asks for ever others. */
const maxHosts = 8;

/** What is said of the peer of a connection by the connection itself. */
export interface PeerFacts {
  readonly peerAddress: string;
  readonly peerPort: number;
  /** What it speaks to the gateway. */
  readonly scheme: 'http' | 'https';
}

/**
 * What requests of one connection have in common, found out once: it costs memory per connection, so it is little. All of it is what
 * the functions it asks would say.
 */
export class KnownPeer {
  /** Whose forwarding fields were believed when it was found out. */
  readonly trusted: CidrSet;
  /** The client of every request; null where the peer is trusted, and each request may name another. */
  readonly client: ClientAddress | null;
  readonly #scheme: 'http' | 'https';
  /** A request has come: many connections have one, for which nothing is worth to be remembered. */
  #isUsed = false;
  #hosts = 0;
  #host: Ok<RequestHost> | null = null;
  /** Forwarded of a request for that host; null until it is asked for. */
  #forwarded: string | null = null;

  constructor({ peerAddress, peerPort, scheme }: PeerFacts, trusted: CidrSet) {
    const client = clientAddress({ peerAddress, peerPort, headers: noHeaders, trusted });
    this.trusted = trusted;
    this.client = client.peerTrusted ? null : client;
    this.#scheme = scheme;
  }

  /** What `parseAuthority` says of the Host of a request. */
  authority(text: string): Result<RequestHost, 'invalid_host'> {
    if (this.#host !== null && this.#host.value.original === text) return this.#host;
    const parsed = parseAuthority(text);
    const isFirst = !this.#isUsed;
    this.#isUsed = true;
    if (isFirst || !parsed.ok || this.#hosts === maxHosts) return parsed;
    // INVARIANT: what is remembered is no part of the head that it came in, which may be long.
    const { host, port, original } = parsed.value;
    this.#host = ok({ host: ownText(host), port, original: ownText(original) });
    this.#hosts += 1;
    this.#forwarded = null;
    return this.#host;
  }

  /** The value of Forwarded (RFC 7239) for a request of the untrusted peer; null where the host is not the one that is remembered. */
  forwarded(host: string | null): string | null {
    if (this.#host === null || this.client === null || host !== this.#host.value.original) return null;
    if (this.#forwarded === null) {
      const element = { for: this.client.address, proto: this.#scheme, host: this.#host.value.original };
      this.#forwarded = ownText(formatForwardedElement(element));
    }
    return this.#forwarded;
  }
}
