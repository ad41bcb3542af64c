import { isUnixSocket } from '../../../domain/configuration/network-addresses.js';
import type { UpstreamConfiguration } from '../../../domain/gateway/configuration/gateway-configuration.js';
import { type TargetAddress, targetAddresses } from '../../../domain/gateway/load-balancing/target-addresses.js';
import { targetCookieField, targetCookieValue } from '../../../domain/gateway/load-balancing/target-cookie.js';
import { noHeaders } from '../../../domain/http/header-list.js';
import type { IdleAllowance, TargetClientFactory } from '../../ports/gateway/upstream-client.js';
import type { TargetTls, UpstreamTlsContext } from '../../ports/gateway/upstream-tls.js';
import type { Logger } from '../../ports/shared/logger.js';
import type { Scheduler } from '../../ports/shared/scheduler.js';
import type { AcquiredLedgers } from './acquired-ledgers.js';
import { Endpoint, type EndpointCookie } from './endpoint.js';
import type { PoolExhaustion } from './pool-exhaustion.js';

/** Limits the idle connections of one upstream, over all its endpoints. */
export class IdleConnections implements IdleAllowance {
  readonly #limit: number;
  #taken = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get isNone(): boolean {
    return this.#limit === 0;
  }

  take(): boolean {
    if (this.#taken >= this.#limit) return false;
    this.#taken += 1;
    return true;
  }

  giveBack(): void {
    this.#taken = Math.max(0, this.#taken - 1);
  }
}

interface EndpointFactories {
  readonly ledgers: AcquiredLedgers;
  readonly createClient: TargetClientFactory;
  readonly exhaustion: PoolExhaustion;
  /** Null: connections to the upstream have no TLS. */
  readonly tls: CurrentTlsContext | null;
}

/** The TLS context of an upstream; a change of its files replaces it. */
export interface CurrentTlsContext {
  readonly current: UpstreamTlsContext;
  /** Starts to read the files again when they change. */
  watch(scheduler: Scheduler, logger: Logger): void;
  stopWatching(): void;
}

/** Host and TLS of the connections to an address. */
interface TargetConnection {
  readonly authority: string;
  readonly tls: TargetTls | null;
}

/** The endpoints of one upstream. A removed endpoint finishes its exchanges; then its connections are closed. */
export class EndpointSet {
  readonly #configuration: UpstreamConfiguration;
  readonly #factories: EndpointFactories;
  readonly #isChecked: boolean;
  readonly #tls: CurrentTlsContext | null;
  readonly #idle: IdleConnections;
  /** Whether connections depend on the host name of the target, by SNI or Host. */
  readonly #byName: boolean;
  #current: readonly Endpoint[] = [];
  #weighted: readonly Endpoint[] = [];
  readonly #retired = new Map<string, Endpoint>();
  readonly #closing = new Set<Promise<void>>();
  #isClosed = false;

  constructor(
    configuration: UpstreamConfiguration,
    idleLimit: number,
    isChecked: boolean,
    factories: EndpointFactories,
  ) {
    this.#configuration = configuration;
    this.#factories = factories;
    this.#isChecked = isChecked;
    this.#idle = new IdleConnections(idleLimit);
    this.#tls = factories.tls;
    const { tls, hostHeader } = configuration;
    this.#byName = hostHeader.kind === 'target' || (tls !== null && tls.serverName === null);
  }

  get current(): readonly Endpoint[] {
    return this.#current;
  }

  /** The current endpoints with a weight above 0. */
  get weighted(): readonly Endpoint[] {
    return this.#weighted;
  }

  /** All endpoints that may have connections: the current ones, and removed ones with open exchanges. */
  get all(): readonly Endpoint[] {
    return [...this.#current, ...this.#retired.values()];
  }

  /** Applies new lookup results. An endpoint that stays or returns keeps its connections. */
  replace(addressesOf: (host: string) => readonly string[]): void {
    const known = new Map(this.all.map((endpoint) => [endpoint.key, endpoint]));
    const wanted = targetAddresses(this.#configuration.targets, addressesOf, this.#byName);
    this.#current = wanted.map((address) => {
      const endpoint = known.get(address.key) ?? this.#create(address);
      const { ledgers } = this.#factories;
      const names = address.names.filter((name) => name !== address.text);
      endpoint.place(
        address,
        names.map((name) => ledgers.acquire(name)),
      );
      known.delete(address.key);
      this.#retired.delete(address.key);
      return endpoint;
    });
    this.#weighted = this.#current.filter(({ weight }) => weight > 0);
    this.#findSiblings();
    for (const endpoint of known.values()) this.#retire(endpoint);
  }

  /** Closes a retired endpoint. Call it after the last exchange of the endpoint. */
  closeUnused(endpoint: Endpoint): void {
    // INVARIANT: a client is closed once.
    if (this.#isClosed || !this.#retired.delete(endpoint.key)) return;
    endpoint.release();
    const closed = endpoint.client.close(0);
    this.#closing.add(closed);
    void closed.then(() => this.#closing.delete(closed));
  }

  async close(graceMs: number): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const open = this.all;
    await Promise.all([...open.map(({ client }) => client.close(graceMs)), ...this.#closing]);
    for (const endpoint of open) endpoint.release();
  }

  #findSiblings(): void {
    const byName = new Map<string, Endpoint[]>();
    for (const endpoint of this.#weighted) {
      for (const name of endpoint.names) {
        const known = byName.get(name);
        if (known === undefined) byName.set(name, [endpoint]);
        else known.push(endpoint);
      }
    }
    const siblingsOf = (name: string): readonly Endpoint[] => byName.get(name) ?? [];
    for (const endpoint of this.#current) {
      const [first, ...others] = endpoint.names;
      const siblings = siblingsOf(first as string);
      // An endpoint with one name, the usual case, shares the list of that name.
      endpoint.siblings =
        others.length === 0 ? siblings : [...new Set([...siblings, ...others.flatMap((name) => siblingsOf(name))])];
    }
  }

  #create(address: TargetAddress): Endpoint {
    const { timeouts, maxConnections, maxIdle, httpVersion, hostHeader } = this.#configuration;
    const { ledgers, createClient, exhaustion } = this.#factories;
    const connection = this.#connectionTo(address);
    const client = createClient({
      address: address.address,
      authority: connection.authority,
      replacesHost: hostHeader.kind !== 'preserve',
      tls: connection.tls,
      connectMs: timeouts.connectMs,
      readMs: timeouts.readMs,
      maxConnections,
      onExhausted: () => exhaustion.note(address.text),
      maxIdle,
      idle: this.#idle,
      httpVersion,
    });
    const cookie = this.#cookieOf(address.text);
    const probed = { address: address.address, ...connection };
    return new Endpoint(address, ledgers.acquire(address.text), client, { cookie, probed, isChecked: this.#isChecked });
  }

  /** The authority of requests to an address, and its TLS. */
  #connectionTo(target: TargetAddress): TargetConnection {
    const { tls } = this.#configuration;
    const context = this.#tls;
    const authority = this.#authorityOf(target);
    if (tls === null || context === null) return { authority, tls: null };
    const serverName = tls.serverName ?? target.host;
    return {
      authority,
      tls: {
        serverName,
        get context() {
          return context.current;
        },
      },
    };
  }

  /** The value of Host for a target. */
  #authorityOf({ address, host, names }: TargetAddress): string {
    const { hostHeader, tls } = this.#configuration;
    if (hostHeader.kind === 'fixed') return hostHeader.host;
    if (isUnixSocket(address)) return 'localhost';
    // Clients omit the default port of the scheme (RFC 9110, section 4.2.3).
    if (hostHeader.kind === 'preserve' || address.port !== (tls === null ? 80 : 443)) return names[0] as string;
    return host.includes(':') ? `[${host}]` : host;
  }

  #cookieOf(address: string): EndpointCookie {
    const { name, stickyCookie } = this.#configuration;
    const value = targetCookieValue(name, address);
    if (stickyCookie === null) return { value, plain: noHeaders, secure: noHeaders };
    return {
      value,
      plain: targetCookieField(stickyCookie, value, false),
      secure: targetCookieField(stickyCookie, value, true),
    };
  }

  #retire(endpoint: Endpoint): void {
    endpoint.isRetired = true;
    this.#retired.set(endpoint.key, endpoint);
    endpoint.client.evictQueued();
    if (endpoint.underWay === 0) this.closeUnused(endpoint);
  }
}
