import type { GatewayConfiguration } from '../../../domain/gateway/configuration/gateway-configuration.js';
import { dividedLimit } from '../../../domain/gateway/limits/permit-limits.js';
import { type CidrSet, compileCidrs } from '../../../domain/http/cidr-set.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { AgentClient } from '../../ports/gateway/agent-client.js';
import type { Tracer, TracerFactory } from '../../ports/gateway/tracer.js';
import type { Random } from '../../ports/shared/random.js';
import type { CurrentTlsContext } from '../choose-upstream/endpoint-set.js';
import { UpstreamTargets, type UpstreamTargetsEnvironment } from '../choose-upstream/upstream-targets.js';
import type { RateLimiterPool } from '../limit-rate/rate-limiter-pool.js';
import { compileGateway, type StageServices } from '../proxy-request/compile-gateway.js';
import { certificateHeaderRules } from '../proxy-request/stages/prepare-headers.js';
import { RequestTracing } from '../trace/request-tracing.js';
import type { AgentRegistry } from './agent-registry.js';
import type { CertificatesInUse } from './certificates-in-use.js';
import { Generation } from './generation.js';
import { listenerKey } from './listener-registry.js';
import type { RouteFiles } from './prepare-route-files.js';

/** The services that building a generation needs. */
export interface GenerationBuilding {
  readonly agents: AgentRegistry;
  readonly stages: StageServices;
  readonly upstreamTargets: UpstreamTargetsEnvironment;
  readonly rateLimiters: RateLimiterPool;
  readonly createTracer: TracerFactory;
  readonly random: Random;
  /** The instance name if the configuration sets none. */
  readonly hostName: string;
  readonly version: string;
}

/** What was prepared before the generation. */
export interface GenerationInputs {
  readonly agents: ReadonlyMap<string, AgentClient>;
  /** TLS to upstreams, by upstream name. */
  readonly tls: ReadonlyMap<string, CurrentTlsContext>;
  readonly certificates: CertificatesInUse;
  readonly routeFiles: RouteFiles;
}

const trustedBlocks = ({ listeners }: GatewayConfiguration): Result<ReadonlyMap<string, CidrSet>, string> => {
  const trusted = new Map<string, CidrSet>();
  for (const { address, name, trustedProxies } of listeners) {
    const cidrs = compileCidrs(trustedProxies);
    if (!cidrs.ok) return err(`listener "${name}": ${cidrs.error}`);
    trusted.set(listenerKey(address, name), cidrs.value);
  }
  return ok(trusted);
};

const openTracer = async (
  { tracing, system }: GatewayConfiguration,
  { createTracer, hostName, version }: GenerationBuilding,
): Promise<Tracer | null> =>
  tracing === null ? null : createTracer(tracing, { instance: system.instance ?? hostName, version });

/** Opens the resources of a configuration, except agents and listeners. After an error nothing stays open. */
export const buildGeneration = async (
  configuration: GatewayConfiguration,
  { agents, tls, certificates, routeFiles }: GenerationInputs,
  building: GenerationBuilding,
): Promise<Result<Generation, string>> => {
  const trustedProxies = trustedBlocks(configuration);
  if (!trustedProxies.ok) return trustedProxies;
  const { upstreamTargets, rateLimiters, stages, random } = building;
  const { limits, tracing: tracingOptions } = configuration;
  const limiter = await rateLimiters.use(limits.rateLimitStore);
  const tracer = await openTracer(configuration, building);
  const idleLimit = dividedLimit(limits.maxIdleConnectionsPerUpstream, stages.admissions.workers);
  const upstreams = new Map(
    configuration.upstreams.map((upstream) => [
      upstream.name,
      new UpstreamTargets(upstream, idleLimit, tls.get(upstream.name) ?? null, upstreamTargets),
    ]),
  );
  const { declaredHeaders } = building.agents;
  const compiled = compileGateway(
    configuration,
    { agents, upstreams, limiter: limiter.limiter, declaredHeaders, files: routeFiles },
    stages,
  );
  if (!compiled.ok) {
    const opened = [...upstreams.values()].map((targets) => targets.close(0));
    await Promise.all([...opened, limiter.release(), tracer?.stop(0)]);
    return compiled;
  }
  await Promise.all([...upstreams.values()].map((targets) => targets.start()));
  const tracing = tracer && tracingOptions && new RequestTracing(tracer, tracingOptions.sampleRatio, random);
  const listeners = new Map(
    configuration.listeners.map((listener) => [listenerKey(listener.address, listener.name), listener]),
  );
  const certificateHeaders = certificateHeaderRules(listeners);
  const resources = {
    upstreams,
    trustedProxies: trustedProxies.value,
    certificateHeaders,
    certificates,
    limiter,
    tracer,
    tracing,
  };
  return ok(new Generation(configuration, compiled.value, resources));
};
