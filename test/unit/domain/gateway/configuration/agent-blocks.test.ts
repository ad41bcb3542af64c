import { describe, expect, it } from 'vitest';
import type { Setting } from '../../../../../src/domain/configuration/setting/setting.js';
import { decodeGatewayConfiguration } from '../../../../../src/domain/configuration/whole/decode-gateway-configuration.js';
import { settingsOf } from '../../../../support/shared/configuration-settings.js';
import { configurationText, withAgent } from '../../../../support/shared/configuration-text.js';

const decode = (text: string) =>
  decodeGatewayConfiguration(settingsOf(text), {
    patternFault: () => null,
    lines: () => null,
    root: null,
    isComplete: true,
  });

const problemsOf = (body: string): string[] =>
  decode(withAgent(body)).problems.map(({ severity, message }) => `${severity}: ${message}`);

const errorsOf = (text: string): string[] =>
  decode(text)
    .problems.filter(({ severity }) => severity === 'error')
    .map(({ message, suggestion }) => `${message}${suggestion === null ? '' : ` (${suggestion})`}`);

const agentOf = (body: string) => {
  const { configuration, problems } = decode(withAgent(body));
  expect(problems).toEqual([]);
  const [agent] = configuration?.agents ?? [];
  if (agent === undefined) throw new Error('no agent');
  return agent;
};

const grpc = (members: string) => `transport { grpc { ${members} } }`;

describe('an agent that is reached by gRPC', () => {
  it.each([
    ['transport { grpc "127.0.0.1:50051" }', { kind: 'tcp', host: '127.0.0.1', port: 50_051 }],
    ['transport { grpc { address "127.9.9.9:1" } }', { kind: 'tcp', host: '127.9.9.9', port: 1 }],
    ['transport { grpc address="[::1]:1" }', { kind: 'tcp', host: '::1', port: 1 }],
    ['transport "grpc" { address "LocalHost:1" }', { kind: 'tcp', host: 'LocalHost', port: 1 }],
    ['transport { grpc "unix:/run/a.sock" }', { kind: 'unix', path: '/run/a.sock' }],
    ['transport { grpc "unix:///run/a.sock" }', { kind: 'unix', path: '/run/a.sock' }],
  ])('says where: %s', (transport, address) => {
    expect(agentOf(transport).transport).toEqual({ kind: 'grpc', address, owner: null, tls: null });
  });

  it('may have TLS, with or without a certificate of the gateway', () => {
    expect(agentOf(grpc('address "10.0.0.1:1"; tls { }')).transport).toMatchObject({
      tls: { caCertFile: null, certificate: null, serverName: null },
    });
    expect(
      agentOf(
        grpc(
          'address "agents.example:1"; tls { ca-cert-file "/ca.pem"; cert-file "/c.pem"; key-file "/k.pem"; server-name "a.example" }',
        ),
      ).transport,
    ).toEqual({
      kind: 'grpc',
      address: { kind: 'tcp', host: 'agents.example', port: 1 },
      owner: null,
      tls: {
        caCertFile: '/ca.pem',
        certificate: { certFile: '/c.pem', keyFile: '/k.pem' },
        serverName: 'a.example',
      },
    });
  });

  it('may use plaintext over a network with insecure', () => {
    expect(agentOf(grpc('address "10.0.0.1:1"; insecure #true')).transport).toMatchObject({ tls: null });
  });

  it('may use the socket of another user', () => {
    expect(agentOf('transport { grpc "unix:/a" }; socket-owner "agents"').transport).toMatchObject({ owner: 'agents' });
  });

  it.each([
    ['transport { grpc "10.0.0.1:1" }', 'gRPC needs tls or insecure #true: 10.0.0.1:1 is not a loopback address'],
    ['transport { grpc "[fe80::1]:1" }', 'gRPC needs tls or insecure #true: [fe80::1]:1 is not a loopback address'],
    ['transport { grpc "localhost.example:1" }', 'gRPC needs tls or insecure #true'],
    ['transport { grpc "0.0.0.0:1" }', 'gRPC needs tls or insecure #true'],
    [grpc('address "10.0.0.1:1"; insecure #false'), 'gRPC needs tls or insecure #true'],
    [grpc('address "10.0.0.1:1"; tls { }; insecure #true'), '"tls" and "insecure" exclude each other'],
    [grpc('address "unix:/a"; tls { }'), '"tls" has no effect on a unix socket'],
    [grpc('address "a:1"; tls { cert-file "/c.pem" }'), '"cert-file" needs a "key-file"'],
    [grpc('address "a:1"; tls { key-file "/k.pem" }'), '"key-file" needs a "cert-file"'],
    [grpc('address "a:1"; tls { key-file "/k.pem"; cert-file #null }'), '"key-file" needs a "cert-file"'],
    [grpc('address "a:1"; tls { server-name "10.0.0.1" }'), '"server-name" must be a host name'],
    [grpc('address "a:1"; tls { server-name "*.example" }'), '"server-name" must be a host name'],
    [grpc('address "a:1"; tls #true'), '"tls" takes a block, not a value'],
    [grpc('address "a:1"; tls { ca-certs "/x" }'), 'unknown key "ca-certs"'],
    [grpc('tls { }'), '"address" is missing'],
    [grpc('address "a:0"'), 'must have a port other than 0'],
    [grpc('address "/run/a.sock"'), 'must be host:port, or unix:/path (write "unix:/run/a.sock")'],
    [grpc('address "unix:run/a.sock"'), 'must be an absolute path of a socket'],
    [grpc('address "unix://run/a.sock"'), 'must be an absolute path of a socket'],
    [grpc('address "unix:/"'), 'must be an absolute path of a socket'],
    [grpc('address "unix:"'), 'must be an absolute path of a socket'],
    [grpc('address "unix:/a\\u{0}b"'), 'must not contain control characters'],
    [grpc(`address "unix:/${'a'.repeat(107)}"`), 'must have a path of at most 107 bytes'],
    [grpc('address "https://a:1"'), 'must be host:port'],
    ['transport "grpc"', '"address" is missing'],
    ['transport { grpc "127.0.0.1:1" { address "127.0.0.1:2" } }', '"address" is given twice'],
    ['transport { grpc "127.0.0.1:1"; unix_socket "/a" }', '"transport" needs exactly one kind of transport'],
    ['transport { grpc "127.0.0.1:1" }; socket "/a"', '"socket" and "transport" cannot both be given'],
    ['transport { grpc "127.0.0.1:1" }; socket-owner "x"', 'no effect on an agent over TCP'],
    ['transport { grpc "127.0.0.1:1" }; protocol-version 1', '"protocol-version" 1 needs a unix socket'],
    ['transport { grpc "unix:/a" }; protocol-version 1', '"protocol-version" 1 needs a unix socket'],
  ])('is refused for %s', (body, message) => {
    const errors = errorsOf(withAgent(body));
    expect(errors).toEqual([expect.stringContaining(message)]);
    expect(decode(withAgent(body)).configuration).toBeNull();
  });

  it('hides an address from a variable', () => {
    const hide = (settings: readonly Setting[]): Setting[] =>
      settings.map((setting) => ({
        ...setting,
        args: setting.name === 'address' ? setting.args.map((arg) => ({ ...arg, hidden: true })) : setting.args,
        children: setting.children === null ? null : hide(setting.children),
      }));
    const problems = (address: string) =>
      decodeGatewayConfiguration(hide(settingsOf(withAgent(grpc(`address "${address}"`)))), {
        patternFault: () => null,
        lines: () => null,
        root: null,
        isComplete: true,
      }).problems;
    expect(problems('10.0.0.1:1')[0]?.message).toContain('its address is not a loopback address');
    for (const address of ['10.0.0.1:1', '10.0.0.1', '/10.0.0.1', 'unix:10.0.0.1']) {
      expect(problems(address)).toHaveLength(1);
      expect(JSON.stringify(problems(address))).not.toContain('10.0.0.1');
    }
  });

  it('hides a key in place of its path', () => {
    const { problems } = decode(
      withAgent(grpc('address "a:1"; tls { cert-file "/c"; key-file "-----BEGIN PRIVATE KEY-----S3CRET" }')),
    );
    expect(problems).toHaveLength(1);
    expect(JSON.stringify(problems)).not.toContain('S3CRET');
  });
});

describe('the connections of an agent', () => {
  it.each([
    ['socket "/a"', 2, 4],
    ['socket "/a"; connections 64', 2, 64],
    ['socket "/a"; protocol-version 1', 1, 16],
    ['socket "/a"; protocol-version 1; connections 1', 1, 1],
    ['transport { unix_socket "/a" }; protocol-version 1', 1, 16],
    ['transport { grpc "127.0.0.1:1" }', 2, 4],
    ['transport "embedded"', 2, 0],
  ])('has a version and connections: %s', (body, protocolVersion, connections) => {
    expect(agentOf(body)).toMatchObject({ protocolVersion, connections });
  });

  it.each([
    ['socket "/a"', null],
    ['socket "/a"; circuit-breaker { }', { failureThreshold: 5, openMs: 30_000, probes: 1 }],
    [
      'transport "embedded"; circuit-breaker { failure-threshold 2; timeout-seconds 7 }',
      { failureThreshold: 2, openMs: 7000, probes: 1 },
    ],
  ])('may have a circuit breaker: %s', (body, circuitBreaker) => {
    expect(agentOf(body).circuitBreaker).toEqual(circuitBreaker);
  });

  it.each([
    ['transport "embedded"; connections 4', '"connections" has no effect on an embedded agent'],
    ['transport "embedded"; protocol-version 1', '"protocol-version" 1 needs a unix socket'],
    ['socket "/a"; connections 0', 'must be an integer from 1 to 64'],
    ['socket "/a"; connections 65', 'must be an integer from 1 to 64'],
    ['socket "/a"; protocol-version 0', 'must be 1 or 2, not 0'],
    ['socket "/a"; circuit-breaker { failure-threshold 0 }', 'must be an integer from 1 to 10000'],
    ['socket "/a"; circuit-breaker { timeout-seconds 0 }', 'must be an integer from 1 to 3600'],
    [
      'socket "/a"; circuit-breaker { timeout-secs 5 }',
      '"timeout-secs" is not valid here: the name is timeout-seconds',
    ],
    ['socket "/a"; failure-mode "ajar"', '"failure-mode" must be "closed" or "open"'],
  ])('is refused for %s', (body, message) => {
    expect(errorsOf(withAgent(body))).toEqual([expect.stringContaining(message)]);
  });
});

describe('the admin endpoints of an agent', () => {
  it.each([
    ['127.0.0.1:9101', { host: '127.0.0.1', port: 9101 }],
    ['unix:/run/admin.sock', { path: '/run/admin.sock' }],
  ])('are at %s', (address, place) => {
    const { admin } = agentOf(`socket "/a"; admin { address "${address}"; token "abc" }`);
    expect(admin?.address).toEqual(place);
    expect(admin?.token.reveal()).toBe('abc');
  });

  it('may be a socket of another user beside gRPC over TCP', () => {
    const body = 'transport { grpc "127.0.0.1:1" }; socket-owner "agents"; admin { address "unix:/a"; token "abc" }';
    expect(agentOf(body).transport).toMatchObject({ owner: 'agents' });
  });

  it.each([
    ['socket "/a"; admin { address "127.0.0.1:1" }', '"token" is missing'],
    ['socket "/a"; admin { token "abc" }', '"address" is missing'],
    ['socket "/a"; admin { address "/run/x.sock"; token "abc" }', 'write "unix:/run/x.sock"'],
    ['socket "/a"; admin { address "127.0.0.1:0"; token "abc" }', 'must have a port other than 0'],
    ['socket "/a"; admin { address "127.0.0.1:1"; token "a b" }', 'must contain only letters, digits'],
    ['socket "/a"; admin { address "127.0.0.1:1"; token "abc"; tls #true }', 'unknown key "tls"'],
    [
      'transport "embedded"; admin { address "127.0.0.1:1"; token "abc" }',
      '"admin" has no effect on an embedded agent',
    ],
    ['socket "/a"; admin { address "unix:/a"; token "abc" }', 'has the address of the transport'],
    ['transport { unix_socket "/a" }; admin { address "unix:/a"; token "abc" }', 'has the address of the transport'],
    ['transport { grpc "[::1]:1" }; admin { address "[::1]:1"; token "abc" }', 'has the address of the transport'],
    ['transport { grpc "127.0.0.1:1" }; socket-owner "x"; admin { address "127.0.0.1:2"; token "abc" }', 'over TCP'],
  ])('are refused for %s', (body, message) => {
    expect(errorsOf(withAgent(body))).toEqual([expect.stringContaining(message)]);
  });
});

describe('the events of an agent', () => {
  it.each([
    ['"request_headers"', ['request_headers']],
    ['"request_headers" "request_body_chunk"', ['request_headers', 'request_body_chunk']],
    ['"response_headers"', ['response_headers']],
    ['"response_body_chunk" "response_headers"', ['response_body_chunk', 'response_headers']],
    ['"request_complete" "request_complete"', ['request_complete']],
  ])('may be %s', (events, expected) => {
    expect(agentOf(`socket "/a"; events ${events}`).events).toEqual(expected);
  });

  it.each([
    [
      'socket "/a"; events "request_body_chunk"',
      '"request_body_chunk" needs request_headers in the events: the agent asks for a body after it has seen the head (write events "request_headers" "request_body_chunk")',
    ],
    ['socket "/a"; events "request_headers" "response_body_chunk"', '"response_body_chunk" needs response_headers'],
    ['socket "/a"; events #null', '"events" needs at least one event'],
    [
      'transport "embedded"; events "request_headers" "response_headers"',
      '"response_headers" has no effect on an embedded',
    ],
    [
      'transport "embedded"; events "request_headers" "request_complete"',
      '"request_complete" has no effect on an embedded',
    ],
    [
      'socket "/a"; events "request_complete"; config { api-keys "k:a" }',
      '"events" needs request_headers: without it the agent decides about no request',
    ],
    [
      'transport { grpc "127.0.0.1:1" }; events "response_headers"; config { authz { enabled #true; policy-inline "permit(principal, action, resource);" } }',
      '"events" needs request_headers: without it the agent decides about no request',
    ],
  ])('cannot be those of %s', (body, message) => {
    expect(errorsOf(withAgent(body))).toEqual([expect.stringContaining(message)]);
  });
});

describe('failure-mode "open"', () => {
  const warning = 'warning: failure-mode "open": if agent "auth" does not answer, requests pass without a decision';
  const policies = 'policy-inline "permit(principal, action, resource);"';

  it.each([
    'socket "/a"',
    'transport { grpc "127.0.0.1:1" }',
    'transport "embedded"; config { api-keys "k:a" }',
    `transport "embedded"; config { api-keys "k:a"; authz { enabled #false; ${policies} } }`,
    `transport "embedded"; config { api-keys "k:a"; authz #null }`,
  ])('causes a warning: %s', (agent) => {
    const body = `${agent}; failure-mode "open"`;
    expect(problemsOf(body)).toContain(warning);
    expect(decode(withAgent(body)).configuration?.agents[0]?.failureMode).toBe('open');
  });

  it.each([
    `transport "embedded"; config { api-keys "k:a"; authz { enabled #true; ${policies} } }`,
    `socket "/a"; config { authz { enabled #true; ${policies} } }`,
    `transport { grpc "127.0.0.1:1" }; config { authz { enabled #true } }`,
    // An invalid block may enable it, and another program may read it so.
    'socket "/a"; config { authz { enabled "yes" } }',
    'socket "/a"; config { authz { enabled #false }; authz { enabled #true } }',
  ])('is refused with policies: %s', (agent) => {
    const text = withAgent(`${agent}; failure-mode "open"`);
    expect(errorsOf(text)).toEqual([expect.stringContaining('failure-mode "open" and authz exclude each other')]);
    expect(decode(text).configuration).toBeNull();
  });
});

describe('the limits of agents', () => {
  it.each([
    ['max-decompression-ratio 1', 'maxDecompressionRatio', 1],
    ['max-decompression-ratio 100.0', 'maxDecompressionRatio', 100],
    ['max-decompression-ratio 2.25', 'maxDecompressionRatio', 2.25],
    ['max-decompressed-size-bytes 0', 'maxDecompressedSizeBytes', 0],
    ['max-agent-body-bytes 0', 'maxAgentBodyBytes', 0],
    ['max-agent-response-bytes 256', 'maxAgentResponseBytes', 256],
  ] as const)('may be %s', (limit, member, value) => {
    expect(decode(configurationText({ more: `limits { ${limit} }` })).configuration?.limits[member]).toBe(value);
  });

  it.each([
    ['max-decompression-ratio 0.99', 'must be a number from 1 to 1000000, not 0.99'],
    ['max-decompression-ratio "100"', 'must be a number from 1 to 1000000, not "100"'],
    ['max-decompression-ratio -5', 'must be a number from 1 to 1000000'],
    ['max-decompressed-size-bytes "2GB"', 'must be a size from 0 to 1073741824 bytes'],
    ['max-agent-response-bytes 255', 'must be a size from 256 to 16777216 bytes'],
    ['max-agent-body-bytes -1', 'must be a size'],
  ])('cannot be %s', (limit, message) => {
    expect(errorsOf(configurationText({ more: `limits { ${limit} }` }))).toEqual([expect.stringContaining(message)]);
  });
});
