import { describe, expect, it } from 'vitest';
import { configurationText, withListener, withRoute } from '../../../../support/shared/configuration-text.js';
import {
  decodedText,
  expectRefusedConfiguration,
  problemsOf,
} from '../../../../support/shared/decoded-configuration.js';

const route = 'matches { path "/" }; upstream "echo"';

describe('an unknown key', () => {
  it.each([
    ['a policy in a route', withRoute(`${route}; cors { allow-origins "*" }`), '(write policies { cors ... })'],
    [
      'a policy in a route, with _',
      withRoute(`${route}; merge_slashes #false`),
      '(write policies { merge-slashes ... })',
    ],
    ['a match in a route', withRoute('host "a.example"; upstream "echo"'), '(write matches { host ... })'],
    [
      'a key two blocks further in',
      withRoute(`${route}; strip-prefix "/a"`),
      '(write policies { rewrite { strip-prefix ... } })',
    ],
    [
      'a policy in defaults',
      configurationText({ more: 'defaults { compress #true }' }),
      '(write policies { compress ... })',
    ],
    [
      'a directive of nginx',
      withRoute(`${route}; proxy_pass "http://a"`),
      '(write upstream "name", and that upstream with its target)',
    ],
    [
      'a directive of nginx in a listener',
      withListener('listen 80; address "127.0.0.1:80"'),
      '(write address "127.0.0.1:8080")',
    ],
    [
      'a key of Traefik',
      withRoute(`${route}; middlewares "a"`),
      '(write policies in the route, or defaults { policies } for all routes)',
    ],
    [
      'a key of Traefik in capitals',
      configurationText({ more: 'entryPoints { }' }),
      '(write listeners { listener "name" { address "0.0.0.0:80" } })',
    ],
    [
      'a label of Traefik',
      configurationText({ more: '"traefik.http.routers.a.rule" "x"' }),
      '(labels are not read: write listeners, routes and upstreams)',
    ],
    [
      'a key of oauth2-proxy',
      configurationText({ more: 'redirect_url "https://portal.example.com/oauth2/callback"' }),
      '(write public-url "https://portal.example.com" in oidc-login; callback-path has the path)',
    ],
    ['YAML', configurationText({ more: '"routers:"' }), '(this is KDL, not YAML: write name { ... } or name "value")'],
  ])('%s: the error says what to write', (_case, text, hint) => {
    expectRefusedConfiguration(text, hint);
  });

  it('has no hint to a block if several have the key', () => {
    const [problem = ''] = problemsOf(configurationText({ more: 'agents { agent "b" { enabled #true } }' })).filter(
      (one) => one.includes('"enabled"'),
    );
    expect(problem).not.toContain('(write ');
  });

  it('is not compared with a word of one other letter', () => {
    expectRefusedConfiguration(withRoute('matches { path "/" }; upstream "x"'), 'upstream "x" that is not defined');
    const text = configurationText({
      upstreams: 'upstreams { upstream "u" { target "a:1" } }',
      routes: 'routes { route "r" { matches { path "/" }; upstream "w"; agents #null } }',
    });
    expect(problemsOf(text).join()).not.toContain('did you mean "u"');
  });
});

describe('a number in quotes or with a unit', () => {
  it.each(['"30s"', '"30"', '"1.5 h"'])('%s: the error says to write the number alone', (value) => {
    expectRefusedConfiguration(
      withRoute(`${route}; policies { timeout-secs ${value} }`),
      '(write the number alone, without quotes and without a unit)',
    );
  });
});

describe('a regular expression', () => {
  it.each([
    ['^/(?!admin)', '(RE2 has no look-around: write a second route with a higher priority for the exception)'],
    ['^/(a)\\\\1', '(RE2 has no back-references: write the alternatives side by side, as in (aa|bb))'],
    ['(', '(see https://github.com/google/re2/wiki/Syntax)'],
  ])('that is not valid, %s: the error says what to do', (pattern, remedy) => {
    expectRefusedConfiguration(withRoute(`matches { path-regex "${pattern}" }; upstream "echo"`), remedy);
  });

  it.each(['^/a\\sb', '\\badmin'])('with an escape of the string, %s, is warned of', (pattern) => {
    const { configuration, problems } = decodedText(withRoute(`matches { path-regex "${pattern}" }; upstream "echo"`));
    expect(configuration).not.toBeNull();
    expect(problems).toMatchObject([
      { severity: 'warning', message: '"path-regex" contains a space or a control character, which no path has' },
    ]);
  });
});

describe('a variable of nginx in a header', () => {
  it.each([
    ['$remote_addr', 'write {client_ip} for $remote_addr'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the notation of nginx.
    ['https://${host}/', 'write {host} for $host'],
    ['$scheme://$host', 'write {scheme} for $scheme'],
  ])('%s is warned of', (value, suggestion) => {
    const { configuration, problems } = decodedText(
      withRoute(`${route}; policies { request-headers { set { "X-A" "${value}" } } }`),
    );
    expect(configuration).not.toBeNull();
    expect(problems).toMatchObject([
      { severity: 'warning', message: '"set" of X-A contains a variable, but text is literal', suggestion },
    ]);
  });

  it.each(['$5', 'cost: $hostile', '$remote_addresses', '{client_ip}'])('does not stand in %s', (value) => {
    expect(problemsOf(withRoute(`${route}; policies { request-headers { set { "X-A" "${value}" } } }`))).toEqual([]);
  });
});

describe('a header match with its value in one string', () => {
  it.each(['X-A=1', 'X-A: 1'])('%s: the error says to write two strings, without the value', (value) => {
    const text = withRoute(`matches { path "/"; header "${value}" }; upstream "echo"`);
    expectRefusedConfiguration(text, '"header" must be a header name alone, as in "X-A" (write header "X-A" "value")');
  });
});
