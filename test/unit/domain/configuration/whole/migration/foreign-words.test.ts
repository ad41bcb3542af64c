import { describe, expect, it } from 'vitest';
import { migrateText } from '../../../../../../src/adapters/outbound/kdl-configuration/migrate-text.js';
import {
  configurationText,
  withAgent,
  withListener,
  withRoute,
  withUpstream,
} from '../../../../../support/shared/configuration-text.js';
import { problemsOf } from '../../../../../support/shared/decoded-configuration.js';

/** The notes about unchanged forms; the text must stay the same. */
const leftOf = (text: string): readonly string[] => {
  const { text: after, left } = migrateText(text);
  expect(after).toBe(text);
  return left.map(({ message }) => message);
};

describe('words of other gateways without an equivalent', () => {
  it.each([
    ['a log level', 'observability { logging { level "debug" } }', 'RUST_LOG=debug'],
    ['a log format', 'observability { logging { format "pretty" } }', 'GATEWAY_LOG_FORMAT=pretty'],
    ['a log file', 'observability { logging { file "/var/log/x" } }', 'the log goes to standard output'],
    ['another path of metrics', 'observability { metrics { path "/stats" } }', 'metrics are at /metrics'],
    ['OTLP over gRPC', 'observability { tracing { endpoint "http://otel:4317" } }', 'OTLP over HTTP'],
    ['another backend of traces', 'observability { tracing { backend "zipkin" } }', '"backend" of tracing'],
    ['another part', 'observability { profiling { enabled #true } }', '"profiling" of observability'],
    [
      'metrics beside admin',
      'admin { }\nobservability { metrics { address "127.0.0.1:9091" } }',
      'occurs in observability',
    ],
    ['two breaker successes', 'routes { route "a" { circuit-breaker { success-threshold 2 } } }', 'one success closes'],
    [
      'more half-open calls',
      'agents { agent "a" { circuit-breaker { half-open-max-requests 3 } } }',
      'one call at a time',
    ],
    ['a route that fails open', 'routes { route "a" { failure-mode "open" } }', 'in the agents that may fail open'],
    [
      'retries by status',
      'routes { route "a" { upstream "u"; retry-policy { retryable-status-codes 502 } } }\nupstreams { upstream "u" { } }',
      'retries by status',
    ],
    [
      'retries of one of two routes',
      'routes { route "a" { upstream "u"; retry-policy { max-attempts 2 } }; route "b" { upstream "u" } }\nupstreams { upstream "u" { } }',
      'write retries { max-attempts 3 }',
    ],
    [
      'a default route among low ones',
      'listeners { listener "l" { default-route "a" } }\nroutes { route "a" { upstream "u" }; route "b" { priority "low"; matches { path "/b" } } }',
      'delete "default-route"',
    ],
    ['a default route that is not there', 'listeners { listener "l" { default-route "a" } }', 'delete "default-route"'],
    [
      'two timeouts',
      'listeners { listener "l" { keepalive-timeout-secs 5; timeouts { idle-secs 6 } } }',
      'exclude each other',
    ],
    ['two transports', 'agents { agent "a" { socket "/a"; grpc "127.0.0.1:1" } }', 'exclude each other'],
    ['two limits', 'system { max-connections 5 }\nlimits { max-total-connections 6 }', 'exclude each other'],
  ])('stay as they are, with what to do: %s', (_name, text, message) => {
    expect(leftOf(text)).toEqual([expect.stringContaining(message)]);
  });

  it.each([
    'upstreams { upstream "u" { load-balancing "random" } }',
    'upstreams { upstream "u" { load-balancing "cookie" } }',
    'listeners { listener "l" { tls { min-version "TLS1.1" } } }',
    'agents { agent "a" { grpc-x "https://a:1" } }',
    'agents { agent "a" { transport { grpc "https://a.example:443" } } }',
    'agents { agent "a" { events "websocket_frame" } }',
  ])('are left to the reader: %s', (text) => {
    expect(migrateText(text)).toMatchObject({ text, changes: [], left: [] });
  });
});

describe('values of other gateways', () => {
  it.each([
    ['listeners { listener "l" { tls { min-version "TLS1.2" } } }', 'min-version "1.2"'],
    ['listeners { listener "l" { tls { min-version "TLSv1.3" } } }', 'min-version "1.3"'],
    ['agents { agent "a" { unix-socket "/run/a.sock" } }', 'transport { unix_socket "/run/a.sock" }'],
    [
      'agents { agent "a" unix-socket="/run/a.sock" { type "rate_limit" } }',
      'type "custom"; transport { unix_socket "/run/a.sock" }',
    ],
    ['agents { agent "a" { transport { grpc { address "http://127.0.0.1:1" } } } }', 'address "127.0.0.1:1"'],
    ['agents { agent "a" { events "response_body" } }', 'events "response_body_chunk"'],
  ])('are written as here: %s', (text, now) => {
    const { text: after, left } = migrateText(text);
    expect(left).toEqual([]);
    expect(after).toContain(now);
    expect(migrateText(after)).toMatchObject({ text: after, changes: [] });
  });
});

describe('comments', () => {
  it('in a block that is split are kept', () => {
    const { text } = migrateText(
      'observability {\n  // one\n  metrics {\n    // two\n    enabled #true // three\n    address "127.0.0.1:1" // four\n  }\n  // five\n}\nlimits { }\n',
    );
    for (const word of ['one', 'two', 'three', 'four', 'five']) expect(text.split(`// ${word}`)).toHaveLength(2);
    expect(text).not.toContain('observability');
  });
});

describe('a key of another gateway', () => {
  const upstreamRoute = (body: string): string => withRoute(`matches { path "/" }; upstream "echo"; ${body}`);
  it.each([
    ['observability', configurationText({ more: 'observability { }' }), 'tracing: write tracing'],
    [
      'max-connections',
      configurationText({ more: 'system { max-connections 5 }' }),
      'write limits { max-total-connections',
    ],
    ['pid-file', configurationText({ more: 'system { pid-file "/run/x" }' }), '--pid-file'],
    [
      'request-timeout-secs',
      withListener('address "127.0.0.1:1"; request-timeout-secs 5'),
      'header-secs 60; body-secs 60',
    ],
    ['keepalive-timeout-secs', withListener('address "127.0.0.1:1"; keepalive-timeout-secs 5'), 'idle-secs'],
    ['default-route', withListener('address "127.0.0.1:1"; default-route "a"'), 'path-prefix "/"'],
    ['failure-mode', upstreamRoute('failure-mode "closed"'), 'in the block of the agent'],
    [
      'retry-policy',
      upstreamRoute('retry-policy { max-attempts 3 }'),
      'write retries { max-attempts 3 } in the upstream',
    ],
    ['success-threshold', upstreamRoute('circuit-breaker { success-threshold 2 }'), 'one success closes the breaker'],
    ['half-open-max-requests', upstreamRoute('circuit-breaker { half-open-max-requests 2 }'), 'write probes'],
    ['max-lifetime-secs', withUpstream('target "a:1"; connection-pool { max-lifetime-secs 5 }'), 'delete the line'],
    ['unix-socket', withAgent('transport "embedded"; unix-socket path="/x"'), 'write transport { unix_socket'],
  ])('is explained: %s', (key, text, suggestion) => {
    expect(problemsOf(text)).toEqual([expect.stringMatching(new RegExp(`^error: "${key}" is not valid here: `))]);
    expect(problemsOf(text)[0]).toContain(suggestion);
  });

  it('is never suggested for a misspelt key', () => {
    expect(problemsOf(configurationText({ more: 'system { deamon #true }' }))[0]).not.toContain('daemon');
  });

  it.each([
    ['service-type "web"', 'delete service-type: the upstream answers'],
    ['service-type "static"', 'must be "builtin", not "static"'],
  ])('is told apart from %s of a route to an upstream', (body, message) => {
    expect(problemsOf(upstreamRoute(body))).toEqual([expect.stringContaining(message)]);
  });
});
