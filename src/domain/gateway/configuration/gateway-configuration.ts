import type { CertificateFiles, GrpcAddress, SocketAddress } from '../../configuration/network-addresses.js';
import type { JsonObject } from '../../shared/json.js';
import type { Secret } from '../../shared/secret.js';
import type { CircuitBreakerRules } from '../circuit-breaking/circuit-breaker.js';
import type { RateLimitPolicy } from '../rate-limiting/rate-limit-policy.js';
import type { RouteMatches } from '../routing/route-matches.js';
import type { AuditConfiguration } from './audit-schema.js';
import type { RateLimitStoreOptions, RateLimits } from './rate-limit-options.js';
import type { TracingConfiguration } from './tracing-schema.js';
import type { Balancing, HealthCheck, RetryRules, StickyCookie } from './upstream-options.js';

/** What is spoken to the targets of an upstream. */
export const upstreamHttpVersions = ['1.1', '2'] as const;
export type UpstreamHttpVersion = (typeof upstreamHttpVersions)[number];

/** Everything the gateway needs to run, every default filled in. */
export interface GatewayConfiguration {
  readonly system: SystemConfiguration;
  readonly listeners: readonly ListenerConfiguration[];
  /** In the order of the file; the route table puts them in matching order. */
  readonly routes: readonly RouteConfiguration[];
  readonly upstreams: readonly UpstreamConfiguration[];
  readonly agents: readonly AgentConfiguration[];
  readonly limits: LimitsConfiguration;
  /** Absent: no admin endpoints are served. */
  readonly admin: AdminConfiguration | null;
  /** Null: nothing is traced. */
  readonly tracing: TracingConfiguration | null;
  /** Null: no audit log is written. */
  readonly audit: AuditConfiguration | null;
}

export interface SystemConfiguration {
  /** Value of the label `instance`; null means the host name. */
  readonly instance: string | null;
  /** How long a drain waits for requests in flight. */
  readonly gracefulShutdownTimeoutMs: number;
  /** How long connections are still taken once the gateway is to end, so that who balances sees /ready fail first. */
  readonly shutdownDelayMs: number;
  /** Processes that serve requests; 0: as many as there are cores. */
  readonly workerThreads: number;
}

export interface ListenerConfiguration {
  readonly name: string;
  readonly address: SocketAddress;
  /** Null: it speaks plain HTTP. */
  readonly tls: TlsConfiguration | null;
  /** CIDR blocks whose forwarding headers are believed. */
  readonly trustedProxies: readonly string[];
  /** Every connection has to begin with a header of the PROXY protocol, which names its client. */
  readonly proxyProtocol: boolean;
  /** Header in which a trusted proxy brings the certificate of its client; null: none may. */
  readonly acceptClientCertHeader: string | null;
  /** HTTP/2 is spoken too: offered where TLS is spoken, else to clients that begin with it. */
  readonly http2: boolean;
  readonly timeouts: ListenerTimeouts;
}

/** How long clients are waited for. */
export interface ListenerTimeouts {
  /** For the whole header of the PROXY protocol, where one has to come. */
  readonly proxyHeaderMs: number;
  /** From the first octet of a head to its last. */
  readonly headMs: number;
  /** Silence while a body is awaited, and while a client does not read its response. */
  readonly bodyMs: number;
  /** What a body has to come at on average, in octets a second of waiting for it; 0: it may be as slow as it likes. */
  readonly minBodyOctetsPerSecond: number;
  /** From the end of a response to the first octet of the next request on its connection. */
  readonly idleMs: number;
}

/** Whether clients have to show a certificate; with `request` they may, and one that is shown has to be good. */
export type ClientAuth = 'none' | 'request' | 'require';

/** TLS of a listener. */
export interface TlsConfiguration {
  /** The first is shown to clients that name no server, or one that no certificate is for. */
  readonly certificates: readonly CertificateFiles[];
  readonly clientAuth: ClientAuth;
  /** Path of a PEM file with the authorities of clients; null with `none` alone. */
  readonly caCertFile: string | null;
  /** Header in which the verified certificate of the client is passed on; null: it is not. */
  readonly forwardClientCertHeader: string | null;
  readonly minVersion: '1.2' | '1.3';
}

export const builtinHandlers = [
  'health',
  'ready',
  'status',
  'metrics',
  'upstreams',
  'version',
  'routes',
  'stats',
] as const;
export type BuiltinHandler = (typeof builtinHandlers)[number];

export interface RouteConfiguration {
  readonly id: string;
  readonly priority: number;
  readonly matches: RouteMatches;
  /** Exactly one of `upstream` and `builtinHandler` is set. */
  readonly upstream: string | null;
  readonly builtinHandler: BuiltinHandler | null;
  /** Names, in the order in which they are asked. */
  readonly agents: readonly string[];
  readonly policies: RoutePolicies;
  /** Null: requests are sent on however often they fail. */
  readonly circuitBreaker: CircuitBreakerRules | null;
}

export interface RoutePolicies {
  /** Octets; null means the global limit. */
  readonly maxBodySize: number | null;
  /** As `UpstreamTimeouts.requestMs`; null means the upstream's. */
  readonly requestTimeoutMs: number | null;
  /** As `UpstreamTimeouts.readMs`; null means the upstream's. */
  readonly readTimeoutMs: number | null;
  /** A request is read whole before it is forwarded. */
  readonly bufferRequests: boolean;
  /** A response is read whole before it goes on, unless it is long or a stream. */
  readonly bufferResponses: boolean;
  readonly rateLimit: RateLimitPolicy | null;
  /** The upstream gets the identity headers that clients send. Never on a route with agents. */
  readonly forwardsIdentityHeaders: boolean;
}

export interface UpstreamConfiguration {
  readonly name: string;
  readonly targets: readonly TargetConfiguration[];
  readonly timeouts: UpstreamTimeouts;
  /** Connections to each target at most. */
  readonly maxConnections: number;
  /** Connections to each target that are kept while nothing uses them. */
  readonly maxIdle: number;
  /** Null: targets are taken to be well until they fail. */
  readonly healthCheck: HealthCheck | null;
  /** When a target that fails is left alone, and for how long. Null: never. */
  readonly targetBreaker: CircuitBreakerRules | null;
  /** The last target that is well and not drained is not left alone, however often it fails. */
  readonly sparesLastTarget: boolean;
  readonly balancing: Balancing;
  /** Null: a client may be sent to another target each time. */
  readonly stickyCookie: StickyCookie | null;
  readonly retries: RetryRules;
  /** How often the names of targets are looked up. */
  readonly dnsRefreshMs: number;
  readonly httpVersion: UpstreamHttpVersion;
}

export interface TargetConfiguration {
  readonly address: SocketAddress;
  /** Share of the requests, against the weights of the others; 0: none. */
  readonly weight: number;
}

export interface UpstreamTimeouts {
  readonly connectMs: number;
  /** Silence of the upstream after the head of its answer, and while it takes nothing of a request's body. */
  readonly readMs: number;
  /** The wait for a connection, and from the request sent whole to the head of its answer. */
  readonly requestMs: number;
}

/** TLS to an agent. Paths are those of PEM files. */
export interface AgentTls {
  /** The authorities that the agent's certificate has to come from; null: those that Node knows. */
  readonly caCertFile: string | null;
  /** What the gateway shows; null: nothing. */
  readonly certificate: CertificateFiles | null;
  /** The name that the agent's certificate has to be for; null: the host of the address. */
  readonly serverName: string | null;
}

export type AgentTransport =
  | { readonly kind: 'unix_socket'; readonly path: string; readonly owner: string | null }
  | {
      readonly kind: 'grpc';
      readonly address: GrpcAddress;
      /** User that may own a unix socket, besides the own one and root. */
      readonly owner: string | null;
      /** Null: plaintext. */
      readonly tls: AgentTls | null;
    }
  | { readonly kind: 'embedded' };

/** What an agent can be subscribed to. */
export const agentSubscriptions = [
  'request_headers',
  'request_body_chunk',
  'response_headers',
  'response_body_chunk',
  'request_complete',
] as const;
export type AgentSubscription = (typeof agentSubscriptions)[number];

/** An agent as the gateway sees it. */
export interface AgentConfiguration {
  readonly name: string;
  readonly transport: AgentTransport;
  readonly events: readonly AgentSubscription[];
  readonly timeoutMs: number;
  /** `open`: a request that the agent gives no answer about goes on without it. */
  readonly failureMode: 'closed' | 'open';
  /** 1: the older framing, over a unix socket alone. */
  readonly protocolVersion: 1 | 2;
  /** Connections that are kept to it; an embedded agent has none. */
  readonly connections: number;
  /** Null: it is asked however often it fails. */
  readonly circuitBreaker: CircuitBreakerRules | null;
  /** Handed to the agent as it is; null where the block has none. Holds secrets in the clear: never print it. */
  readonly config: JsonObject | null;
}

export interface LimitsConfiguration {
  /** Octets of all header fields together. */
  readonly maxHeaderSizeBytes: number;
  readonly maxHeaderCount: number;
  readonly maxHeaderNameBytes: number;
  readonly maxHeaderValueBytes: number;
  readonly maxBodySizeBytes: number;
  /** Octets of a body that an agent may look at. */
  readonly maxBodyInspectionBytes: number;
  /** Calls to one agent that may wait for a free slot. */
  readonly maxAgentQueueDepth: number;
  /** Octets of a body that one agent is sent. */
  readonly maxAgentBodyBytes: number;
  /** Octets of an agent's answer, body mutations not counted. */
  readonly maxAgentResponseBytes: number;
  /** How many times as large as it came a body may become that is inflated for an agent. */
  readonly maxDecompressionRatio: number;
  /** Octets of a body that is inflated for an agent. */
  readonly maxDecompressedSizeBytes: number;
  /** Octets of a body that is read whole before it goes on. */
  readonly maxBodyBufferBytes: number;
  /** Connections of one peer address; of a client behind a trusted proxy: its concurrent requests. */
  readonly maxConnectionsPerClient: number;
  /** Concurrent requests of one route. */
  readonly maxConnectionsPerRoute: number;
  readonly maxTotalConnections: number;
  /** Connections to all targets of an upstream that nothing uses. */
  readonly maxIdleConnectionsPerUpstream: number;
  readonly maxInFlightRequests: number;
  readonly maxInFlightRequestsPerWorker: number;
  /** Requests that wait to be in flight. */
  readonly maxQueuedRequests: number;
  readonly rates: RateLimits;
  readonly rateLimitStore: RateLimitStoreOptions;
  /** Octets; null: no limit. */
  readonly maxMemoryBytes: number | null;
  /** Percent of what the system, or its control group, has; null: no limit. */
  readonly maxMemoryPercent: number | null;
}

export interface AdminConfiguration {
  readonly address: SocketAddress;
  /**
   * Bearer token; null: none is asked for (the address is a loopback one, or that was asked for), and no POST is
   * served.
   */
  readonly token: Secret | null;
  /** What besides the gateway's own state has to be well for /ready to say 200. */
  readonly readyRequires: readonly ('upstreams' | 'agents')[];
}
