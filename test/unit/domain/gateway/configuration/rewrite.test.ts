import { describe, expect, it } from 'vitest';
import { KdlConfigurationSource } from '../../../../../src/adapters/outbound/kdl-configuration/kdl-configuration-source.js';
import { re2PathPatterns } from '../../../../../src/adapters/outbound/re2-path-patterns/re2-path-patterns.js';

const load = (route: string, more = '') =>
  new KdlConfigurationSource('gateway.kdl', {
    environment: { HIDDEN: 'nothing to see' },
    patterns: re2PathPatterns,
    texts: new Map([
      [
        'gateway.kdl',
        `listeners { listener "l" { address "127.0.0.1:8080" } }
routes { route "r" { matches { path-prefix "/api" }; agents #null; ${route} } }
upstreams { upstream "u" { target "127.0.0.1:3000" } }
${more}`,
      ],
    ]),
  }).load();

const problemsOf = async (policies: string): Promise<readonly string[]> => {
  const { problems } = await load(`upstream "u"; policies { ${policies} }`);
  return problems.map(({ message, suggestion }) => `${message} (${suggestion ?? ''})`);
};
const policyOf = async (policies: string, more = '') => {
  const { configuration, problems } = await load(`upstream "u"; policies { ${policies} }`, more);
  expect(problems).toEqual([]);
  return configuration?.routes[0]?.policies.path;
};

const plain = { rewrite: null, turnsBack: true, allowEncodedSlash: false, mergeSlashes: true };

describe('rewrite, allow-encoded-slash and merge-slashes', () => {
  it.each([
    ['', {}],
    ['rewrite { strip-prefix "/api" }', { rewrite: { kind: 'prefix', strip: '/api', add: null } }],
    ['rewrite { add-prefix "/v1" }', { rewrite: { kind: 'prefix', strip: null, add: '/v1' } }],
    [
      'rewrite { strip-prefix "/api/"; add-prefix "/v1/"; location #false }',
      { rewrite: { kind: 'prefix', strip: '/api/', add: '/v1/' }, turnsBack: false },
    ],
    [
      'rewrite { regex "^/old/(.*)$" "/new/$1" }',
      { rewrite: { kind: 'regex', pattern: '^/old/(.*)$', replacement: '/new/$1' } },
    ],
    ['rewrite { path "/index.html" }', { rewrite: { kind: 'path', path: '/index.html' } }],
    [
      'allow-encoded-slash #true; rewrite { regex "^/(a)/" "/x%2fy/..$1" }',
      { rewrite: { kind: 'regex', pattern: '^/(a)/', replacement: '/x%2fy/..$1' }, allowEncodedSlash: true },
    ],
    ['rewrite { path "/" }', { rewrite: { kind: 'path', path: '/' } }],
    ['rewrite { location #false }', { turnsBack: false }],
    ['rewrite { strip-prefix "/api"; enabled #false; location #false }', {}],
    ['rewrite #null', {}],
    [
      'rewrite { strip-prefix "/api"; regex #null; path #null; add-prefix #null }',
      { rewrite: { kind: 'prefix', strip: '/api', add: null } },
    ],
    ['allow-encoded-slash #true; merge-slashes #false', { allowEncodedSlash: true, mergeSlashes: false }],
    [
      'allow-encoded-slash #true; rewrite { add-prefix "/a%2Fb" }',
      { rewrite: { kind: 'prefix', strip: null, add: '/a%2Fb' }, allowEncodedSlash: true },
    ],
  ])('reads %s', async (policies, expected) => {
    expect(await policyOf(policies)).toEqual({ ...plain, ...expected });
  });

  it('are taken from defaults, and taken away with #null', async () => {
    const defaults = 'defaults { policies { rewrite { strip-prefix "/api" }; merge-slashes #false } }';
    const rewrite = { kind: 'prefix', strip: '/api', add: null };
    expect(await policyOf('', defaults)).toEqual({ ...plain, rewrite, mergeSlashes: false });
    expect(await policyOf('rewrite #null; merge-slashes #null', defaults)).toEqual(plain);
    expect(await policyOf('rewrite { path "/x" }', defaults)).toEqual({
      ...plain,
      rewrite: { kind: 'path', path: '/x' },
      mergeSlashes: false,
    });
  });

  it.each([
    ['rewrite { }', '"rewrite" changes nothing (write strip-prefix "/api", add-prefix, regex or path)'],
    ['rewrite { strip-prefix "api" }', '"strip-prefix" must begin with a slash (write "/api")'],
    ['rewrite { add-prefix "v1" }', '"add-prefix" must begin with a slash (write "/v1")'],
    ['rewrite { path "x" }', '"path" must begin with a slash (write "/x")'],
    ['rewrite { path (env)"HIDDEN" }', '"path" must begin with a slash (begin it with /)'],
    [
      'rewrite { strip-prefix "/" }',
      '"strip-prefix" "/" changes nothing (delete the line, or write strip-prefix "/api")',
    ],
    ['rewrite { add-prefix "/" }', '"add-prefix" "/" changes nothing (delete the line, or write add-prefix "/api")'],
    ['rewrite { strip-prefix "" }', '"strip-prefix" must not be empty ()'],
    ['rewrite { add-prefix "/a//b" }', '"add-prefix" must be a path in normal form (write "/a/b")'],
    ['rewrite { add-prefix "/a/../b" }', '"add-prefix" must be a path in normal form (write "/b")'],
    ['rewrite { path "/%7ex" }', '"path" must be a path in normal form (write "/~x")'],
    ['rewrite { path "/caf\u00e9" }', '"path" must be a path in normal form (remove'],
    [
      'rewrite { path "/a%2Fb" }',
      '"path" must be a path in normal form (remove dot segments, %00, backslashes, and %2F unless',
    ],
    [
      'rewrite { path "/a?b=1" }',
      '"path" must not contain a query: the query never changes (delete the text from the "?")',
    ],
    [
      'rewrite { path "/a"; add-prefix "/b" }',
      '"add-prefix" and "path" of "rewrite" exclude each other (keep one of them)',
    ],
    ['rewrite { path "/a"; regex "a" "/b" }', '"regex" and "path" of "rewrite" exclude each other (keep one of them)'],
    [
      'rewrite { strip-prefix "/api"; regex "a" "/b" }',
      '"strip-prefix" and "regex" of "rewrite" exclude each other (keep',
    ],
    ['rewrite { regex "a" }', '"regex" takes a pattern and a replacement (write regex "^/old/(.*)$" "/new/$1")'],
    ['rewrite { regex "a" "b" "c" }', '"regex" takes a pattern and a replacement'],
    ['rewrite { regex "" "/b" }', 'the pattern of "regex" must not be empty'],
    ['rewrite { regex "a" "" }', 'the replacement of "regex" must not be empty'],
    ['rewrite { regex 1 "/b" }', 'the pattern of "regex" must be'],
    ['rewrite { regex "(" "/b" }', '"regex" is not valid: '],
    ['rewrite { regex "(?=a)" "/b" }', '"regex" is not valid: '],
    ['rewrite { regex "^/(a)$" "/$2" }', '"regex" is not valid: $2 is not one of its groups, of which it has 1'],
    ['rewrite { regex "a" "/$1" }', '"regex" is not valid: $1 is not one of its groups, of which it has 0'],
    [
      'rewrite { regex "(a)" "/$0" }',
      'the replacement of "regex" has "$0": write $1 to $9 for a group, and $$ for a dollar sign',
    ],
    ['rewrite { regex "(a)" "/$" }', 'the replacement of "regex" has "$": write $1 to $9'],
    ['rewrite { regex "(a)" "/$-" }', 'the replacement of "regex" has "$-": write $1 to $9'],
    [
      'rewrite { regex "(a)" #"/\\1"# }',
      'the replacement of "regex" must not contain a backslash: write $1 for the first group',
    ],
    ['rewrite { regex "a" "/b?c" }', 'the replacement of "regex" must not contain "?": the query never changes'],
    ['rewrite { regex "a" "/b#c" }', 'the replacement of "regex" must not contain "#": the query never changes'],
    [
      'rewrite { regex "^/old/(.*)$" "new/$1" }',
      'the replacement of "regex" must begin with a slash (write "/new/$1")',
    ],
    ['rewrite { regex "^/a" "/x%2fy" }', 'the replacement of "regex" contains %2F, %5C or %00 (write "/new/$1")'],
    [
      'allow-encoded-slash #true; rewrite { regex "^/a" "/x%00y" }',
      'the replacement of "regex" contains %2F, %5C or %00',
    ],
    ['rewrite { regex "^/(a)" "/$1/%2e%2e/y" }', 'the replacement of "regex" contains a dot segment'],
    ['rewrite { regex "^/(.*)$" "/$1/.." }', 'the replacement of "regex" contains a dot segment'],
    ['rewrite { regex "^/a" "/x y" }', 'the replacement of "regex" has a character or an escape that no path has'],
    ['rewrite { regex "^/a" "/x%zz" }', 'the replacement of "regex" has a character or an escape that no path has'],
    ['rewrite { regex (env)"HIDDEN" "?" }', 'the replacement of "regex" is not valid'],
    ['rewrite { location "yes" }', '"location" must be'],
    ['rewrite { strip-prefix "/api" "/v1" }', '"strip-prefix" takes exactly one value'],
    ['rewrite { path "/a" }; rewrite { path "/b" }', 'rewrite'],
    ['allow-encoded-slash "yes"', '"allow-encoded-slash" must be'],
    ['merge-slashes 1', '"merge-slashes" must be'],
  ])('refuses %s', async (policies, expected) => {
    const problems = await problemsOf(policies);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(expected);
    expect(problems[0]).not.toContain('nothing to see');
  });

  it.each([
    ['rewrite { strip "/api" }', 'strip-prefix'],
    ['rewrite "/api"', '"rewrite"'],
  ])('refuses %s, which no key reads', async (policies, expected) => {
    expect((await problemsOf(policies)).join()).toContain(expected);
  });

  it('never shows a hidden pattern', async () => {
    expect(await problemsOf('rewrite { regex (env)"HIDDEN" "/$1" }')).toEqual([
      '"regex" is not valid (see https://github.com/google/re2/wiki/Syntax)',
    ]);
  });

  it('warns of a prefix that no path of the route has', async () => {
    const warning = [
      '"strip-prefix" never applies: no path of the route begins with it (write the prefix of the route, or delete the line)',
    ];
    expect(await problemsOf('rewrite { strip-prefix "/v2" }')).toEqual(warning);
    expect(await problemsOf('rewrite { strip-prefix "/ap" }')).toEqual(warning);
    for (const prefix of ['/api', '/api/', '/api/v1']) {
      expect(await problemsOf(`rewrite { strip-prefix "${prefix}" }`)).toEqual([]);
    }
  });

  it.each([
    ['rewrite { path "/x" }', '"rewrite" has no effect on a builtin route'],
    ['allow-encoded-slash #true', '"allow-encoded-slash" has no effect on a builtin route'],
    ['merge-slashes #false', '"merge-slashes" has no effect on a builtin route'],
  ])('refuses %s on a builtin route', async (policies, expected) => {
    const { problems } = await load(`builtin-handler "health"; policies { ${policies} }`);
    expect(problems.map(({ message }) => message)).toEqual([expected]);
  });

  it('lets routes that redirect match encoded separators, and leaves the rest of the defaults out', async () => {
    const redirect = 'redirect { to "https://{host}{path_query}" };';
    const defaults = 'defaults { policies { rewrite { path "/x" }; allow-encoded-slash #true; merge-slashes #false } }';
    const { problems, configuration } = await load(redirect, defaults);
    expect(problems).toEqual([]);
    expect(configuration?.routes[0]?.policies.path).toEqual({ ...plain, allowEncodedSlash: true });
    for (const policies of ['rewrite { path "/x" }', 'merge-slashes #false']) {
      const own = await load(`${redirect} policies { ${policies} }`);
      expect(own.problems.map(({ message }) => message).join()).toContain('has no effect on');
    }
  });

  it('leaves builtin routes out of the defaults', async () => {
    const defaults = 'defaults { policies { rewrite { path "/x" }; allow-encoded-slash #true; merge-slashes #false } }';
    const { problems, configuration } = await load('builtin-handler "health"', defaults);
    expect(problems).toEqual([]);
    expect(configuration?.routes[0]?.policies.path).toEqual(plain);
  });

  it('accepts encoded separators in the matches of a route that allows them', async () => {
    const load2 = async (policies: string) =>
      (
        await new KdlConfigurationSource('gateway.kdl', {
          environment: {},
          patterns: re2PathPatterns,
          texts: new Map([
            [
              'gateway.kdl',
              `listeners { listener "l" { address "127.0.0.1:8080" } }
routes { route "r" { matches { path "/a%2Fb"; path-prefix "/a%5Cc" }; agents #null; upstream "u"; policies { ${policies} } } }
upstreams { upstream "u" { target "127.0.0.1:3000" } }`,
            ],
          ]),
        }).load()
      ).problems.map(({ message, suggestion }) => `${message} (${suggestion})`);
    expect(await load2('allow-encoded-slash #true')).toEqual([]);
    expect(await load2('')).toEqual([
      '"path" can never match: the gateway normalises paths before routing (no request can have this path without allow-encoded-slash #true in policies)',
      '"path-prefix" can never match: the gateway normalises paths before routing (no request can have this path without allow-encoded-slash #true in policies)',
    ]);
  });
});
