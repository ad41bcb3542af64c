import { describe, expect, it } from 'vitest';
import { policiesShape } from '../../../../../src/domain/gateway/configuration/policies-schema.js';
import type { HeaderRules } from '../../../../../src/domain/gateway/route-transforms/header-rules.js';
import { configurationText } from '../../../../support/shared/configuration-text.js';
import {
  decodedText,
  expectRefusedConfiguration,
  problemsOf,
  soundConfiguration,
} from '../../../../support/shared/decoded-configuration.js';

const route = (name: string, content: string): string =>
  `route "${name}" { matches { path-prefix "/${name}" }; ${content} }`;
const upstreamRoute = (name: string, policies: string): string =>
  route(name, `upstream "echo"; agents #null; policies { ${policies} }`);

const text = (defaults: string, ...routes: readonly string[]): string =>
  configurationText({
    agents: '',
    routes: `routes { ${routes.join('; ')} }`,
    more: `defaults { policies { ${defaults} } }`,
  });
const policiesOf = (defaults: string, own: string) => {
  const [found] = soundConfiguration(text(defaults, upstreamRoute('r', own))).routes;
  if (found === undefined) throw new Error('no route');
  return found.policies;
};
const shown = (rules: HeaderRules | null) =>
  rules && {
    remove: rules.remove,
    set: rules.set.map(({ name, value }) => `${name}: ${value.parts.join('')}`),
    add: rules.add.map(({ name, value }) => `${name}: ${value.parts.join('')}`),
  };

describe('defaults', () => {
  it('hold for a route that has no such key', () => {
    const defaults =
      'max-body-size 10; timeouts { request-secs 5; read-secs 6 }; buffer-requests #true; rate-limit { requests-per-second 2 }';
    for (const own of ['', 'buffer-responses #true']) {
      expect(policiesOf(defaults, own)).toMatchObject({
        maxBodySize: 10,
        requestTimeoutMs: 5_000,
        readTimeoutMs: 6_000,
        bufferRequests: true,
        rateLimit: { limit: { requestsPerSecond: 2 } },
      });
    }
  });

  it('hold for a route without a block of policies', () => {
    const configuration = soundConfiguration(text('max-body-size 10', route('r', 'upstream "echo"; agents #null')));
    expect(configuration.routes[0]?.policies.maxBodySize).toBe(10);
  });

  it('give way to the whole value of a route', () => {
    expect(
      policiesOf(
        'max-body-size 10; rate-limit { requests-per-second 2; burst 9 }',
        'max-body-size 20; rate-limit { requests-per-second 3 }',
      ),
    ).toMatchObject({
      maxBodySize: 20,
      rateLimit: { limit: { requestsPerSecond: 3, burst: 30 } },
    });
    expect(policiesOf('timeouts { request-secs 5; read-secs 6 }', 'timeouts { read-secs 7 }')).toMatchObject({
      requestTimeoutMs: null,
      readTimeoutMs: 7_000,
    });
  });

  it('set a request timeout by either of its keys', () => {
    expect(policiesOf('timeouts { request-secs 5; read-secs 6 }', 'timeout-secs 7')).toMatchObject({
      requestTimeoutMs: 7_000,
      readTimeoutMs: 6_000,
    });
    expect(policiesOf('timeout-secs 5', 'timeouts { request-secs 7 }').requestTimeoutMs).toBe(7_000);
    expect(policiesOf('timeout-secs 5', 'timeouts { read-secs 7 }')).toMatchObject({
      requestTimeoutMs: 5_000,
      readTimeoutMs: 7_000,
    });
    expect(policiesOf('timeouts { request-secs 5 }', 'timeout-secs #null').requestTimeoutMs).toBeNull();
  });

  it.each([
    'max-body-size',
    'timeout-secs',
    'timeouts',
    'buffer-requests',
    'buffer-responses',
    'rate-limit',
    'request-headers',
    'response-headers',
    'forward-identity-headers',
  ])('are taken away by %s #null, which means nothing without a default', (key) => {
    const plain = policiesOf('', '');
    expect(policiesOf('', `${key} #null`)).toEqual(plain);
    const defaults = `max-body-size 10; timeouts { request-secs 5 }; buffer-requests #${key === 'buffer-requests'}; buffer-responses #true; rate-limit { requests-per-second 2 }; request-headers { remove "A" }; response-headers { remove "A" }`;
    const policies = policiesOf(defaults, `${key} #null`);
    const taken: Record<string, unknown> = {
      'max-body-size': policies.maxBodySize,
      'timeout-secs': policies.requestTimeoutMs,
      timeouts: policies.requestTimeoutMs,
      'rate-limit': policies.rateLimit,
      'request-headers': policies.requestHeaders,
      'response-headers': policies.responseHeaders,
    };
    expect(taken[key] ?? null).toBeNull();
    if (key === 'buffer-requests') expect(policies.bufferRequests).toBe(false);
    if (key === 'buffer-responses') expect(policies.bufferResponses).toBe(false);
  });

  it('merge header rules by header name', () => {
    const defaults =
      'request-headers { remove "X-Gone" "X-Other"; set { "X-A" "default"; "X-B" "default"; "X-C" "default"; "X-D" "default" }; add { "Via" "default"; "X-C" "more" } }';
    const own =
      'request-headers { remove "X-A"; set { "x_b" "own"; "X-D" #null; "X-Gone" "own" }; add { "Via" "own" } }';
    expect(shown(policiesOf(defaults, own).requestHeaders)).toEqual({
      remove: ['X-Other', 'X-A'],
      set: ['X-C: default', 'x_b: own', 'X-Gone: own'],
      add: ['X-C: more', 'Via: own'],
    });
  });

  it.each([
    'compress { enabled #false }',
    'cors { enabled #false; allow-origins "https://b.test" }',
    'error-pages { enabled #false; template-file "/b.html" }',
  ])('are taken away by %s', (off) => {
    const defaults = 'compress #true; cors { allow-origins "https://a.test" }; error-pages { template-file "/a.html" }';
    const key = off.startsWith('compress') ? 'compression' : off.startsWith('cors') ? 'cors' : 'errorPageFile';
    expect(policiesOf(defaults, off)[key]).toBeNull();
    expect(policiesOf(off, '')[key]).toBeNull();
  });

  it('lose all header rules to enabled #false', () => {
    expect(
      policiesOf('request-headers { remove "A" }', 'request-headers { enabled #false }').requestHeaders,
    ).toBeNull();
  });

  it('leave the rules of a route in force where they are turned off themselves', () => {
    const off = 'request-headers { enabled #false; remove "A" }';
    expect(policiesOf(off, 'request-headers { remove "B" }').requestHeaders?.remove).toEqual(['B']);
    expect(policiesOf(off, 'request-headers { enabled #true; remove "B" }').requestHeaders?.remove).toEqual(['A', 'B']);
  });

  it('are for requests without a route too', () => {
    const { unrouted } = soundConfiguration(text('response-headers { remove "Server" }', upstreamRoute('r', '')));
    expect(unrouted.responseHeaders?.remove).toEqual(['Server']);
  });

  it('give builtin routes header rules only', () => {
    const defaults =
      'max-body-size 10; timeout-secs 5; buffer-requests #true; rate-limit { requests-per-second 2 }; request-headers { remove "A" }; response-headers { remove "B" }';
    const configuration = soundConfiguration(text(defaults, route('r', 'builtin-handler "health"')));
    expect(configuration.routes[0]?.policies).toMatchObject({
      maxBodySize: null,
      requestTimeoutMs: null,
      bufferRequests: false,
      rateLimit: null,
      requestHeaders: { remove: ['A'] },
      responseHeaders: { remove: ['B'] },
    });
  });

  it.each([
    ['max-body-size "x"', '"max-body-size" must be a size'],
    ['request-headers { remove "Host" }', '"remove" cannot change Host'],
    ['request-headers { set { "X-A" "{nope}" } }', '"{nope}" is not a placeholder'],
    ['rate-limit "nope"', 'defaults refers to a rate-limit "nope" that is not defined'],
    ['rate-limit { requests-per-second 1; key "user" }', 'counts by user'],
    ['nope 1', 'unknown key "nope" in policies'],
    ['forward-identity-headers #true', '"forward-identity-headers" is not valid in defaults'],
    ['forward-identity-headers #false', '"forward-identity-headers" is not valid in defaults'],
    [
      'timeout-secs 1; timeouts { request-secs 2 }',
      '"timeout-secs" and "request-secs" of "timeouts" exclude each other',
    ],
  ])('report the error in %s once, at its own position', (defaults, message) => {
    const configuration = text(
      defaults,
      upstreamRoute('a', ''),
      upstreamRoute('b', 'buffer-requests #true'),
      route('c', 'builtin-handler "health"'),
    );
    const { problems } = decodedText(configuration);
    const found = problems.filter((problem) => problem.message.includes(message));
    expect(found).toHaveLength(1);
    const offset = configuration.indexOf('defaults {');
    expect(found[0]?.position?.line).toBe(configuration.slice(0, offset).split('\n').length);
    expect(problems.filter(({ severity }) => severity === 'error')).toHaveLength(1);
  });

  it('report an error of a route at the route', () => {
    const configuration = text(
      'max-body-size 10',
      upstreamRoute('a', 'max-body-size "x"'),
      upstreamRoute('b', 'max-body-size "x"'),
    );
    expect(problemsOf(configuration).filter((problem) => problem.includes('must be a size'))).toHaveLength(2);
  });

  it('count toward the number of rules of a route', () => {
    const names = (count: number, prefix: string) =>
      Array.from({ length: count }, (_, index) => `"X-${prefix}${index}"`).join(' ');
    expectRefusedConfiguration(
      text(
        `request-headers { remove ${names(40, 'a')} }`,
        upstreamRoute('r', `request-headers { remove ${names(30, 'b')} }`),
      ),
      '"request-headers" has 70 rules, with those of defaults: at most 64',
    );
  });

  it('are one block', () => {
    const twice = configurationText({ agents: '', more: 'defaults { }; defaults { }' });
    expectRefusedConfiguration(twice, '"defaults" is given twice');
  });

  it.each(Object.keys(policiesShape))('can be taken away by %s #null on every kind of route', (key) => {
    const taken = `${key} #null`;
    const routes = [
      upstreamRoute('a', taken),
      route('b', `builtin-handler "health"; policies { ${taken} }`),
      route('c', 'builtin-handler "health"'),
      route('d', `redirect { to "https://a.example/" }; policies { ${taken} }`),
      route('e', `respond { body "ok" }; policies { ${taken} }`),
    ];
    for (const defaults of ['', 'max-body-size 10', taken]) {
      expect(problemsOf(text(defaults, ...routes))).toEqual([]);
    }
  });

  it('keep keys that need an upstream from builtin routes, and give them CORS and error pages', () => {
    const configuration = soundConfiguration(
      text(
        'compress; cors { allow-origins "https://a.example" }; error-pages { template-file "/e.html" }; buffer-responses #true',
        route('r', 'builtin-handler "health"'),
      ),
    );
    expect(configuration.routes[0]?.policies).toMatchObject({
      compression: null,
      bufferResponses: false,
      cors: { allowOrigins: ['https://a.example'] },
      errorPageFile: '/e.html',
    });
    expect(configuration.unrouted).toMatchObject({
      cors: { allowOrigins: ['https://a.example'] },
      errorPageFile: '/e.html',
    });
  });

  it.each([
    ['builtin-handler "health"', null, null, ['A']],
    ['redirect { to "https://a.example/" }', 10, 2, null],
    ['respond { body "ok" }', 10, 2, null],
  ] as const)('bring no error and no key without meaning to a route with %s', (destination, size, rate, removed) => {
    const defaults = `max-body-size 10; timeouts { request-secs 5; read-secs 6 }; buffer-requests #true
      buffer-responses #true; rate-limit { requests-per-second 2 }; compress; rewrite { add-prefix "/v1" }
      allow-encoded-slash #true; merge-slashes #false; cors { allow-origins "https://a.example" }
      error-pages { template-file "/e.html" }; request-headers { remove "A" }; response-headers { remove "B" }`;
    const [found] = soundConfiguration(text(defaults, route('r', destination))).routes;
    const [without] = soundConfiguration(text('', route('r', destination))).routes;
    expect(found?.policies).toEqual({
      ...without?.policies,
      path: { ...without?.policies.path, allowEncodedSlash: size !== null },
      maxBodySize: size,
      rateLimit: rate === null ? null : expect.objectContaining({ limit: { requestsPerSecond: rate, burst: 20 } }),
      cors: expect.anything(),
      errorPageFile: '/e.html',
      requestHeaders: removed === null ? null : expect.objectContaining({ remove: removed }),
      responseHeaders: expect.objectContaining({ remove: ['B'] }),
    });
  });

  it('do not excuse request-header rules of a route that forwards nothing', () => {
    for (const destination of ['redirect { to "https://a.example/" }', 'respond { body "ok" }']) {
      const own = route('r', `${destination}; policies { request-headers { remove "A" } }`);
      expect(problemsOf(text('', own))).toEqual([
        expect.stringMatching(/^error: "request-headers" has no effect on a route with (redirect|respond)/),
      ]);
    }
  });
});
