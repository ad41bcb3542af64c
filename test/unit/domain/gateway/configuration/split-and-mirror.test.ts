import { describe, expect, it } from 'vitest';
import { dispensableUpstreams } from '../../../../../src/domain/gateway/configuration/route-upstreams.js';
import { configurationText } from '../../../../support/shared/configuration-text.js';
import {
  expectRefusedConfiguration,
  problemsOf,
  soundConfiguration,
} from '../../../../support/shared/decoded-configuration.js';

const upstreams = `upstreams {
  upstream "blue" { target "127.0.0.1:1" }
  upstream "green" { target "127.0.0.1:2" }
  upstream "shadow" { target "127.0.0.1:3" }
}`;

const withMembers = (members: string, agents = 'agents #null'): string =>
  configurationText({
    upstreams,
    agents: '',
    routes: `routes { route "api" { matches { path-prefix "/" }; ${agents}; ${members} } }`,
  });

const routeOf = (members: string) => soundConfiguration(withMembers(members)).routes[0];

describe('split of a route', () => {
  it('reads key, names and weights', () => {
    expect(
      routeOf('split { key "cookie:uid"; upstream "blue" weight=95; upstream "green" { weight 5 } }'),
    ).toMatchObject({
      upstream: null,
      split: {
        key: { kind: 'cookie', name: 'uid' },
        sides: [
          { upstream: 'blue', weight: 95 },
          { upstream: 'green', weight: 5 },
        ],
      },
    });
  });

  it.each([
    ['no key', 'upstream "shadow" weight=2', null],
    ['#null', 'key #null', null],
    ['the client address', 'key "client_ip"', { kind: 'client_ip' }],
    ['a header', 'key "header:X-Tenant"', { kind: 'header', name: 'x-tenant' }],
  ])('takes %s', (_, key, expected) => {
    const route = routeOf(`split { upstream "blue" weight=1; upstream "green" weight=0; ${key} }`);
    expect(route?.split?.key).toEqual(expected);
    expect(route?.split?.sides.map(({ weight }) => weight)).toEqual(expect.arrayContaining([1, 0]));
  });

  it.each([
    ['no upstream', 'split { key "client_ip" }', '"split" has no upstream (write upstream "name" weight=95)'],
    [
      'weights of zero only',
      'split { upstream "blue" weight=0; upstream "green" weight=0 }',
      '"split" has no upstream with a weight above 0 (give at least one upstream weight=1)',
    ],
    [
      'an upstream twice',
      'split { upstream "blue" weight=1; upstream "blue" weight=2 }',
      '"split" lists the upstream "blue" twice (write it once, with the sum of the weights)',
    ],
    [
      'an undefined upstream',
      'split { upstream "blue" weight=1; upstream "gren" weight=2 }',
      'route "api" refers to an upstream "gren" that is not defined (did you mean "green"?)',
    ],
    [
      'a weight for some upstreams only',
      'split { upstream "blue"; upstream "green" weight=5 }',
      '"split" gives other upstreams a weight, but not "blue" (give every upstream a weight: without one it would count 1)',
    ],
    ['a negative weight', 'split { upstream "blue" weight=-1 }', '"weight" must be'],
    ['a fraction as weight', 'split { upstream "blue" weight=0.5 }', '"weight" must be'],
    ['too high a weight', 'split { upstream "blue" weight=1000001 }', '"weight" must be'],
    ['a weight in words', 'split { upstream "blue" weight="most" }', '"weight" must be'],
    [
      'two names in one line',
      'split { upstream "blue" "green" }',
      '"upstream" of a split takes one name (write upstream "name" weight=5, once for each upstream)',
    ],
    ['no name', 'split { upstream weight=1 }', '"name" is missing'],
    ['a name that is a number', 'split { upstream 5 weight=1 }', '"name" must be'],
    ['an unknown key of a side', 'split { upstream "blue" percent=5 }', 'unknown key "percent"'],
    ['an unknown key', 'split { upstream "blue"; sticky #true }', 'unknown key "sticky"'],
    ['an unknown kind of key', 'split { key "uid"; upstream "blue" }', '"key" must be "client_ip" or "header:<name>"'],
    ['a key without a name', 'split { key "cookie:"; upstream "blue" }', '"key" must be'],
    ['an argument', 'split "blue" { upstream "blue" }', '"split" takes a block, not a value'],
    ['a second split', 'split { upstream "blue" }; split { upstream "green" }', '"split" is given twice'],
    ['an upstream beside it', 'upstream "blue"; split { upstream "green" }', 'has both "upstream" and "split"'],
    ['a builtin handler', 'split { upstream "green" }; builtin-handler "health"', 'has both "split" and'],
    [
      'an identity header as key',
      'split { key "header:X-User-Id"; upstream "blue" }',
      '"key" names an identity header: the gateway removes it, and agents set it after the split',
    ],
    [
      'too many upstreams',
      `split { ${Array.from({ length: 101 }, () => 'upstream "blue"').join('; ')} }`,
      '"split" has 101 upstreams, more than 100',
    ],
  ])('refuses %s', (_, members, message) => {
    expectRefusedConfiguration(withMembers(members), message);
  });

  it('refuses a header as key that an agent of the configuration sets', () => {
    const text = configurationText({
      upstreams,
      agents: 'agents { agent "auth" { transport "embedded"; config { api-keys "k:a"; user-id-header "X-Login" } } }',
      routes:
        'routes { route "api" { matches { path-prefix "/" }; agents "auth"; split { key "header:x_login"; upstream "blue" } } }',
    });
    expectRefusedConfiguration(text, '"key" names an identity header');
  });

  it('counts as an upstream for the warning about open routes', () => {
    const text = configurationText({
      upstreams,
      routes: `routes {
        route "closed" { matches { path-prefix "/a" }; agents "auth"; split { upstream "blue"; upstream "green" } }
        route "open" { matches { path-prefix "/b" }; split { upstream "shadow"; upstream "green" } }
        route "copied" { matches { path-prefix "/c" }; upstream "shadow"; mirror "blue" }
      }`,
    });
    const found = problemsOf(text);
    expect(found).toHaveLength(2);
    expect(found[0]).toContain('route "open" has no agents: it opens the upstream that route "closed" protects');
    expect(found[1]).toContain('route "copied" has no agents: it opens the upstream that route "closed" protects');
  });
});

describe('mirror of a route', () => {
  it.each([
    ['the name alone', 'mirror "shadow"', { upstream: 'shadow', percent: 100, keepsCredentials: false }],
    [
      'all keys',
      'mirror "shadow" { percent 12.5; credentials #true }',
      { upstream: 'shadow', percent: 12.5, keepsCredentials: true },
    ],
    ['enabled #false', 'mirror "shadow" { enabled #false }', null],
    ['#null', 'mirror #null', null],
  ])('reads %s', (_, mirror, expected) => {
    expect(routeOf(`upstream "blue"; ${mirror}`)?.mirror).toEqual(expected);
    expect(routeOf(`split { upstream "blue"; upstream "green" }; ${mirror}`)?.mirror).toEqual(expected);
  });

  it.each([
    ['a percentage above 100', 'mirror "shadow" { percent 101 }', '"percent" must be'],
    ['a negative percentage', 'mirror "shadow" { percent -1 }', '"percent" must be'],
    ['a percentage in words', 'mirror "shadow" { percent "all" }', '"percent" must be'],
    ['credentials in words', 'mirror "shadow" { credentials "keep" }', '"credentials" must be'],
    ['no name', 'mirror { percent 5 }', '"name" is missing'],
    ['two names', 'mirror "shadow" "green"', '"name" takes exactly one value'],
    ['an unknown key', 'mirror "shadow" { timeout 5 }', 'unknown key "timeout"'],
    ['two mirrors', 'mirror "shadow"; mirror "green"', '"mirror" is given twice'],
    [
      'an undefined upstream',
      'mirror "shadows"',
      'route "api" refers to an upstream "shadows" that is not defined (did you mean "shadow"?)',
    ],
  ])('refuses %s', (_, mirror, message) => {
    expectRefusedConfiguration(withMembers(`upstream "blue"; ${mirror}`), message);
  });

  it('is refused on a builtin route', () => {
    expectRefusedConfiguration(
      withMembers('builtin-handler "health"; mirror "shadow"'),
      '"mirror" has no effect on a route without an upstream',
    );
  });

  it('is warned about if it names an upstream that also answers', () => {
    const message =
      'warning: "mirror" sends requests a second time to upstream "green", which also answers them (name another upstream)';
    expect(problemsOf(withMembers('upstream "green"; mirror "green"'))).toEqual([message]);
    expect(problemsOf(withMembers('split { upstream "blue"; upstream "green" }; mirror "green"'))).toEqual([message]);
  });
});

describe('upstreams that need not be healthy', () => {
  it('are those of mirrors and sides without weight, unless a route needs them', () => {
    const idle = withMembers('split { upstream "blue" weight=1; upstream "green" weight=0 }; mirror "shadow"');
    expect(dispensableUpstreams(soundConfiguration(idle))).toEqual(new Set(['green', 'shadow']));
    const used = soundConfiguration(idle);
    const [route] = used.routes;
    if (route === undefined) throw new Error('no route');
    expect(dispensableUpstreams({ routes: [route, { ...route, upstream: 'green', split: null }] })).toEqual(
      new Set(['shadow']),
    );
  });
});
