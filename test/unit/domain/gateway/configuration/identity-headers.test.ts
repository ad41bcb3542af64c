import { describe, expect, it } from 'vitest';
import { decodeGatewayConfiguration } from '../../../../../src/domain/configuration/whole/decode-gateway-configuration.js';
import { settingsOf } from '../../../../support/shared/configuration-settings.js';
import { configurationText } from '../../../../support/shared/configuration-text.js';

const decoded = (route: string, agents = 'agent "auth" { transport "embedded"; config { api-keys "key:alice" } }') => {
  const text = configurationText({
    agents: `agents { ${agents} }`,
    routes: `routes { route "r" { matches { path-prefix "/" }; ${route} } }`,
  });
  return decodeGatewayConfiguration(settingsOf(text), {
    patternFault: () => null,
    lines: () => null,
    root: null,
    isComplete: true,
  });
};
const problemsOf = (...given: Parameters<typeof decoded>): readonly string[] =>
  decoded(...given).problems.map(({ severity, message }) => `${severity}: ${message}`);

describe('forward-identity-headers', () => {
  it('is off by default', () => {
    const isForwarding = (policies: string) =>
      decoded(`upstream "echo"; policies { ${policies} }`).configuration?.routes[0]?.policies.forwardsIdentityHeaders;
    expect(isForwarding('')).toBe(false);
    expect(isForwarding('forward-identity-headers #false')).toBe(false);
    expect(isForwarding('forward-identity-headers #true')).toBe(true);
  });

  it('is refused on a route with agents and on a builtin one', () => {
    const forward = 'policies { forward-identity-headers #true }';
    expect(problemsOf(`upstream "echo"; agents "auth"; ${forward}`)).toEqual([
      'error: "forward-identity-headers" cannot be used on a route with agents: clients could forge an identity',
    ]);
    expect(problemsOf(`builtin-handler "health"; ${forward}`)).toEqual([
      'error: "forward-identity-headers" has no effect on a builtin route',
    ]);
    expect(problemsOf('upstream "echo"; agents "auth"; policies { forward-identity-headers #false }')).toEqual([]);
  });
});

describe('a rate limit by an identity header', () => {
  const limit = (name: string, more = '') =>
    `upstream "echo"; agents #null; policies { rate-limit { requests-per-second 1; key "header:${name}" }; ${more} }`;
  const warning =
    'warning: "rate-limit" counts by an identity header, which the gateway removes: all requests share one bucket';
  const agent = 'agent "auth" { transport "embedded"; config { api-keys "key:alice"; user-id-header "X-Who" } }';

  it('causes a warning on a route without agents', () => {
    expect(problemsOf(limit('X-User-Id'))).toEqual([warning]);
    expect(problemsOf(limit('x_who'), agent)).toEqual([warning]);
    expect(problemsOf(limit('x_who'))).toEqual([]);
  });

  it('is valid if agents set the header or clients may send it', () => {
    expect(problemsOf(limit('X-Who').replace('#null', '"auth"'), agent)).toEqual([]);
    expect(problemsOf(limit('X-Who', 'forward-identity-headers #true'), agent)).toEqual([]);
  });
});

describe('an API-key header that another agent sets', () => {
  const two = (first: string, second: string) =>
    problemsOf(
      'upstream "echo"; agents "a"',
      `agent "a" { transport "embedded"; config { api-keys "key:alice"; ${first} } }
       agent "b" { transport "embedded"; config { api-keys "key:bob"; ${second} } }`,
    );

  it('is refused: the gateway removes it from every request', () => {
    expect(two('api-key-header "X-Partner"', 'user-id-header "x_partner"')).toEqual([
      'error: "api-key-header" is an identity header of agent "b": the gateway removes it from every request',
    ]);
    expect(two('api-key-header "X-Partner"', 'user-id-header "X-Partners"')).toEqual([]);
  });

  it('is refused as token-header too', () => {
    const provider = 'oidc { enabled #true; issuer "https://id.example"; audience "api"; token-header "X-Partner" }';
    expect(two(provider, 'user-id-header "x_partner"')).toEqual([
      'error: "token-header" is an identity header of agent "b": the gateway removes it from every request',
    ]);
  });
});

describe('the room for claims in an answer', () => {
  const warnings = (config: string, limits = '') => {
    const text = configurationText({
      agents: `agents { agent "auth" { transport "embedded"; config { ${config} } } }`,
      more: limits,
    });
    const lines = { patternFault: () => null, lines: () => null, root: null, isComplete: true };
    return decodeGatewayConfiguration(settingsOf(text), lines)
      .problems.filter(({ message }) => message.includes('max-agent-response-bytes'))
      .map(({ severity, message, suggestion }) => `${severity}: ${message} (${suggestion})`);
  };
  const secret = `jwt-secret "${'s'.repeat(32)}"`;
  const warning = (total: number): string =>
    `warning: the identity headers of agent "auth" may have ${total} bytes: the gateway answers 503 if an answer exceeds "max-agent-response-bytes" (write limits { max-agent-response-bytes ${total + 2048} }, or lower max-claim-bytes)`;

  it('is enough by default, and causes a warning if not', () => {
    expect(warnings(secret)).toEqual([]);
    expect(warnings(`${secret}; max-claim-bytes 2049`)).toEqual([warning(8_196)]);
    expect(warnings(`${secret}; max-claim-bytes 16384`, 'limits { max-agent-response-bytes 67584 }')).toEqual([]);
    expect(warnings(secret, 'limits { max-agent-response-bytes 10239 }')).toEqual([warning(8_192)]);
  });

  it('is not checked without a method that has claims', () => {
    expect(warnings('api-keys "key:alice"; max-claim-bytes 16384')).toEqual([]);
  });
});
