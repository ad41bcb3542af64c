import type { ConfigurationGiver } from '../../ports/agent/agent-service.js';

/** Configurations of one gateway that are remembered as replaced, at most. */
const maximumReplaced = 64;

interface ConnectedGateway {
  readonly connections: Set<symbol>;
  /** Digest of what it gave last; null before. */
  given: string | null;
  /** Digests of what it gave before that, the oldest first. */
  readonly replaced: Set<string>;
}

/** Which gateways are connected, and what each of them has given since its first connection. */
export class ConnectedGateways {
  readonly #gateways = new Map<string, ConnectedGateway>();
  /** Connections that are open, with the gateway that agreed by them; null where it has not, or not yet. */
  readonly #open = new Map<symbol, string | null>();

  /** A connection has something to say. */
  opened({ connection }: ConfigurationGiver): void {
    if (!this.#open.has(connection)) this.#open.set(connection, null);
  }

  closed(connection: symbol): void {
    const proxyId = this.#open.get(connection);
    this.#open.delete(connection);
    if (proxyId === undefined || proxyId === null) return;
    const gateway = this.#gateways.get(proxyId);
    gateway?.connections.delete(connection);
    if (gateway?.connections.size === 0) this.#gateways.delete(proxyId);
  }

  isConnected(proxyId: string): boolean {
    return this.#gateways.has(proxyId);
  }

  /** A connected gateway, other than one, whose last word was this configuration; null where there is none. */
  otherThatGave(digest: string, proxyId: string): string | null {
    for (const [other, { given }] of this.#gateways) if (other !== proxyId && given === digest) return other;
    return null;
  }

  /** Whether a gateway has replaced this configuration by a later one, and is still connected with that. */
  hasReplaced(proxyId: string, digest: string): boolean {
    return this.#gateways.get(proxyId)?.replaced.has(digest) ?? false;
  }

  /** A gateway and the agent have agreed. What has ended meanwhile is not counted as connected. */
  agreed({ proxyId, connection }: ConfigurationGiver, digest: string): void {
    if (!this.#open.has(connection)) return;
    const gateway = this.#gateways.get(proxyId) ?? { connections: new Set(), given: null, replaced: new Set<string>() };
    this.#gateways.set(proxyId, gateway);
    this.#open.set(connection, proxyId);
    gateway.connections.add(connection);
    gateway.replaced.delete(digest);
    if (gateway.given !== null && gateway.given !== digest) gateway.replaced.add(gateway.given);
    gateway.given = digest;
    const [oldest] = gateway.replaced;
    if (gateway.replaced.size > maximumReplaced && oldest !== undefined) gateway.replaced.delete(oldest);
  }
}
