import { describe, expect, it } from 'vitest';
import { configurationText } from '../../../../support/shared/configuration-text.js';
import { problemsOf, soundConfiguration } from '../../../../support/shared/decoded-configuration.js';

const route = (name: string, policy: string, agents = '#null'): string =>
  `route "${name}" { matches { path-prefix "/${name}" }; upstream "echo"; agents ${agents}; policies { ${policy} } }`;

const auth = 'agent "auth" { transport "embedded"; config { api-keys "key:alice" } }';

const textOf = (routes: readonly string[], more = '', agents = auth): string =>
  configurationText({ routes: `routes { ${routes.join('\n')} }`, more, agents: `agents { ${agents} }` });

const limits = (routes: readonly string[], more: string) =>
  soundConfiguration(textOf(routes, more)).routes.map(({ policies }) => policies.rateLimit);

describe('a named rate limit', () => {
  const shared = 'rate-limit "shared" { requests-per-second 5; burst 7; key "path" }';
  const policy = { name: 'shared', limit: { requestsPerSecond: 5, burst: 7 }, key: { kind: 'path' } };

  it('is the limit of every route that names it', () => {
    const [first, second] = limits([route('a', 'rate-limit "shared"'), route('b', 'rate-limit "shared"')], shared);
    expect(first).toEqual(policy);
    expect(second).toBe(first);
  });

  it('has the defaults of a limit of a route', () => {
    const [limit] = limits([route('a', 'rate-limit "x"')], 'rate-limit "x" { requests-per-second 0.25 }');
    expect(limit).toEqual({ name: 'x', limit: { requestsPerSecond: 0.25, burst: 3 }, key: { kind: 'client_ip' } });
  });

  it('limits nothing if it is turned off', () => {
    const off = 'rate-limit "shared" { enabled #false; requests-per-second 5 }';
    expect(limits([route('a', 'rate-limit "shared"')], off)).toEqual([null]);
    expect(limits([route('a', 'rate-limit { enabled #false; requests-per-second 5 }')], '')).toEqual([null]);
    expect(problemsOf(textOf([route('a', '')], off))).toEqual([]);
  });

  it.each<[string, string, readonly string[]]>([
    [
      'rate-limit "sharde"',
      shared,
      [
        'error: route "a" refers to a rate-limit "sharde" that is not defined (did you mean "shared"?)',
        'warning: no route names the rate-limit "shared": it limits nothing (write policies { rate-limit "shared" } in a route, or delete the block)',
      ],
    ],
    [
      'rate-limit "shared"',
      '',
      [
        'error: route "a" refers to a rate-limit "shared" that is not defined (write rate-limit "name" { requests-per-second 10 } at the top level)',
      ],
    ],
    [
      'rate-limit "shared" { burst 1 }',
      shared,
      [
        'error: "rate-limit" takes a name or keys, not both (write rate-limit "name" here, and its keys in the block rate-limit "name" { ... } at the top level)',
      ],
    ],
    [
      'rate-limit "shared" burst=1',
      shared,
      [
        'error: "rate-limit" takes a name or keys, not both (write rate-limit "name" here, and its keys in the block rate-limit "name" { ... } at the top level)',
      ],
    ],
    [
      'rate-limit "shared" "shared"',
      shared,
      ['error: "rate-limit" takes one name (write rate-limit "name"; a route has one limit)'],
    ],
    ['rate-limit "shared"; rate-limit "shared"', shared, ['error: "rate-limit" is given twice']],
    ['rate-limit "shared"; rate-limit { requests-per-second 1 }', shared, ['error: "rate-limit" is given twice']],
    [
      'rate-limit 5',
      '',
      [
        'error: "rate-limit" takes a block, not a value (write rate-limit { ... })',
        'error: "requests-per-second" is missing',
      ],
    ],
    ['rate-limit "shared"', `${shared}\n${shared}`, ['error: rate-limit "shared" is defined twice']],
    [
      'rate-limit "shared"',
      'rate-limit "shared"',
      ['error: rate-limit "shared" has no block', 'error: "requests-per-second" is missing'],
    ],
    ['rate-limit "shared"', 'rate-limit "shared" { burst 2 }', ['error: "requests-per-second" is missing']],
    [
      'rate-limit "shared"',
      'rate-limit "shared" { requests-per-second 1; rps 2 }',
      ['error: unknown key "rps" in rate-limit "shared"'],
    ],
  ])('has problems for %s with %s', (policyText, more, expected) => {
    const found = problemsOf(textOf([route('a', policyText)], more));
    expect(found.map((text, index) => text.slice(0, expected[index]?.length))).toEqual(expected);
  });

  it('warns if it counts by an identity header on a route without agents', () => {
    const more = 'rate-limit "users" { requests-per-second 1; key "header:X-User-Id" }';
    const policyText = 'rate-limit "users"';
    const found = problemsOf(textOf([route('a', policyText), route('b', policyText, '"auth"')], more));
    expect(found.filter((text) => text.includes('counts by an identity header'))).toHaveLength(1);
  });
});

describe('a rate limit with key "user"', () => {
  const byUser = 'rate-limit { requests-per-second 1; key "user" }';
  const refusal = (reason: string): string =>
    `error: "rate-limit" counts by user, but route "a" ${reason}: no request has a user id (list an agent that sets user ids in agents, or choose another key, such as "client_ip")`;

  it('is valid on a route with agents', () => {
    const [own, named] = limits(
      [route('a', byUser, '"auth"'), route('b', 'rate-limit "users"', '"auth"')],
      'rate-limit "users" { requests-per-second 1; key "user" }',
    );
    expect(own).toEqual({ name: null, limit: { requestsPerSecond: 1, burst: 10 }, key: { kind: 'user' } });
    expect(named).toEqual({ ...own, name: 'users' });
  });

  it('is refused on a route without agents', () => {
    expect(problemsOf(textOf([route('a', byUser), route('b', '', '"auth"')]))).toEqual([refusal('has no agents')]);
    const named = 'rate-limit "users" { requests-per-second 1; key "user" }';
    const routes = [route('a', 'rate-limit "users"'), route('b', 'rate-limit "users"', '"auth"')];
    expect(problemsOf(textOf(routes, named))).toEqual([refusal('has no agents')]);
  });

  it('is refused if no agent of the route sees requests', () => {
    const observer = 'agent "log" { socket "/run/log.sock"; events "request_complete" }';
    const routes = [route('a', byUser, '"log"'), route('b', '', '"auth"')];
    expect(problemsOf(textOf(routes, '', `${auth}\n${observer}`))).toEqual([
      refusal('has no agent with the event request_headers'),
    ]);
    expect(problemsOf(textOf([route('a', byUser, '"log" "auth"')], '', `${auth}\n${observer}`))).toEqual([]);
  });

  it('reports an unknown agent once', () => {
    const found = problemsOf(textOf([route('a', byUser, '"oath"'), route('b', '', '"auth"')]));
    expect(found).toHaveLength(1);
    expect(found[0]).toContain('refers to an agent "oath" that is not defined');
  });

  it('is refused together with forward-identity-headers', () => {
    const found = problemsOf(textOf([route('a', `${byUser}; forward-identity-headers #true`, '"auth"')]));
    expect(found.some((text) => text.includes('clients could forge an identity'))).toBe(true);
  });
});
