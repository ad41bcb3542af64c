import { hostname } from 'node:os';
import { ContainerModule } from 'inversify';
import { CoreHttpEngine } from '../../adapters/inbound/http-engines/core/core-http-engine.js';
import { NodeHealthProber } from '../../adapters/outbound/health-probes/node-health-prober.js';
import { HmacSecretDigest } from '../../adapters/outbound/hmac-secret-digest/hmac-secret-digest.js';
import { MemoryRateLimitStore } from '../../adapters/outbound/memory-rate-limit-store/memory-rate-limit-store.js';
import { SystemClock } from '../../adapters/outbound/node-clock/system-clock.js';
import { NodeDescriptors } from '../../adapters/outbound/node-descriptors/node-descriptors.js';
import { NodeHostResolver } from '../../adapters/outbound/node-dns/node-host-resolver.js';
import { NodeListeningSockets } from '../../adapters/outbound/node-listening-sockets/node-listening-sockets.js';
import { NodeProcessFigures } from '../../adapters/outbound/node-process-figures/node-process-figures.js';
import { V8MemoryReclaimer } from '../../adapters/outbound/node-process-figures/v8-memory-reclaimer.js';
import { CryptoRandom } from '../../adapters/outbound/node-random/crypto-random.js';
import { NodeScheduler } from '../../adapters/outbound/node-scheduler/node-scheduler.js';
import { nodeSecretComparer } from '../../adapters/outbound/node-secret-comparer/node-secret-comparer.js';
import { NodeTextFileReader } from '../../adapters/outbound/node-text-files/node-text-file-reader.js';
import { nodeZlibInflater } from '../../adapters/outbound/node-zlib-inflater/node-zlib-inflater.js';
import type { OtelTracerParts } from '../../adapters/outbound/otel-tracing/otel-tracer.js';
import { ownSampleNames } from '../../adapters/outbound/prometheus-metrics/gauge-samples.js';
import { PrometheusGatewayMetrics } from '../../adapters/outbound/prometheus-metrics/prometheus-gateway-metrics.js';
import { re2PathPatterns } from '../../adapters/outbound/re2-path-patterns/re2-path-patterns.js';
import { createTargetClient } from '../../adapters/outbound/upstream-clients/upstream-clients.js';
import type { TracerFactory } from '../../application/ports/gateway/tracer.js';
import { agentClients } from '../shared/agent-clients.js';
import { embeddedAgentTokens } from '../shared/embedded-agents.js';
import { sharedTokens as shared } from '../shared/shared-tokens.js';
import { programBuildCommit, programVersion } from '../shared/version.js';
import { gatewayTokens as gateway } from './gateway-tokens.js';
import { openRedisRateLimits } from './redis-rate-limits.js';

/** Makes tracers by OpenTelemetry, which is loaded when the first one is wanted: a gateway that does not trace starts without it. */
const otelTracers =
  (parts: OtelTracerParts): TracerFactory =>
  async (configuration, program) => {
    const { OtelTracer } = await import('../../adapters/outbound/otel-tracing/otel-tracer.js');
    return new OtelTracer(configuration, program, parts);
  };

/** The machine as the gateway sees it. What the command line decides (log, configuration source) is bound beside it. */
export const gatewayAdaptersModule = new ContainerModule(({ bind }) => {
  bind(shared.version).toConstantValue(programVersion);
  bind(shared.clock)
    .toResolvedValue(() => new SystemClock(), [])
    .inSingletonScope();
  bind(shared.random)
    .toResolvedValue(() => new CryptoRandom(), [])
    .inSingletonScope();
  bind(shared.scheduler)
    .toResolvedValue(() => new NodeScheduler(), [])
    .inSingletonScope();
  bind(gateway.hostName).toConstantValue(hostname());
  // The same over a restart, so that an agent lets the gateway change what the one before had given; another one for each
  // gateway of a host.
  bind(gateway.proxyId)
    .toResolvedValue((hostName, configFile) => `${hostName}:${configFile}`, [gateway.hostName, gateway.configFile])
    .inSingletonScope();
  bind(gateway.identity)
    .toResolvedValue(
      (clock) => ({
        name: 'portcullis',
        version: programVersion,
        buildCommit: programBuildCommit,
        nodeVersion: process.version,
        startedAtMs: clock.wallMs(),
      }),
      [shared.clock],
    )
    .inSingletonScope();
  bind(gateway.listeningSockets)
    .toResolvedValue(() => new NodeListeningSockets(), [])
    .inSingletonScope();
  bind(gateway.engine)
    .toResolvedValue((sockets) => new CoreHttpEngine(sockets), [gateway.listeningSockets])
    .inSingletonScope();
  bind(gateway.textFiles)
    .toResolvedValue(() => new NodeTextFileReader(), [])
    .inSingletonScope();
  bind(gateway.listenerTls)
    .toResolvedValue((engine, files) => ({ engine, files }), [gateway.engine, gateway.textFiles])
    .inSingletonScope();
  bind(gateway.figures)
    .toResolvedValue(() => new NodeProcessFigures(), [])
    .inSingletonScope();
  bind(gateway.metrics)
    .toResolvedValue((hostName) => new PrometheusGatewayMetrics(hostName), [gateway.hostName])
    .inSingletonScope();
  bind(gateway.ownSampleNames).toConstantValue(ownSampleNames);
  bind(gateway.pathPatterns).toConstantValue(re2PathPatterns);
  bind(gateway.secretComparer).toConstantValue(nodeSecretComparer());
  bind(gateway.secretDigest)
    .toResolvedValue(() => new HmacSecretDigest(), [])
    .inSingletonScope();
  bind(gateway.inflater).toConstantValue(nodeZlibInflater);
  bind(gateway.createTargetClient).toConstantValue(createTargetClient);
  bind(gateway.resolver)
    .toResolvedValue(() => new NodeHostResolver(), [])
    .inSingletonScope();
  bind(gateway.prober)
    .toResolvedValue(() => new NodeHealthProber(), [])
    .inSingletonScope();
  bind(gateway.localRateLimits)
    .toResolvedValue((clock) => new MemoryRateLimitStore(clock), [shared.clock])
    .inSingletonScope();
  bind(gateway.openSharedRateLimits).toConstantValue(openRedisRateLimits);
  bind(gateway.descriptorFigures)
    .toResolvedValue(() => new NodeDescriptors(), [])
    .inSingletonScope();
  bind(gateway.memoryReclaimer)
    .toResolvedValue(() => new V8MemoryReclaimer(), [])
    .inSingletonScope();
  bind(gateway.createTracer)
    .toResolvedValue(
      (logger, clock, random) => otelTracers({ logger, clock, random }),
      [shared.logger, shared.clock, shared.random],
    )
    .inSingletonScope();
  bind(gateway.createAgent)
    .toResolvedValue(
      (clock, scheduler, random, logger, files, proxyId, loadAgentFactory, permits) =>
        agentClients({ clock, scheduler, random, logger, files, proxyId, loadAgentFactory, permits }),
      [
        shared.clock,
        shared.scheduler,
        shared.random,
        shared.logger,
        gateway.textFiles,
        gateway.proxyId,
        embeddedAgentTokens.loadAgentFactory,
        gateway.permits,
      ],
    )
    .inSingletonScope();
});
