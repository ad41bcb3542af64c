import { describe, expect, it } from 'vitest';
import { withUpstream } from '../../../../support/shared/configuration-text.js';
import { problemsOf, soundConfiguration } from '../../../../support/shared/decoded-configuration.js';

const upstreamOf = (body: string) => soundConfiguration(withUpstream(body)).upstreams[0];
const target = 'target "api.internal:443"';

describe('tls of an upstream', () => {
  it.each(['', 'tls #null', 'tls #false', 'tls { enabled #false }'])('is off with "%s"', (tls) => {
    expect(upstreamOf(`${target}; ${tls}`)?.tls).toBeNull();
  });

  it('verifies with the built-in authorities by default', () => {
    expect(upstreamOf(`${target}; tls`)?.tls).toEqual({
      serverName: null,
      caCertFile: null,
      certificate: null,
      minVersion: '1.2',
      verifies: true,
    });
  });

  it.each([
    'sni "a"; ca-cert "/ca"; client-cert "/c"; client-key "/k"; min-version "1.3"',
    'server-name "a"; ca-cert-file "/ca"; cert-file "/c"; key-file "/k"; min-version 1.3',
  ])('takes every key: %s', (keys) => {
    expect(upstreamOf(`${target}; tls { ${keys} }`)?.tls).toEqual({
      serverName: 'a',
      caCertFile: '/ca',
      certificate: { certFile: '/c', keyFile: '/k' },
      minVersion: '1.3',
      verifies: true,
    });
  });

  it('warns about insecure-skip-verify', () => {
    expect(problemsOf(withUpstream(`${target}; tls { insecure-skip-verify #true }`))).toEqual([
      expect.stringContaining('warning: insecure-skip-verify #true: upstream'),
    ]);
  });

  it.each([
    ['sni "a"; server-name "b"', '"sni" and "server-name" are two spellings of one key'],
    ['ca-cert "a"; ca-cert-file "b"', '"ca-cert" and "ca-cert-file" are two spellings of one key'],
    ['client-cert "/c"', '"client-key" is missing'],
    ['client-key "/k"', '"client-cert" is missing'],
    ['key-file "/k"', '"client-cert" is missing'],
    ['ca-cert "/ca"; insecure-skip-verify #true', '"ca-cert" has no effect with insecure-skip-verify #true'],
    ['sni "https://a"', '"sni" must be a host name or an IP address'],
    ['sni "[::1]"', 'write "::1"'],
    ['sni "a:443"', '"sni" must be a host name or an IP address'],
    ['min-version "1.1"', '"min-version" must be "1.2" or "1.3"'],
    ['verify #false', 'unknown key "verify" in tls'],
    ['client-key "-----BEGIN PRIVATE KEY-----"; client-cert "/c"', 'must be the path of a file, not its content'],
  ])('is refused with %s', (keys, message) => {
    const problems = problemsOf(withUpstream(`${target}; tls { ${keys} }`)).join('\n');
    expect(problems).toContain(message);
    expect(problems).toContain('error: ');
  });
});

describe('http-version "auto"', () => {
  it('needs tls', () => {
    expect(upstreamOf(`${target}; http-version "auto"; tls`)?.httpVersion).toBe('auto');
    for (const tls of ['', 'tls #null', 'tls { enabled #false }']) {
      expect(problemsOf(withUpstream(`${target}; http-version "auto"; ${tls}`)).join('\n')).toContain(
        'http-version "auto" needs TLS, whose handshake selects the version',
      );
    }
  });

  it('lets health checks select the version too', () => {
    const upstream = upstreamOf(`${target}; http-version "auto"; tls; health-check { type "http" { path "/up" } }`);
    expect(upstream?.healthCheck?.probe).toMatchObject({ kind: 'http_auto', path: '/up' });
  });
});

describe('a unix socket as target', () => {
  it.each(['unix:/run/app.sock', 'unix:///run/app.sock'])('is %s', (address) => {
    expect(upstreamOf(`target "${address}"`)?.targets[0]?.address).toEqual({ path: '/run/app.sock' });
  });

  it('may have a weight', () => {
    expect(upstreamOf('target "unix:/run/a.sock" weight=2; target "unix:/run/b.sock"')?.targets).toEqual([
      { address: { path: '/run/a.sock' }, weight: 2 },
      { address: { path: '/run/b.sock' }, weight: 1 },
    ]);
  });

  it.each([
    ['target "unix:run/app.sock"', 'must be an absolute path of a socket'],
    ['target "unix:/run/"', 'must be an absolute path of a socket'],
    ['target "unix:run/app.sock"', 'write "unix:/run/app.sock"'],
    ['target "unix:/run/app.sock:/"', 'write "unix:/run/app.sock"'],
    ['target "unix:/run/"', 'write "unix:/run/name.sock"'],
    ['target "/run/app.sock"', 'write "unix:/run/app.sock"'],
    ['target "http://unix:/run/app.sock:/api"', 'write "unix:/run/app.sock"'],
    [`target "unix:/${'a'.repeat(107)}"`, 'must have a path of at most 107 bytes'],
    ['target "unix:/a.sock" "unix:/a.sock"', 'has the target "unix:/a.sock" twice'],
    ['target "unix:/a.sock"; tls', 'TLS to the unix socket "unix:/a.sock" needs a name for its certificate'],
  ])('is refused: %s', (body, message) => {
    expect(problemsOf(withUpstream(body)).join('\n')).toContain(message);
  });

  it('takes tls with a name', () => {
    expect(upstreamOf('target "unix:/a.sock"; tls { sni "a.internal" }')?.tls?.serverName).toBe('a.internal');
  });
});

describe('host-header', () => {
  it.each([
    ['', { kind: 'preserve' }],
    ['host-header "preserve"', { kind: 'preserve' }],
    ['host-header "target"', { kind: 'target' }],
    ['host-header "api.example"', { kind: 'fixed', host: 'api.example' }],
    ['host-header "api.example:8443"', { kind: 'fixed', host: 'api.example:8443' }],
    ['host-header "[::1]"', { kind: 'fixed', host: '[::1]' }],
  ])('with "%s" is %o', (body, expected) => {
    expect(upstreamOf(`${target}; ${body}`)?.hostHeader).toEqual(expected);
  });

  it.each(['"a b"', '"a\\r\\nX: 1"', '"https://a"', '""', '#true', '"::1"', '"a/b"'])('is refused as %s', (value) => {
    expect(problemsOf(withUpstream(`${target}; host-header ${value}`)).join('\n')).toContain('"host-header" ');
  });

  it.each([
    ['https://a.example/x', 'write "a.example"'],
    ['$proxy_host', 'write "target"'],
    ['$host', 'write "preserve"'],
    ['$http_host', 'write "preserve"'],
  ])('suggests a value in place of %s', (value, suggestion) => {
    expect(problemsOf(withUpstream(`${target}; host-header "${value}"`)).join('\n')).toContain(suggestion);
  });
});
