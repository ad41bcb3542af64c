import { describe, expect, it } from 'vitest';
import { decodeGatewayConfiguration } from '../../../../../src/domain/configuration/whole/decode-gateway-configuration.js';
import { plainLimits, plainPolicies } from '../../../../support/gateway/plain-configurations.js';
import { settingsOf } from '../../../../support/shared/configuration-settings.js';
import {
  configurationText,
  withAgent,
  withRoute,
  withUpstream,
} from '../../../../support/shared/configuration-text.js';
import { decodedText } from '../../../../support/shared/decoded-configuration.js';

const configurationOf = (text: string) => {
  const { configuration, problems } = decodedText(text);
  expect(problems).toEqual([]);
  if (configuration === null) throw new Error('no configuration');
  return configuration;
};

describe('a valid configuration', () => {
  it('has all defaults', () => {
    expect(configurationOf(configurationText())).toEqual({
      system: {
        instance: null,
        gracefulShutdownTimeoutMs: 30_000,
        shutdownDelayMs: 0,
        workerThreads: 0,
        sockets: 'auto',
      },
      listeners: [
        {
          name: 'http',
          address: { host: '127.0.0.1', port: 8080 },
          tls: null,
          trustedProxies: [],
          proxyProtocol: false,
          acceptClientCertHeader: null,
          http2: false,
          timeouts: {
            proxyHeaderMs: 5_000,
            headMs: 60_000,
            bodyMs: 60_000,
            minBodyOctetsPerSecond: 240,
            idleMs: 75_000,
          },
        },
      ],
      routes: [
        {
          id: 'api',
          priority: 50,
          matches: {
            paths: [],
            pathPrefixes: ['/'],
            pathRegexes: [],
            hosts: [],
            methods: [],
            headers: [],
            queryParams: [],
            schemes: [],
          },
          upstream: 'echo',
          split: null,
          mirror: null,
          builtinHandler: null,
          redirect: null,
          respond: null,
          agents: ['auth'],
          policies: plainPolicies,
          circuitBreaker: null,
        },
      ],
      unrouted: plainPolicies,
      upstreams: [
        {
          name: 'echo',
          targets: [{ address: { host: '127.0.0.1', port: 8081 }, weight: 1 }],
          timeouts: { connectMs: 10_000, readMs: 30_000, requestMs: 60_000 },
          maxConnections: 1024,
          maxIdle: 20,
          healthCheck: null,
          targetBreaker: null,
          sparesLastTarget: true,
          balancing: { kind: 'round_robin' },
          stickyCookie: null,
          httpVersion: '1.1',
          tls: null,
          hostHeader: { kind: 'preserve' },
          retries: { maxAttempts: 3, budgetPercent: 20 },
          dnsRefreshMs: 30_000,
        },
      ],
      agents: [
        {
          name: 'auth',
          transport: { kind: 'embedded' },
          events: ['request_headers'],
          timeoutMs: 1000,
          failureMode: 'closed',
          protocolVersion: 2,
          connections: 0,
          admin: null,
          circuitBreaker: null,
          config: { 'api-keys': 'key:alice' },
        },
      ],
      limits: plainLimits,
      admin: null,
      tracing: null,
      audit: null,
      errorPageFile: null,
    });
  });

  it('overrides the defaults', () => {
    const { system, limits, admin } = configurationOf(
      configurationText({
        more: `
          system { instance "edge-1"; graceful-shutdown-timeout-secs 5; shutdown-delay-secs 600; worker-threads 256 }
          limits { max-header-size-bytes "16KB"; max-header-count 200; max-header-name-bytes 64; max-header-value-bytes 2048
            max-body-size-bytes "1GB"; max-body-inspection-bytes 0; max-agent-queue-depth 7; max-memory-bytes #null
            max-agent-body-bytes "2MB"; max-agent-response-bytes 4096; max-decompression-ratio 12.5
            max-decompressed-size-bytes "1MB"
            max-requests-per-second-global #null; max-requests-per-second-per-client #null
            max-requests-per-second-per-route #null; max-memory-percent #null }
          admin { address "[::1]:0"; token "abc.def="; ready-requires "upstreams" "agents" }`,
      }),
    );
    expect(system).toEqual({
      instance: 'edge-1',
      gracefulShutdownTimeoutMs: 5000,
      shutdownDelayMs: 600_000,
      workerThreads: 256,
      sockets: 'auto',
    });
    expect(limits).toEqual({
      ...plainLimits,
      maxHeaderSizeBytes: 16_384,
      maxHeaderCount: 200,
      maxHeaderNameBytes: 64,
      maxHeaderValueBytes: 2048,
      maxBodySizeBytes: 1_073_741_824,
      maxBodyInspectionBytes: 0,
      maxAgentQueueDepth: 7,
      maxAgentBodyBytes: 2_097_152,
      maxAgentResponseBytes: 4096,
      maxDecompressionRatio: 12.5,
      maxDecompressedSizeBytes: 1_048_576,
    });
    expect(admin?.address).toEqual({ host: '::1', port: 0 });
    expect(admin?.token?.reveal()).toBe('abc.def=');
    expect(admin?.readyRequires).toEqual(['upstreams', 'agents']);
  });

  it('reads every kind of match', () => {
    const [route] = configurationOf(
      withRoute(`matches { path "/a" "/b"; path "/c"; path-prefix "/v1"; path-regex "^/x$"; host "A.Example." "*.b.example"
        method "GET" "POST"; header "X-A"; header "X-B" "1"; query-param "q" "2" ; query-param "p"; scheme "https" "http" }; upstream "echo"`),
    ).routes;
    expect(route?.matches).toEqual({
      paths: ['/a', '/b', '/c'],
      pathPrefixes: ['/v1'],
      pathRegexes: ['^/x$'],
      hosts: ['a.example', '*.b.example'],
      methods: ['GET', 'POST'],
      headers: [
        { name: 'X-A', value: null },
        { name: 'X-B', value: '1' },
      ],
      queryParams: [
        { name: 'q', value: '2' },
        { name: 'p', value: null },
      ],
      schemes: ['https', 'http'],
    });
  });

  it.each([
    ['low', 10],
    ['normal', 50],
    ['high', 100],
    ['critical', 1000],
  ])('reads priority "%s" as %i', (name, number) => {
    const text = withRoute(`priority "${name}"; matches { path "/" }; upstream "echo"`);
    expect(configurationOf(text).routes[0]?.priority).toBe(number);
  });

  it.each([
    ['timeout-secs 3', { requestTimeoutMs: 3000 }],
    ['timeouts { request-secs 4 }', { requestTimeoutMs: 4000 }],
    ['timeouts { read-secs 5 }', { readTimeoutMs: 5000 }],
    ['timeout-secs 3; timeouts { read-secs 5 }', { requestTimeoutMs: 3000, readTimeoutMs: 5000 }],
    ['max-body-size "2MB"', { maxBodySize: 2_097_152 }],
    ['max-body-size 77', { maxBodySize: 77 }],
  ])('reads the policy %s', (policy, changes) => {
    const text = withRoute(`matches { path "/" }; upstream "echo"; policies { ${policy} }`);
    expect(configurationOf(text).routes[0]?.policies).toEqual({ ...plainPolicies, ...changes });
  });

  it.each([
    'targets { target { address "a.example:1" }; target { address "[::1]:2" } }',
    'target "a.example:1" "[::1]:2"',
    'target "a.example:1"; target "[::1]:2"',
    'targets { target "a.example:1"; target address="[::1]:2" }',
  ])('reads the targets of %s', (body) => {
    expect(configurationOf(withUpstream(body)).upstreams[0]?.targets).toEqual([
      { address: { host: 'a.example', port: 1 }, weight: 1 },
      { address: { host: '::1', port: 2 }, weight: 1 },
    ]);
  });

  it.each([
    'transport { unix_socket { path "/run/a.sock" } }',
    'transport { unix_socket path="/run/a.sock" }',
    'transport { unix_socket "/run/a.sock" }',
    'transport "unix_socket" { path "/run/a.sock" }',
    'transport "unix_socket" path="/run/a.sock"',
    'socket "/run/a.sock"',
  ])('reads the socket of %s', (body) => {
    const agent = configurationOf(withAgent(`${body}; socket-owner "auth"`)).agents[0];
    expect(agent?.transport).toEqual({ kind: 'unix_socket', path: '/run/a.sock', owner: 'auth' });
  });

  it('may spread routes over several blocks', () => {
    const text = configurationText({
      more: 'routes { route "b" { matches { path "/b" }; builtin-handler "stats"; service-type "builtin" } }',
    });
    expect(configurationOf(text).routes.map(({ id }) => id)).toEqual(['api', 'b']);
  });
});

describe('a partly unreadable configuration', () => {
  it('is checked alone and never accepted', () => {
    const { configuration, problems } = decodeGatewayConfiguration(
      settingsOf('routes { route "a" { upstream "x"; priority "no" } }'),
      {
        patternFault: () => null,
        lines: () => null,
        root: null,
        isComplete: false,
      },
    );
    expect(configuration).toBeNull();
    expect(problems.map(({ message }) => message)).toEqual([
      '"priority" must be an integer, or "low", "normal", "high" or "critical"',
    ]);
  });

  it('is not accepted even without other errors', () => {
    const settings = settingsOf(configurationText());
    const decoding = { patternFault: () => null, lines: () => null, root: null, isComplete: false };
    expect(decodeGatewayConfiguration(settings, decoding)).toEqual({
      configuration: null,
      problems: [],
      locate: expect.any(Function),
      advise: expect.any(Function),
    });
  });
});
