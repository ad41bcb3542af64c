import type { GatewayConfiguration } from '../../domain/configuration/gateway-configuration.js';
import type { CidrSet } from '../../domain/http/cidr-set.js';
import type { UpstreamClient } from '../ports/upstream-client.js';
import type { CertificateHeaderRules } from '../proxy-request/certificate-header-rules.js';
import type { CompiledGateway } from '../proxy-request/compile-gateway.js';
import type { CompiledRoute } from '../proxy-request/compiled-route.js';
import type { RequestPath } from '../proxy-request/proxy-request.js';
import type { Stage } from '../proxy-request/stage.js';
import type { TargetLedger } from '../proxy-request/target-ledger.js';

/** An upstream as one generation talks to it. */
export interface UpstreamPeer {
  readonly client: UpstreamClient;
  readonly ledgers: readonly TargetLedger[];
}

/**
 * Everything that was built for one configuration. Requests stay with the generation that they entered; once it has
 * been replaced and the last of them has left, what belonged to it alone is closed.
 */
export class Generation implements RequestPath {
  readonly stages: readonly Stage[];
  readonly routes: readonly CompiledRoute[];
  closing = false;
  #inFlight = 0;
  #whenEmpty: (() => void) | null = null;

  constructor(
    readonly configuration: GatewayConfiguration,
    compiled: CompiledGateway,
    readonly upstreams: ReadonlyMap<string, UpstreamPeer>,
    readonly trustedProxies: ReadonlyMap<string, CidrSet>,
    readonly certificateHeaders: CertificateHeaderRules,
  ) {
    this.stages = compiled.stages;
    this.routes = compiled.routes;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  entered(): void {
    this.#inFlight += 1;
  }

  left(): void {
    this.#inFlight -= 1;
    if (this.#inFlight === 0) this.#whenEmpty?.();
  }

  /** Resolves when no request is left in it. */
  emptied(): Promise<void> {
    if (this.#inFlight === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#whenEmpty = resolve;
    });
  }

  /** Requests to them that are left after the grace are cut off. */
  async closeUpstreams(graceMs: number): Promise<void> {
    await Promise.all([...this.upstreams.values()].map(({ client }) => client.close(graceMs)));
  }
}
