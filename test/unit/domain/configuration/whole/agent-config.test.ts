import { describe, expect, it } from 'vitest';
import { configurationText, withAgent, withConfig } from '../../../../support/shared/configuration-text.js';
import { decodedText } from '../../../../support/shared/decoded-configuration.js';

describe('the config of an agent on a socket', () => {
  it('may be anything, and errors of gateway-auth are warnings', () => {
    const { configuration, problems } = decodedText(
      withAgent('socket "/a"; config { rules "a" "b"; jwt-algorithm "none" }'),
    );
    expect(configuration?.agents[0]?.config).toEqual({ rules: ['a', 'b'], 'jwt-algorithm': 'none' });
    expect(problems.map(({ severity, message }) => `${severity}: ${message}`)).toEqual([
      'warning: unknown key "rules" in config; gateway-auth would refuse this',
      'warning: "jwt-algorithm" must be "HS256" or "RS256" or "RS384" or "RS512" or "PS256" or "PS384" or "PS512" or "ES256" or "ES384" or "ES512" or "EdDSA", not "none"; gateway-auth would refuse this',
    ]);
  });
});

describe('the config of another agent', () => {
  it.each(['socket "/a"', 'transport { grpc "127.0.0.1:1" }'])('is its own affair: %s', (reached) => {
    const { configuration, problems } = decodedText(withAgent(`${reached}; config { rules "a" "b"; mode "strict" }`));
    expect(configuration?.agents[0]?.config).toEqual({ rules: ['a', 'b'], mode: 'strict' });
    expect(problems).toEqual([]);
  });
});

describe('agents at one place', () => {
  const problemsOf = (first: string, second: string) =>
    decodedText(
      configurationText({ agents: `agents { agent "auth" { ${first} }; agent "other" { ${second} } }` }),
    ).problems.filter(({ message }) => message.includes(', but a different config'));

  it.each([
    ['socket "/a"; config { api-keys "k:a" }', 'socket "/a"; config { api-keys "k:b" }'],
    ['socket "/a"; config { api-keys "k:a" }', 'socket "/a"'],
    ['socket "/a"', 'transport { unix_socket { path "/a" } }; config { fail-open #false }'],
    ['socket "/a"', 'transport { grpc "unix:/a" }; config { fail-open #false }'],
  ])('cannot have different configs: %s, %s', (first, second) => {
    const [problem] = problemsOf(first, second);
    expect(problem).toMatchObject({ severity: 'error', position: { line: expect.any(Number) } });
    expect(problem?.message).toBe('agent "other" has the same socket as agent "auth", but a different config');
  });

  it.each([
    ['grpc "127.0.0.1:1"', 'grpc "127.0.0.1:1"'],
    ['grpc "localhost:1"', 'grpc "LOCALHOST:1"'],
    ['grpc "[::1]:1"', 'grpc { address "[0:0:0:0:0:0:0:1]:1"; tls { ca-cert-file "/ca.pem" } }'],
  ])('cannot have different configs behind gRPC: %s, %s', (first, second) => {
    const config = (key: string) => `config { api-keys "k:${key}" }`;
    const [problem] = problemsOf(`transport { ${first} }; ${config('a')}`, `transport { ${second} }; ${config('b')}`);
    expect(problem).toMatchObject({
      severity: 'error',
      suggestion: expect.stringContaining('another address for one of them'),
    });
    expect(problem?.message).toBe('agent "other" has the same address as agent "auth", but a different config');
  });

  it.each([
    ['socket "/a"', 'socket "/a"; timeout-ms 5'],
    ['transport { grpc "127.0.0.1:1" }', 'transport { grpc "127.0.0.1:2" }; config { api-keys "k:a" }'],
    [
      'socket "/a"; config { api-keys "k:a"; fail-open #false }',
      'socket "/a"; config { fail-open #false; api-keys "k:a" }',
    ],
    ['socket "/a"; config { api-keys "k:a" }', 'socket "/b"; config { api-keys "k:b" }'],
    ['transport "embedded"; config { api-keys "k:a" }', 'transport "embedded"; config { api-keys "k:b" }'],
  ])('may have one config, and other sockets others: %s, %s', (first, second) => {
    expect(problemsOf(first, second)).toEqual([]);
  });
});

describe('the options of an embedded agent', () => {
  it.each([
    'socket "/a"',
    'sockets "node"',
    'grpc-address "127.0.0.1:1"',
    'grpc-tls-cert-file "/c.pem"',
    'grpc-tls-key-file "/k.pem"',
    'grpc-client-ca-file "/ca.pem"',
    'grpc-insecure #true',
    'metrics-address "127.0.0.1:1"',
    'admin-address "127.0.0.1:1"',
    'admin-token "abc"',
    'health-interval-secs 5',
    'metrics-interval-secs 5',
  ])('cannot be %s', (option) => {
    const name = option.split(' ')[0];
    expect(decodedText(withConfig(option)).problems.map(({ message }) => message)).toContain(
      `"${name}" has no effect on an embedded agent`,
    );
  });

  it('cause a warning if fail-open has no effect', () => {
    const said = decodedText(withConfig('fail-open #true')).problems.map(
      ({ severity, message }) => `${severity} ${message}`,
    );
    expect(said[0]).toContain('warning "fail-open": it has no effect');
    expect(decodedText(withConfig('fail-open #true; api-keys "@/keys"')).problems).toEqual([]);
  });

  it('keep the number of an entry after a file', () => {
    const said = decodedText(withConfig('api-keys "@/keys" "hunter2"')).problems.map(({ message }) => message);
    expect(said[0]).toContain('entry 2 has no colon');
  });
});

describe('secrets', () => {
  it('never appear in messages', () => {
    const text = configurationText({
      agents: `agents { agent "auth" { transport "embedded"; config {
        api-keys "S3CRETnocolon" "S3CRET:a" "S3CRET:b" "S3CRET\\u{e9}:c"
        basic-auth-users "S3CRETnocolon" ":S3CRET" "u:S3CRET" "u:S3CRET2"
        jwt-secret "S3CRET"; jwt-secrets "S3CRET" } } }`,
      more: 'admin { token "S3CRET S3CRET" }',
    });
    const { problems } = decodedText(text);
    expect(problems.length).toBeGreaterThan(6);
    expect(JSON.stringify(problems)).not.toContain('S3CRET');
  });
});
