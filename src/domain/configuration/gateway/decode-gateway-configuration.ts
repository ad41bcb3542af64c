import type { ConfigurationProblem, SourcePosition } from '../configuration-problem.js';
import type {
  AdminConfiguration,
  CertificateFiles,
  GatewayConfiguration,
  LimitsConfiguration,
  ListenerConfiguration,
  RouteConfiguration,
  TlsConfiguration,
  UpstreamConfiguration,
} from '../gateway-configuration.js';
import { type LineLookup, ProblemReport } from '../schema/problem-report.js';
import { readMembers } from '../schema/read-block.js';
import type { Fields, Located } from '../schema/schema.js';
import type { Setting } from '../setting/setting.js';
import type { adminShape } from './admin-schema.js';
import { type AgentOptionLocator, agentOptionLocator } from './agent-option-places.js';
import { checkConfiguration } from './configuration-rules.js';
import { gatewayShape } from './gateway-schema.js';
import type { limitsShape } from './limits-schema.js';
import {
  agentsOf,
  listenersOf,
  type ReadListener,
  type ReadRoute,
  type ReadUpstream,
  routesOf,
  upstreamsOf,
} from './read-gateway.js';
import type { PatternFault } from './route-rules.js';
import type { tlsShape } from './tls-schema.js';
import { toAgent } from './to-agent.js';

const values = <Value>(list: readonly Located<Value>[]): Value[] => list.map(({ value }) => value);

const toCertificates = (fields: Fields<typeof tlsShape>): CertificateFiles[] => {
  const [certFile, keyFile] = [fields['cert-file'].value, fields['key-file'].value];
  const first = certFile === null || keyFile === null ? [] : [{ certFile, keyFile }];
  const others = fields.certificate.value.map((files) => ({
    certFile: files['cert-file'].value,
    keyFile: files['key-file'].value,
  }));
  return [...first, ...others];
};

const toTls = (fields: Fields<typeof tlsShape>): TlsConfiguration => ({
  certificates: toCertificates(fields),
  clientAuth: fields['client-auth'].value,
  caCertFile: fields['ca-cert-file'].value,
  forwardClientCertHeader: fields['forward-client-cert-header'].value,
  minVersion: fields['min-version'].value,
});

const toListener = ({ name, fields }: ReadListener): ListenerConfiguration => ({
  name: name.value,
  address: fields.address.value,
  tls: fields.tls.value === null ? null : toTls(fields.tls.value),
  trustedProxies: values(fields['trusted-proxies'].value),
  acceptClientCertHeader: fields['accept-client-cert-header'].value,
  timeouts: { headMs: 60_000, bodyMs: 60_000, idleMs: 75_000 },
});

const toRoute = ({ name, fields }: ReadRoute): RouteConfiguration => {
  const matches = fields.matches.value;
  const policies = fields.policies.value;
  return {
    id: name.value,
    priority: fields.priority.value,
    matches: {
      paths: values(matches.path.value),
      pathPrefixes: values(matches['path-prefix'].value),
      pathRegexes: values(matches['path-regex'].value),
      hosts: values(matches.host.value),
      methods: values(matches.method.value),
      headers: matches.header.value,
      queryParams: matches['query-param'].value,
    },
    upstream: fields.upstream.value,
    builtinHandler: fields['builtin-handler'].value,
    agents: values(fields.agents.value),
    policies: {
      maxBodySize: policies['max-body-size'].value,
      requestTimeoutMs: policies['timeout-secs'].value ?? policies.timeouts.value['request-secs'].value,
      bufferRequests: false,
      bufferResponses: false,
      rateLimit: null,
    },
    circuitBreaker: null,
  };
};

const toUpstream = ({ name, fields }: ReadUpstream): UpstreamConfiguration => {
  const timeouts = fields.timeouts.value;
  return {
    name: name.value,
    targets: [...fields.targets.value.target.value, ...fields.target.value].map(({ value }) => ({
      address: value,
      weight: 1,
    })),
    timeouts: {
      connectMs: timeouts['connect-secs'].value,
      readMs: timeouts['read-secs'].value,
      requestMs: timeouts['request-secs'].value,
    },
    maxConnections: fields['connection-pool'].value['max-connections'].value,
    maxIdle: 20,
    healthCheck: null,
    targetBreaker: null,
    balancing: { kind: 'round_robin' },
    stickyCookie: null,
    retries: { maxAttempts: 3, budgetPercent: 20 },
    dnsRefreshMs: 30_000,
  };
};

const toLimits = (fields: Fields<typeof limitsShape>): LimitsConfiguration => ({
  maxHeaderSizeBytes: fields['max-header-size-bytes'].value,
  maxHeaderCount: fields['max-header-count'].value,
  maxHeaderNameBytes: fields['max-header-name-bytes'].value,
  maxHeaderValueBytes: fields['max-header-value-bytes'].value,
  maxBodySizeBytes: fields['max-body-size-bytes'].value,
  maxBodyInspectionBytes: fields['max-body-inspection-bytes'].value,
  maxAgentQueueDepth: fields['max-agent-queue-depth'].value,
  maxAgentBodyBytes: fields['max-agent-body-bytes'].value,
  maxAgentResponseBytes: fields['max-agent-response-bytes'].value,
  maxDecompressionRatio: fields['max-decompression-ratio'].value,
  maxDecompressedSizeBytes: fields['max-decompressed-size-bytes'].value,
  maxBodyBufferBytes: 1_048_576,
  maxConnectionsPerClient: 100,
  maxConnectionsPerRoute: 1_000,
  maxTotalConnections: 10_000,
  maxIdleConnectionsPerUpstream: 100,
  maxInFlightRequests: 10_000,
  maxInFlightRequestsPerWorker: 1_000,
  maxQueuedRequests: 1_000,
  rates: { global: null, perClient: null, perRoute: null },
  rateLimitStore: { kind: 'memory' },
  maxMemoryBytes: null,
  maxMemoryPercent: null,
});

const toAdmin = (fields: Fields<typeof adminShape>): AdminConfiguration => ({
  address: fields.address.value,
  token: fields.token.value,
  readyRequires: [...new Set(values(fields['ready-requires'].value))],
});

/** What decoding needs besides the settings. */
export interface GatewayDecoding {
  readonly patternFault: PatternFault;
  readonly lines: LineLookup;
  /** The beginning of the file: where what is missing from it is reported. */
  readonly root: SourcePosition | null;
  /** False where a part could not be read: keys are not checked against each other then, only for themselves. */
  readonly isComplete: boolean;
}

export interface DecodedGatewayConfiguration {
  /** Null where there was any error. */
  readonly configuration: GatewayConfiguration | null;
  readonly problems: readonly ConfigurationProblem[];
  /** For what is found once the files are read that options of agents name. */
  readonly locate: AgentOptionLocator;
}

/** Reads, completes and checks the configuration of a gateway. Every problem is reported, not the first alone. */
export const decodeGatewayConfiguration = (
  settings: readonly Setting[],
  { patternFault, lines, root, isComplete }: GatewayDecoding,
): DecodedGatewayConfiguration => {
  const report = new ProblemReport(lines);
  const gateway = readMembers(gatewayShape, settings, { report, path: [], position: root });
  if (isComplete) checkConfiguration(gateway, patternFault, root, report);
  const locate = agentOptionLocator(agentsOf(gateway), lines);
  if (report.hasErrors || !isComplete) return { configuration: null, problems: report.problems, locate };
  const system = gateway.system.value;
  const configuration: GatewayConfiguration = {
    system: {
      instance: system.instance.value,
      gracefulShutdownTimeoutMs: system['graceful-shutdown-timeout-secs'].value,
      workerThreads: system['worker-threads'].value,
    },
    listeners: listenersOf(gateway).map(toListener),
    routes: routesOf(gateway).map(toRoute),
    upstreams: upstreamsOf(gateway).map(toUpstream),
    agents: agentsOf(gateway).map(toAgent),
    limits: toLimits(gateway.limits.value),
    admin: gateway.admin.value === null ? null : toAdmin(gateway.admin.value),
    tracing: null,
  };
  return { configuration, problems: report.problems, locate };
};
