import { describe, expect, it } from 'vitest';
import type { RouteConfiguration } from '../../../../../src/domain/gateway/configuration/gateway-configuration.js';
import type { RoutableRequest } from '../../../../../src/domain/gateway/routing/route-matches.js';
import { compileRouteTable, type RouteTable } from '../../../../../src/domain/gateway/routing/route-table.js';
import { err, ok } from '../../../../../src/domain/shared/result.js';
import { routableRequest, routeConfiguration } from '../../../../support/gateway/route-configurations.js';

/** Compiles JavaScript patterns; `bad` is invalid. */
const patterns = (source: string) => {
  if (source === 'bad') return err('it is bad');
  const expression = new RegExp(source);
  return ok((path: string) => expression.test(path));
};

const tableOf = (...routes: RouteConfiguration[]): RouteTable => {
  const table = compileRouteTable(routes, patterns);
  if (!table.ok) throw new Error(JSON.stringify(table.error));
  return table.value;
};
const found = (table: RouteTable, path: string, more: Partial<RoutableRequest> = {}): string | null =>
  table.find(routableRequest(path, more))?.id ?? null;

describe('kinds of matches', () => {
  it('matches nothing without routes, and everything with an empty route', () => {
    expect(found(tableOf(), '/')).toBeNull();
    expect(found(tableOf(routeConfiguration('all', {})), '/x', { host: null })).toBe('all');
  });

  it('matches a prefix by whole segments', () => {
    const table = tableOf(routeConfiguration('v2', { pathPrefixes: ['/v2'] }));
    expect(['/v2', '/v2/', '/v2/x'].map((path) => found(table, path))).toEqual(['v2', 'v2', 'v2']);
    expect(['/v2x', '/v', '/', '/x/v2', '/V2'].map((path) => found(table, path))).toEqual([
      null,
      null,
      null,
      null,
      null,
    ]);
  });

  it('matches only paths below a prefix that ends in a slash', () => {
    const table = tableOf(routeConfiguration('below', { pathPrefixes: ['/v2/'] }));
    expect(['/v2/', '/v2/x', '/v2/x/y'].map((path) => found(table, path))).toEqual(['below', 'below', 'below']);
    expect(['/v2', '/v2x', '/'].map((path) => found(table, path))).toEqual([null, null, null]);
  });

  it('matches every path, but not *, with the prefix /', () => {
    const table = tableOf(routeConfiguration('root', { pathPrefixes: ['/'] }));
    expect(found(table, '/')).toBe('root');
    expect(found(table, '/a/b')).toBe('root');
    expect(found(table, '*', { method: 'OPTIONS' })).toBeNull();
  });

  it('normalises a configured path', () => {
    const table = tableOf(
      routeConfiguration('a', { paths: ['/a/./b%7e'] }),
      routeConfiguration('b', { pathPrefixes: ['//p//q'] }),
    );
    expect(found(table, '/a/b~')).toBe('a');
    expect(found(table, '/p/q/r')).toBe('b');
  });

  it('matches hosts without case, and suffixes by whole labels', () => {
    const table = tableOf(
      routeConfiguration('exact', { hosts: ['API.Example'] }),
      routeConfiguration('suffix', { hosts: ['*.example'] }),
    );
    expect(found(table, '/', { host: 'api.example' })).toBe('exact');
    expect(found(table, '/', { host: 'x.api.example' })).toBe('suffix');
    expect(
      ['example', 'badexample', '.example', 'example.evil', 'api.example.evil'].map((host) =>
        found(table, '/', { host }),
      ),
    ).toEqual([null, null, null, null, null]);
    expect(found(table, '/', { host: null })).toBeNull();
  });

  it('matches methods and values with case, header names without', () => {
    const table = tableOf(
      routeConfiguration('method', { methods: ['POST', 'PUT'] }),
      routeConfiguration('header', {
        headers: [
          { name: 'X-Mode', value: 'on' },
          { name: 'X-Any', value: null },
        ],
      }),
      routeConfiguration('query', { queryParams: [{ name: 'n\u00e9', value: 'v w' }] }),
    );
    expect(found(table, '/', { method: 'PUT' })).toBe('method');
    expect(found(table, '/', { method: 'put' })).toBeNull();
    expect(found(table, '/', { headers: ['A', 'b', 'x-MODE', 'on'] })).toBe('header');
    expect(found(table, '/', { headers: ['X-Mode', 'ON'] })).toBeNull();
    expect(found(table, '/', { headers: ['x-any', ''] })).toBe('header');
    expect(found(table, '/', { query: 'n%C3%A9=v+w' })).toBe('query');
    expect(found(table, '/', { query: 'n%C3%A9=v' })).toBeNull();
  });

  it('requires one match of each kind', () => {
    const table = tableOf(
      routeConfiguration('both', {
        pathPrefixes: ['/a', '/b'],
        pathRegexes: ['x$', 'y$'],
        methods: ['GET'],
        hosts: ['h', '*.h'],
      }),
    );
    expect(found(table, '/b/y', { host: 'i.h' })).toBe('both');
    expect(found(table, '/c/y', { host: 'h' })).toBeNull();
    expect(found(table, '/b/z', { host: 'h' })).toBeNull();
    expect(found(table, '/b/y', { host: 'i' })).toBeNull();
    expect(found(table, '/b/y', { host: 'h', method: 'POST' })).toBeNull();
  });
});

describe('order', () => {
  const ids = (...routes: RouteConfiguration[]): readonly string[] => tableOf(...routes).routes.map(({ id }) => id);

  it('puts priority first, then the path, then the rest, then the file', () => {
    expect(
      ids(
        routeConfiguration('nothing', {}),
        routeConfiguration('scheme', { schemes: ['http'] }),
        routeConfiguration('method', { methods: ['GET'] }),
        routeConfiguration('query', { queryParams: [{ name: 'q', value: null }] }),
        routeConfiguration('header', { headers: [{ name: 'h', value: null }] }),
        routeConfiguration('suffix', { hosts: ['*.example'] }),
        routeConfiguration('longer-suffix', { hosts: ['*.a.example'] }),
        routeConfiguration('host', { hosts: ['example'] }),
        routeConfiguration('prefix', { pathPrefixes: ['/a'] }),
        routeConfiguration('longer-prefix', { pathPrefixes: ['/a/b'] }),
        routeConfiguration('regex', { pathRegexes: ['^/'] }),
        routeConfiguration('path', { paths: ['/a'] }),
        routeConfiguration('path-later', { paths: ['/a'] }),
        routeConfiguration('path-and-method', { paths: ['/a'], methods: ['GET'] }),
        routeConfiguration('high', {}, 100),
        routeConfiguration('low', { paths: ['/a'] }, 10),
      ),
    ).toEqual([
      ...['high', 'path-and-method', 'path', 'path-later', 'regex', 'longer-prefix', 'prefix', 'host', 'longer-suffix'],
      ...['suffix', 'header', 'query', 'method', 'scheme', 'nothing', 'low'],
    ]);
  });

  it('ranks by the matching prefix, not by the longest prefix of the route', () => {
    const table = tableOf(
      routeConfiguration('wide', { pathPrefixes: ['/', '/very/long/prefix'] }),
      routeConfiguration('api', { pathPrefixes: ['/api'] }),
      routeConfiguration('very', { pathPrefixes: ['/very'] }),
    );
    expect(found(table, '/api/x')).toBe('api');
    expect(found(table, '/very/long/prefix/x')).toBe('wide');
    expect(found(table, '/very/long')).toBe('very');
    expect(found(table, '/x')).toBe('wide');
    expect(table.routes.map(({ id }) => id)).toEqual(['wide', 'very', 'api']);
  });

  it('takes the route with a scheme for requests of that scheme only', () => {
    const table = tableOf(
      routeConfiguration('any', { pathPrefixes: ['/'] }),
      routeConfiguration('plain', { pathPrefixes: ['/'], schemes: ['http'] }),
      routeConfiguration('get', { paths: ['/get'], methods: ['GET'] }),
      routeConfiguration('secure', { paths: ['/get'], schemes: ['https'] }),
    );
    expect(found(table, '/a')).toBe('plain');
    expect(found(table, '/a', { scheme: 'https' })).toBe('any');
    expect(found(table, '/get', { scheme: 'https' })).toBe('get');
    expect(found(table, '/get', { scheme: 'https', method: 'POST' })).toBe('secure');
  });

  it('tries the next route if a more specific one fails on another condition', () => {
    const table = tableOf(
      routeConfiguration('all', { pathPrefixes: ['/'] }),
      routeConfiguration('exact-post', { paths: ['/a'], methods: ['POST'] }),
      routeConfiguration('other-host', { paths: ['/a'], hosts: ['b.example'] }),
    );
    expect(found(table, '/a')).toBe('all');
    expect(found(table, '/a', { method: 'POST' })).toBe('exact-post');
    expect(found(table, '/a', { host: 'b.example' })).toBe('other-host');
  });
});

describe('routes that share a path and differ in a further kind of path', () => {
  it('tries each of them', () => {
    const table = tableOf(
      routeConfiguration('first', { paths: ['/a/x', '/b/x'], pathPrefixes: ['/a'] }),
      routeConfiguration('second', { paths: ['/a/x', '/b/x'], pathPrefixes: ['/b'] }),
      routeConfiguration('third', { paths: ['/a/x', '/b/x', '/c/x'], pathRegexes: ['c'] }),
      routeConfiguration('rest', {}),
    );
    expect(['/a/x', '/b/x', '/c/x', '/d/x'].map((path) => found(table, path))).toEqual([
      'first',
      'second',
      'third',
      'rest',
    ]);
  });
});

describe('many conditions on one route', () => {
  const many = (text: string): string[] => Array.from({ length: 40 }, (_, index) => `${text}${index}`);
  const values = (name: string) => many('v').map((value) => ({ name, value }));

  it('tests conditions on the route if they need too many index entries', () => {
    const table = tableOf(
      routeConfiguration('huge', {
        paths: many('/p'),
        hosts: many('h'),
        methods: many('M'),
        headers: values('x'),
        queryParams: values('q'),
      }),
      routeConfiguration('rest', {}),
    );
    const request = { host: 'h39', method: 'M39', headers: ['X', 'v39'], query: 'q=v39' };
    expect(found(table, '/p39', request)).toBe('huge');
    expect(found(table, '/p40', request)).toBe('rest');
    for (const wrong of [{ host: 'h40' }, { method: 'M40' }, { headers: ['X', 'v40'] }, { query: 'q=v40' }]) {
      expect(found(table, '/p39', { ...request, ...wrong })).toBe('rest');
    }
  });

  it('refuses too many combinations of prefixes and suffixes', () => {
    const suffixes = Array.from({ length: 65 }, (_, index) => `*.h${index}`);
    const prefixes = Array.from({ length: 64 }, (_, index) => `/p${index}`);
    const table = compileRouteTable([routeConfiguration('a', { hosts: suffixes, pathPrefixes: prefixes })], patterns);
    expect(table).toMatchObject({ ok: false, error: [{ routeId: 'a' }] });
  });
});

describe('faults', () => {
  it('lists all faults of all routes', () => {
    const table = compileRouteTable(
      [
        routeConfiguration('a', { paths: ['a', '/%2f'], pathPrefixes: ['/%'], pathRegexes: ['bad', '^/'] }),
        routeConfiguration('b', {}),
        routeConfiguration('c', { hosts: ['*', 'a.*.b', 'a:80', '*.', '', 'a b', 'fine', '*.fine'] }),
      ],
      patterns,
    );
    const faults = table.ok ? [] : table.error;
    expect(faults.map(({ routeId }) => routeId)).toEqual(['a', 'a', 'a', 'a', 'c', 'c', 'c', 'c', 'c', 'c']);
    expect(faults[3]?.message).toBe('"bad" is not a valid path-regex: it is bad');
  });
});
