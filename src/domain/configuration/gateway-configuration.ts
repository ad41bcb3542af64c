import type { JsonObject } from '../shared/json.js';
import type { Secret } from '../shared/secret.js';

/** A host and a port, as in `127.0.0.1:8080` or `[::1]:8080`. */
export interface SocketAddress {
  readonly host: string;
  readonly port: number;
}

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
}

export interface SystemConfiguration {
  /** Value of the label `instance`; null means the host name. */
  readonly instance: string | null;
  /** How long a drain waits for requests in flight. */
  readonly gracefulShutdownTimeoutMs: number;
  readonly workerThreads: number;
}

export interface ListenerConfiguration {
  readonly name: string;
  readonly address: SocketAddress;
  /** Null: it speaks plain HTTP. */
  readonly tls: TlsConfiguration | null;
  /** CIDR blocks whose forwarding headers are believed. */
  readonly trustedProxies: readonly string[];
  /** Header in which a trusted proxy brings the certificate of its client; null: none may. */
  readonly acceptClientCertHeader: string | null;
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

/** Paths of PEM files. */
export interface CertificateFiles {
  /** The certificate, then the intermediates up to the root. */
  readonly certFile: string;
  readonly keyFile: string;
}

/** A header or query parameter that has to be there, with a value or with any. */
export interface NamedMatch {
  readonly name: string;
  /** Null: any value will do. */
  readonly value: string | null;
}

/** Kinds AND together, several values of one kind OR together; an empty kind says nothing. */
export interface RouteMatches {
  readonly paths: readonly string[];
  readonly pathPrefixes: readonly string[];
  readonly pathRegexes: readonly string[];
  /** Exact, or `*.suffix`; lower case. */
  readonly hosts: readonly string[];
  readonly methods: readonly string[];
  readonly headers: readonly NamedMatch[];
  readonly queryParams: readonly NamedMatch[];
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
}

export interface RoutePolicies {
  /** Octets; null means the global limit. */
  readonly maxBodySize: number | null;
  /** As `UpstreamTimeouts.requestMs`; null means the upstream's. */
  readonly requestTimeoutMs: number | null;
}

export interface UpstreamConfiguration {
  readonly name: string;
  readonly targets: readonly TargetConfiguration[];
  readonly timeouts: UpstreamTimeouts;
  /** Connections to each target at the most. */
  readonly maxConnections: number;
}

export interface TargetConfiguration {
  readonly address: SocketAddress;
}

export interface UpstreamTimeouts {
  readonly connectMs: number;
  /** Silence of the upstream: before the head, and between pieces of the body. */
  readonly readMs: number;
  /** The wait for a connection, and from the request sent whole to the head of its answer. */
  readonly requestMs: number;
}

export type AgentTransport =
  | { readonly kind: 'unix_socket'; readonly path: string; readonly owner: string | null }
  | { readonly kind: 'embedded' };

/** An agent as the gateway sees it. */
export interface AgentConfiguration {
  readonly name: string;
  readonly transport: AgentTransport;
  readonly events: readonly ('request_headers' | 'request_body_chunk')[];
  readonly timeoutMs: number;
  readonly failureMode: 'closed';
  readonly protocolVersion: 2;
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
}

export interface AdminConfiguration {
  readonly address: SocketAddress;
  /** Bearer token; null: none is asked for (the address is a loopback one, or that was asked for), and no POST is served. */
  readonly token: Secret | null;
  /** What besides the gateway's own state has to be well for /ready to say 200. */
  readonly readyRequires: readonly ('upstreams' | 'agents')[];
}
