import type { ConfigurationGiver } from '../../ports/agent/agent-service.js';

/** Maximum replaced configurations remembered per gateway. */
const maximumReplaced = 64;

interface ConnectedGateway {
  readonly connections: Set<symbol>;
  /** Digest of the configuration that it sent last; null before. */
  given: string | null;
  /** Digests of the earlier configurations, oldest first. */
  readonly replaced: Set<string>;
}

/** The connected gateways, and the configurations that each has sent since its first connection. */
export class ConnectedGateways {
  readonly #gateways = new Map<string, ConnectedGateway>();
  /** Open connections with the gateway that completed its handshake on them; null before. */
  readonly #open = new Map<symbol, string | null>();

  /** Registers a connection. */
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

  /** Another connected gateway whose latest configuration is this one; null if there is none. */
  otherThatGave(digest: string, proxyId: string): string | null {
    for (const [other, { given }] of this.#gateways) if (other !== proxyId && given === digest) return other;
    return null;
  }

  /** Whether a connected gateway has replaced this configuration by a later one. */
  hasReplaced(proxyId: string, digest: string): boolean {
    return this.#gateways.get(proxyId)?.replaced.has(digest) ?? false;
  }

  /** Records the configuration that a gateway and the agent agreed on. Ignores closed connections. */
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
