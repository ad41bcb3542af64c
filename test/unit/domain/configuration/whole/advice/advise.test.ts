import { describe, expect, it } from 'vitest';
import { adviceKinds } from '../../../../../../src/domain/configuration/advice-kinds.js';
import { decodeGatewayConfiguration } from '../../../../../../src/domain/configuration/whole/decode-gateway-configuration.js';
import { settingsOf } from '../../../../../support/shared/configuration-settings.js';

const file = (parts: {
  listener?: string;
  match?: string;
  upstream?: string;
  limits?: string;
  admin?: string;
  agent?: string;
  config?: string;
}): string => `
listeners { listener "http" { address "127.0.0.1:8080"; ${parts.listener ?? ''} } }
routes { route "all" { matches { path-prefix "/"; ${parts.match ?? ''} }; upstream "u"; agents "auth" } }
upstreams { upstream "u" { target "127.0.0.1:8081"; ${parts.upstream ?? ''} } }
limits { ${parts.limits ?? ''} }
${parts.admin === undefined ? '' : `admin { ${parts.admin} }`}
agents { agent "auth" { ${parts.agent ?? 'socket "/run/auth.sock"'}; events "request_headers" "request_body_chunk"; config { ${parts.config ?? ''} } } }
`;

const advised = (text: string) => {
  const { configuration, problems, advise } = decodeGatewayConfiguration(settingsOf(text), {
    patternFault: () => null,
    lines: () => null,
    root: null,
    isComplete: true,
  });
  return { isSound: configuration !== null, warned: problems, advice: advise() };
};

const ids = (text: string): readonly string[] => advised(text).advice.map(({ id, message }) => id ?? message);

/** Named warnings of every load. */
const warnedIds = (text: string): readonly string[] => advised(text).warned.flatMap(({ id }) => id ?? []);

const saml = (more: string): string =>
  `saml { enabled #true; entity-id "https://sp.example"; acs-url "https://sp.example/saml/acs"; idp-sso-url "https://idp.example/sso"; idp-entity-id "idp"; idp-cert-file "/idp.pem"; ${more} }`;

describe('advice has a stable name', () => {
  it.each([
    ['admin-without-token', file({ admin: 'address "0.0.0.0:9090"; insecure-no-token #true' })],
    ['plain-secret', file({ admin: 'token "0123456789"' })],
    ['plain-secret', file({ config: 'api-keys "key:me"' })],
    ['plain-secret', file({ config: 'api-keys "sha256:aa:me,key:you"' })],
    ['plain-secret', file({ config: 'basic-auth-users "me:password"' })],
    ['plain-secret', file({ config: saml('session-store "redis"; session-store-url "rediss://u:pw@r.example"') })],
    ['plain-secret', file({ config: `${saml('')}; sessions { store "redis"; url "rediss://u:pw@r.example" }` })],
    ['everybody-is-trusted', file({ listener: 'trusted-proxies "0.0.0.0/0"' })],
    ['everybody-is-trusted', file({ listener: 'trusted-proxies "::/0"' })],
    ['slow-bodies-are-awaited', file({ listener: 'timeouts { min-body-rate 0 }' })],
    ['agent-in-the-clear', file({ agent: 'transport { grpc { address "agent.example:50051"; insecure #true } }' })],
    ['agent-admin-in-the-clear', file({ agent: 'socket "/s"; admin { address "10.0.0.1:1"; token "abc" }' })],
    ['authentication-fails-open', file({ config: 'fail-open #true' })],
    ['credentials-go-to-upstreams', file({ config: 'forward-credentials #true' })],
    ['sign-on-may-time-out', file({ config: saml('') })],
    ['sign-on-may-time-out', file({ agent: 'socket "/s"; timeout-ms 1999', config: saml('') })],
    [
      'long-tokens-are-refused',
      file({ config: 'jwt-public-key "/jwt.pem"; jwt-algorithm "RS256"; jwt-audience "api"' }),
    ],
    [
      'long-tokens-are-refused',
      file({
        config: 'oidc { enabled #true; issuer "https://i.example"; jwks-url "https://i.example/k"; audience "api" }',
        limits: 'max-header-value-bytes 16383',
      }),
    ],
    ['token-audience-unchecked', file({ config: 'jwt-public-key "/jwt.pem"; jwt-algorithm "RS256"' })],
    [
      'authorization-allows-by-default',
      file({ config: 'authz { enabled #true; policy-file "/p.cedar"; default-decision "allow" }' }),
    ],
    [
      'failing-policies-are-skipped',
      file({ config: 'authz { enabled #true; policy-file "/p.cedar"; on-error "skip" }' }),
    ],
    ['everybody-is-trusted', file({ listener: 'trusted-proxies "4.0.0.0/7"' })],
    ['everybody-is-trusted', file({ listener: 'trusted-proxies "2002::/15"' })],
    ['everybody-is-trusted', file({ listener: 'trusted-proxies "12.0.0.0/8" "14.0.0.0/8"' })],
    ['everybody-is-trusted', file({ listener: 'trusted-proxies "::ffff:0:0/96"' })],
    ['plain-secret', file({ config: 'own-dsn "postgres://u:pw@h/d"' })],
    ['plain-secret', file({ config: 'deep { webhook "https://h.example/x" }' })],
    ['plain-secret', file({ config: 'callback "https://h.example/x?token=abc"' })],
    ['plain-secret', file({ config: 'anything "Bearer abc"' })],
    ['plain-secret', file({ config: 'door { pin 1234 }' })],
    ['plain-secret', file({ config: 'max-token "abc"; cookie "abc"' })],
    ['plain-secret', file({ match: 'header "Authorization" "Bearer abc"' })],
    ['plain-secret', file({ match: 'header "X-API-Key" "abc"' })],
    [
      'rate-limits-fail-open',
      file({
        limits:
          'rate-limit-store "redis"; rate-limit-store-url "rediss://r.example"; on-store-failure "allow"; max-requests-per-second-global 5',
      }),
    ],
    ['pattern-taken-literally', file({ match: 'path "/users/:id"' })],
    ['pattern-taken-literally', file({ match: 'path-prefix "/a/*/b"' })],
    ['pattern-taken-literally', file({ match: 'path-regex "/api/*"' })],
    ['pattern-taken-literally', file({ match: 'header "X-Tenant" "*"' })],
    ['pattern-taken-literally', file({ match: 'query-param "q" ".*"' })],
    ['pattern-taken-literally', file({ match: 'method "ANY"' })],
    ['port-of-another-protocol', file({ upstream: 'target "api.example:443"' })],
    ['port-of-another-protocol', file({ upstream: 'target "api.example:443"; tls { enabled #false }' })],
    ['port-of-another-protocol', file({ upstream: 'target "api.example:80"; tls' })],
    ['bodies-of-any-size', file({ limits: 'max-body-size-bytes "2GB"' })],
    [
      'client-certificate-optional',
      file({
        listener:
          'protocol "https"; tls { cert-file "/c.pem"; key-file "/k.pem"; client-auth "request"; ca-cert-file "/ca.pem"; forward-client-cert-header "X-Client-Cert" }',
        config: 'mtls { enabled #true; ca-cert-path "/ca.pem" }',
      }),
    ],
    ['cors-of-untrusted-origins', `${file({})}defaults { policies { cors { allow-origins "https://*.com" } } }`],
  ])('%s', (id, text) => {
    const { isSound, advice } = advised(text);
    expect(isSound).toBe(true);
    expect(ids(text)).toContain(id);
    for (const { severity, position, suggestion } of advice) {
      expect([severity, position === null, suggestion === null]).toEqual(['warning', false, false]);
    }
  });

  it('covers all kinds except those about files', () => {
    const told = new Set(Object.keys(adviceKinds));
    for (const id of ['secrets-readable-by-others', 'deprecated-form']) told.delete(id);
    // Every load reports the first two; redirect-advice.test.ts covers the others.
    for (const id of ['route-without-agents', 'upstream-not-verified', 'redirect-loop', 'http-beside-redirect'])
      told.delete(id);
    // The table above covers each kind, so no kind is untested.
    expect(told.size).toBe(29);
  });
});

describe('a safe configuration has no advice', () => {
  it.each([
    file({}),
    file({ admin: 'address "127.0.0.1:9090"; insecure-no-token #true' }),
    file({
      listener: 'trusted-proxies "10.0.0.0/8" "172.16.0.0/12" "127.0.0.0/8" "100.64.0.0/10" "fc00::/7" "13.0.0.0/8"',
    }),
    file({ listener: 'trusted-proxies "12.0.0.0/8" "12.0.0.0/9" "12.0.0.0/8"' }),
    file({ match: 'header "X-Tenant" "a"' }),
    file({ upstream: 'tls { client-cert "/me.pem"; client-key "/me.key" }' }),
    file({ upstream: 'target "api.example:443"; tls' }),
    file({ upstream: 'target "api.example:80" "api.example:8443" "unix:/run/app.sock"' }),
    file({ upstream: 'tls { cert-file "/me.pem"; key-file "/me.key" }' }),
    file({ match: 'path "/wiki/Foo_(bar)" "/odata/$metadata" "/v1/x:cancel"; path-regex "^/api/"' }),
    file({ match: 'header "If-None-Match" "*"' }),
    file({ match: 'header "Accept" "*/*"' }),
    file({ match: 'header "Authorization"' }),
    file({ match: 'header "X-Token-Type" "jwt"' }),
    file({ config: 'token-ttl-secs 300' }),
    file({ config: 'max-tokens 10' }),
    file({ config: 'tokens-per-second 5' }),
    file({ config: 'salt-rounds 12' }),
    file({ config: 'cookie-name "sid"' }),
    file({ config: 'authorization-mode "strict"' }),
    file({ config: 'jwt { ttl-secs 300 }' }),
    file({ config: `api-keys "sha256:${'a'.repeat(64)}:me" "@/keys"` }),
    file({ config: 'basic-auth-users "me:$argon2id$v=19$m=65536,t=3,p=4$c2FsdHNhbHRzYWx0$aGFzaGhhc2hoYXNoaGFzaA"' }),
    file({
      config: 'jwt-public-key "/jwt.pem"; jwt-algorithm "RS256"; jwt-audience "api"',
      limits: 'max-header-value-bytes 16384',
    }),
    file({ agent: 'socket "/s"; timeout-ms 2000', config: saml('') }),
    file({ config: saml('').replace('enabled #true', 'enabled #false') }),
    file({ agent: 'transport { grpc { address "127.0.0.1:50051"; insecure #true } }' }),
    file({ limits: 'max-body-size-bytes "1GB"' }),
  ])('%s', (text) => {
    expect(ids(text)).toEqual([]);
  });

  it('nor warnings of every load', () => {
    const text = file({
      agent: 'socket "/s"; failure-mode "open"',
      config: 'oidc { enabled #true; issuer "https://i.example"; audience "a"; jwks-url "http://i.example/keys" }',
      limits: 'max-header-value-bytes 17408; max-header-size-bytes 32768',
    });
    const { warned, advice } = advised(text);
    expect(warned.map(({ message }) => message).join()).toMatch(/without a decision[\s\S]*not https/);
    expect(advice).toEqual([]);
    expect(warnedIds(text)).toEqual(['agent-fails-open', 'fetched-in-the-clear']);
  });

  it.each([
    ['session-cookie-in-the-clear', file({ config: saml('cookie-secure #false') })],
    ['session-cookie-for-scripts', file({ config: saml('cookie-http-only #false') })],
    ['session-cookie-for-every-host', file({ config: `${saml('')}; sessions { cookie-domain "sp.example" }` })],
    [
      'unverified-email-is-trusted',
      file({
        agent: 'socket "/s"; timeout-ms 6000',
        config:
          'oidc-login "corp" { issuer "https://i.example"; client-id "portal"; public-url "https://p.example"; user-id-claim "email"; trust-unverified-email #true }',
      }),
    ],
    ['sign-on-is-not-bound', file({ config: saml('browser-binding #false') })],
    ['sign-on-unasked-for', file({ config: saml('allow-idp-initiated #true') })],
    ['agent-fails-open', file({ agent: 'socket "/s"; failure-mode "open"' })],
    ['fetched-in-the-clear', file({ config: saml('idp-slo-url "http://idp.example/slo"') })],
    ['fetched-in-the-clear', `${file({})}tracing { endpoint "http://c.example/v1/traces" }`],
    ['store-in-the-clear', file({ config: saml('session-store "redis"; session-store-url "redis://u:pw@r.example"') })],
    ['authorization-is-off', file({ config: 'authz { enabled #false }' })],
  ])('%s: once, by the load', (id, text) => {
    expect(warnedIds(text)).toEqual([id]);
    expect(ids(text)).not.toContain(id);
  });

  it('and never a secret', () => {
    const text = file({
      admin: 'token "tok-5ecret"',
      config: 'api-keys "5ecret:me"; jwt-secret "5ecret-5ecret-5ecret-5ecret-5ecret-x"',
    });
    expect(advised(text).advice.length).toBeGreaterThan(2);
    expect(JSON.stringify(advised(text).advice)).not.toContain('5ecret');
  });
});
