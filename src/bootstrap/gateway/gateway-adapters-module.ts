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
import { NodeZlibCompressor } from '../../adapters/outbound/node-zlib-compressor/node-zlib-compressor.js';
import { nodeZlibInflater } from '../../adapters/outbound/node-zlib-inflater/node-zlib-inflater.js';
import type { OtelTracerPorts } from '../../adapters/outbound/otel-tracing/otel-tracer.js';
import { ownSampleNames } from '../../adapters/outbound/prometheus-metrics/gauge-samples.js';
import { PrometheusGatewayMetrics } from '../../adapters/outbound/prometheus-metrics/prometheus-gateway-metrics.js';
import { re2PathPatterns } from '../../adapters/outbound/re2-path-patterns/re2-path-patterns.js';
import { targetClients } from '../../adapters/outbound/upstream-clients/upstream-clients.js';
import { SocketLayerSelector } from '../../adapters/stream-sockets/socket-layer-selector.js';
import { readCertificateDates } from '../../adapters/tls-sockets/certificate-files.js';
import { upstreamTlsPreparer } from '../../adapters/tls-sockets/upstream-tls-context.js';
import type { TracerFactory } from '../../application/ports/gateway/tracer.js';
import { agentClients } from '../shared/agent-clients.js';
import { bindSingleton } from '../shared/bind-singleton.js';
import { embeddedAgentTokens } from '../shared/embedded-agents.js';
import { sharedTokens as shared } from '../shared/shared-tokens.js';
import { programVersion } from '../shared/version.js';
import { gatewayTokens as gateway } from './gateway-tokens.js';
import { programIdentity } from './program-identity.js';
import { openRedisRateLimits } from './redis-rate-limits.js';

/** Creates OpenTelemetry tracers. Loads the library on demand. */
const otelTracers =
  (parts: OtelTracerPorts): TracerFactory =>
  async (configuration, program) => {
    const { OtelTracer } = await import('../../adapters/outbound/otel-tracing/otel-tracer.js');
    return new OtelTracer(configuration, program, parts);
  };

/**
 * The gateway's adapters. Log and configuration source depend on the command line and are bound
 * separately.
 */
export const gatewayAdaptersModule = new ContainerModule(({ bind }) => {
  const made = bindSingleton(bind);
  bind(shared.version).toConstantValue(programVersion);
  made(shared.clock, {}, () => new SystemClock());
  made(shared.random, {}, () => new CryptoRandom());
  made(shared.scheduler, {}, () => new NodeScheduler());
  bind(gateway.hostName).toConstantValue(hostname());
  // Stable over restarts, so that the restarted gateway may change the configuration it gave to an
  // agent. Unique per gateway of a host.
  made(
    gateway.proxyId,
    { hostName: gateway.hostName, configFile: gateway.configFile },
    ({ hostName, configFile }) => `${hostName}:${configFile}`,
  );
  made(gateway.identity, { clock: shared.clock, layers: gateway.socketLayers }, ({ clock, layers }) =>
    programIdentity(clock.wallMs(), layers),
  );
  made(gateway.listeningSockets, {}, () => new NodeListeningSockets());
  made(
    gateway.engine,
    { sockets: gateway.listeningSockets, layers: gateway.socketLayers },
    ({ sockets, layers }) => new CoreHttpEngine(sockets, layers),
  );
  made(gateway.textFiles, {}, () => new NodeTextFileReader());
  made(gateway.listenerTls, { engine: gateway.engine, files: gateway.textFiles }, (parts) => parts);
  made(gateway.upstreamTls, { files: gateway.textFiles, clock: shared.clock }, ({ files, clock }) => ({
    files,
    prepare: upstreamTlsPreparer(() => clock.wallMs()),
  }));
  made(gateway.agentCertificates, { files: gateway.textFiles }, ({ files }) => ({
    files,
    readDates: readCertificateDates,
  }));
  made(gateway.figures, {}, () => new NodeProcessFigures());
  made(gateway.metrics, { hostName: gateway.hostName }, ({ hostName }) => new PrometheusGatewayMetrics(hostName));
  bind(gateway.ownSampleNames).toConstantValue(ownSampleNames);
  bind(gateway.pathPatterns).toConstantValue(re2PathPatterns);
  bind(gateway.secretComparer).toConstantValue(nodeSecretComparer());
  made(gateway.secretDigest, {}, () => new HmacSecretDigest());
  made(gateway.compressor, {}, () => new NodeZlibCompressor());
  bind(gateway.inflater).toConstantValue(nodeZlibInflater);
  bind(gateway.socketLayers).toConstantValue(new SocketLayerSelector());
  made(gateway.createTargetClient, { layers: gateway.socketLayers }, ({ layers }) => targetClients(layers));
  made(gateway.resolver, {}, () => new NodeHostResolver());
  made(gateway.prober, {}, () => new NodeHealthProber());
  made(gateway.localRateLimits, { clock: shared.clock }, ({ clock }) => new MemoryRateLimitStore(clock));
  bind(gateway.openSharedRateLimits).toConstantValue(openRedisRateLimits);
  made(gateway.descriptorFigures, {}, () => new NodeDescriptors());
  made(gateway.memoryReclaimer, {}, () => new V8MemoryReclaimer());
  made(gateway.createTracer, { logger: shared.logger, clock: shared.clock, random: shared.random }, (parts) =>
    otelTracers(parts),
  );
  made(
    gateway.createAgent,
    {
      clock: shared.clock,
      scheduler: shared.scheduler,
      random: shared.random,
      logger: shared.logger,
      files: gateway.textFiles,
      proxyId: gateway.proxyId,
      loadAgentFactory: embeddedAgentTokens.loadAgentFactory,
      permits: gateway.permits,
      layers: gateway.socketLayers,
    },
    (parts) => agentClients(parts),
  );
});
