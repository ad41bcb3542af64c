import type { UpstreamConfiguration } from '../../../domain/gateway/configuration/gateway-configuration.js';
import { type TargetAddress, targetAddresses } from '../../../domain/gateway/load-balancing/target-addresses.js';
import { targetCookieField, targetCookieValue } from '../../../domain/gateway/load-balancing/target-cookie.js';
import { noHeaders } from '../../../domain/http/header-list.js';
import type { IdleAllowance, TargetClientFactory } from '../../ports/gateway/upstream-client.js';
import type { AcquiredLedgers } from './acquired-ledgers.js';
import { Endpoint, type EndpointCookie } from './endpoint.js';
import type { PoolExhaustion } from './pool-exhaustion.js';

/** Counts the idle connections of one upstream. */
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
}

/** The endpoints of one upstream. A removed endpoint finishes its exchanges; then its connections are closed. */
export class EndpointSet {
  readonly #configuration: UpstreamConfiguration;
  readonly #factories: EndpointFactories;
  readonly #isChecked: boolean;
  readonly #idle: IdleConnections;
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
    const known = new Map(this.all.map((endpoint) => [endpoint.text, endpoint]));
    const wanted = targetAddresses(this.#configuration.targets, addressesOf);
    this.#current = wanted.map((address) => {
      const endpoint = known.get(address.text) ?? this.#create(address);
      const { ledgers } = this.#factories;
      const names = address.names.filter((name) => name !== address.text);
      endpoint.place(
        address,
        names.map((name) => ledgers.acquire(name)),
      );
      known.delete(address.text);
      this.#retired.delete(address.text);
      return endpoint;
    });
    this.#weighted = this.#current.filter(({ weight }) => weight > 0);
    for (const endpoint of known.values()) this.#retire(endpoint);
  }

  /** Closes a retired endpoint after its last exchange. */
  closeUnused(endpoint: Endpoint): void {
    // INVARIANT: a client is closed once.
    if (this.#isClosed || !this.#retired.delete(endpoint.text)) return;
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

  #create(address: TargetAddress): Endpoint {
    const { timeouts, maxConnections, maxIdle, httpVersion } = this.#configuration;
    const { ledgers, createClient, exhaustion } = this.#factories;
    const client = createClient({
      address: address.address,
      authority: address.names[0] as string,
      connectMs: timeouts.connectMs,
      readMs: timeouts.readMs,
      maxConnections,
      onExhausted: () => exhaustion.note(address.text),
      maxIdle,
      idle: this.#idle,
      httpVersion,
    });
    const cookie = this.#cookieOf(address.text);
    return new Endpoint(address, ledgers.acquire(address.text), client, cookie, this.#isChecked);
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
    this.#retired.set(endpoint.text, endpoint);
    endpoint.client.evictQueued();
    if (endpoint.underWay === 0) this.closeUnused(endpoint);
  }
}
