import type { GatewayConfiguration } from '../../../domain/gateway/configuration/gateway-configuration.js';
import type { ErrorPageTemplate } from '../../../domain/gateway/error-pages/error-page.js';
import type { CidrSet } from '../../../domain/http/cidr-set.js';
import type { Tracer } from '../../ports/gateway/tracer.js';
import type { UpstreamTargets } from '../choose-upstream/upstream-targets.js';
import type { CircuitBreakerHolder } from '../circuit-breakers/circuit-breaker-holder.js';
import type { RateLimiterInUse } from '../limit-rate/rate-limiter-pool.js';
import type { CompiledGateway } from '../proxy-request/compile-gateway.js';
import type { ResponseHeadRule, Stage } from '../proxy-request/exchange.js';
import type { RouteHeaderRules } from '../proxy-request/header-rules-in-force.js';
import type { ActiveConfiguration } from '../proxy-request/proxy-request.js';
import type { CompiledRoute } from '../proxy-request/stages/choose-route.js';
import type { CertificateHeaderRules } from '../proxy-request/stages/prepare-headers.js';
import type { RequestTracing } from '../trace/request-tracing.js';
import type { CertificatesInUse } from './certificates-in-use.js';

/** The resources that were opened for one configuration. */
interface GenerationResources {
  readonly upstreams: ReadonlyMap<string, UpstreamTargets>;
  readonly trustedProxies: ReadonlyMap<string, CidrSet>;
  readonly certificateHeaders: CertificateHeaderRules;
  readonly certificates: CertificatesInUse;
  readonly limiter: RateLimiterInUse;
  /** Null while tracing is off. */
  readonly tracer: Tracer | null;
  readonly tracing: RequestTracing | null;
}

/** The grace period for spans that are not yet sent; milliseconds. */
const tracesGraceMs = 2_000;

/**
 * Everything that was built for one configuration. A request stays with the generation that it entered. When a replaced
 * generation has no requests left, its resources are closed.
 */
export class Generation implements ActiveConfiguration {
  readonly stages: readonly Stage[];
  readonly responseRules: readonly ResponseHeadRule[];
  readonly errorPage: ErrorPageTemplate | null;
  readonly rejectionRules: RouteHeaderRules | null;
  readonly routes: readonly CompiledRoute[];
  readonly breakers: ReadonlyMap<string, CircuitBreakerHolder>;
  readonly upstreams: ReadonlyMap<string, UpstreamTargets>;
  readonly trustedProxies: ReadonlyMap<string, CidrSet>;
  readonly certificateHeaders: CertificateHeaderRules;
  readonly certificates: CertificatesInUse;
  readonly tracing: RequestTracing | null;
  readonly #limiter: RateLimiterInUse;
  readonly #tracer: Tracer | null;
  closing = false;
  #inFlight = 0;
  #whenEmpty: (() => void) | null = null;

  constructor(
    readonly configuration: GatewayConfiguration,
    compiled: CompiledGateway,
    resources: GenerationResources,
  ) {
    this.stages = compiled.stages;
    this.responseRules = compiled.responseRules;
    this.errorPage = compiled.errorPage;
    this.rejectionRules = compiled.rejectionRules;
    this.routes = compiled.routes;
    this.breakers = compiled.breakers;
    this.upstreams = resources.upstreams;
    this.trustedProxies = resources.trustedProxies;
    this.certificateHeaders = resources.certificateHeaders;
    this.certificates = resources.certificates;
    this.tracing = resources.tracing;
    this.#limiter = resources.limiter;
    this.#tracer = resources.tracer;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  requestStarted(): void {
    this.#inFlight += 1;
  }

  requestEnded(): void {
    this.#inFlight -= 1;
    if (this.#inFlight === 0) this.#whenEmpty?.();
  }

  /** Resolves when it has no requests. */
  emptied(): Promise<void> {
    if (this.#inFlight === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#whenEmpty = resolve;
    });
  }

  /** Closes its resources. Upstream requests that remain after the grace period are aborted. */
  async close(graceMs: number): Promise<void> {
    this.certificates.stopWatching();
    await Promise.all([...this.upstreams.values()].map((targets) => targets.close(graceMs)));
    await Promise.all([this.#limiter.release(), this.#tracer?.stop(tracesGraceMs)]);
  }
}
