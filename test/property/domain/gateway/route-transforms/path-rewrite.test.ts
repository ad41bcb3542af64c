import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { re2PathPatterns } from '../../../../../src/adapters/outbound/re2-path-patterns/re2-path-patterns.js';
import {
  type CompiledRewrite,
  compileRewrite,
  forwardedPath,
  type PathRewrite,
} from '../../../../../src/domain/gateway/route-transforms/path-rewrite.js';
import { normalisePath, prefixTakes } from '../../../../../src/domain/http/path-normalisation.js';
import { receivedPath } from '../../../../../src/domain/http/received-path.js';
import { clientPaths } from '../../../../support/gateway/client-paths.js';

const prefixes = fc.constantFrom('/api', '/api/', '/api/v1', '/a', '/old', '/x.y');
const replacements = fc.constantFrom('/new/$1', '$1', '/$1$2', '/$2F', '/%2$1', '/x$$', '/$1/$2/', '$1/..', '/a%$1');
const patterns = fc.constantFrom('^/api/(.*)$', '^/(.*)x(.*)$', '(2)', '%(..)', '^(/.*)25(.*)$', 'a', '/+', '', '^');

const rewrites: fc.Arbitrary<PathRewrite> = fc.oneof(
  fc.record({
    kind: fc.constant('prefix' as const),
    strip: fc.option(prefixes),
    add: fc.option(prefixes),
  }),
  fc.record({ kind: fc.constant('regex' as const), pattern: patterns, replacement: replacements }),
  fc.record({ kind: fc.constant('path' as const), path: fc.constantFrom('/index.html', '/', '/a/b/') }),
);
const policies = fc.record({ allowsEncodedSlash: fc.boolean(), mergesSlashes: fc.boolean() });

const compiled = (rewrite: PathRewrite): CompiledRewrite | null => {
  const result = compileRewrite(rewrite, re2PathPatterns);
  return result.ok ? result.value : null;
};

const decoded = (text: string): string =>
  text.replaceAll(/%([0-9A-Fa-f]{2})/g, (_, octet) => String.fromCharCode(Number.parseInt(octet, 16)));

/** Depth below the root at each step, as a server climbs that knows every separator and drops parameters. */
const lowestDepth = (path: string): number => {
  let depth = 0;
  let lowest = 0;
  for (const segment of path.split(/[/\\]/).map((text) => text.replace(/;.*/s, ''))) {
    if (segment === '..') depth -= 1;
    else if (segment !== '' && segment !== '.') depth += 1;
    lowest = Math.min(lowest, depth);
  }
  return lowest;
};

/** A client's path in the forms that a route gets; null: it is refused before. */
const clientPath = (raw: string, allowsEncodedSlash: boolean) => {
  const path = normalisePath(raw, allowsEncodedSlash ? 'keep' : 'refuse');
  return path.ok ? { path: path.value, received: receivedPath(raw) } : null;
};

describe('forwardedPath', () => {
  it('is normal, except for the slashes and the encoded separators that came', () => {
    fc.assert(
      fc.property(clientPaths, rewrites, policies, (raw, rewrite, policy) => {
        const client = clientPath(raw, policy.allowsEncodedSlash);
        const own = compiled(rewrite);
        if (client === null || own === null) return;
        const result = forwardedPath({ rewrite: own, ...policy }, client.path, client.received);
        if (!result.ok) return;
        const again = normalisePath(result.value, policy.allowsEncodedSlash ? 'keep' : 'refuse');
        const merged = forwardedPath({ rewrite: own, ...policy, mergesSlashes: true }, client.path, client.path);
        expect(again).toEqual(merged);
        if (policy.mergesSlashes && !policy.allowsEncodedSlash) expect(again).toEqual(result);
      }),
      { numRuns: 8000 },
    );
  });

  it('never climbs and never has a dot segment, decoded once or twice', () => {
    fc.assert(
      fc.property(clientPaths, rewrites, policies, (raw, rewrite, policy) => {
        const client = clientPath(raw, policy.allowsEncodedSlash);
        const own = compiled(rewrite);
        if (client === null || own === null) return;
        const result = forwardedPath({ rewrite: own, ...policy }, client.path, client.received);
        if (!result.ok) return;
        expect(result.value.startsWith('/')).toBe(true);
        expect(result.value).not.toMatch(/[?#\\]|%00/);
        if (!policy.allowsEncodedSlash) expect(result.value).not.toMatch(/%2f|%5c/i);
        for (const form of [result.value, decoded(result.value), decoded(decoded(result.value))]) {
          expect(lowestDepth(form)).toBe(0);
          for (const segment of form.split(/[/\\]/)) expect(segment).not.toMatch(/^\.{1,2}(;|$)/);
        }
      }),
      { numRuns: 8000 },
    );
  });

  it('stays below the prefix that a route adds, decoded once or twice', () => {
    fc.assert(
      fc.property(clientPaths, fc.option(prefixes), prefixes, policies, (raw, strip, add, policy) => {
        const client = clientPath(raw, policy.allowsEncodedSlash);
        if (client === null) return;
        const rewrite = compiled({ kind: 'prefix', strip, add });
        const result = forwardedPath({ rewrite, ...policy }, client.path, client.received);
        if (!result.ok) return;
        for (const form of [result.value, decoded(result.value), decoded(decoded(result.value))]) {
          const resolved = new URL(form.replaceAll('\\', '/').replaceAll(/[?#\t\n\r ]/g, 'x'), 'http://h').pathname;
          expect(prefixTakes(add, resolved.replaceAll(/\/{2,}/g, '/'))).toBe(true);
        }
      }),
      { numRuns: 5000 },
    );
  });

  it('depends on the normal form alone where slashes are merged and encoded separators are refused', () => {
    fc.assert(
      fc.property(clientPaths, rewrites, (raw, rewrite) => {
        const client = clientPath(raw, false);
        const own = compiled(rewrite);
        if (client === null || own === null) return;
        const rules = { rewrite: own, allowsEncodedSlash: false, mergesSlashes: true };
        expect(forwardedPath(rules, client.path, client.received)).toEqual(
          forwardedPath(rules, client.path, client.path),
        );
      }),
      { numRuns: 3000 },
    );
  });
});

describe('turning back', () => {
  const turned = fc.tuple(fc.option(prefixes), fc.option(prefixes)).map(([strip, add]) => ({ strip, add }));

  it('is the inverse of a prefix: the upstream gets the path that it named', () => {
    fc.assert(
      fc.property(clientPaths, clientPaths, turned, (raw, named, { strip, add }) => {
        const own = compiled({ kind: 'prefix', strip, add });
        const client = clientPath(raw, false);
        const upstreamPath = clientPath(named, false);
        if (own?.turnBack == null || client === null || upstreamPath === null) return;
        if (add !== null && !prefixTakes(add, upstreamPath.path)) return;
        const back = own.turnBack.path(upstreamPath.path, client.path);
        // Without the prefix in this request, nothing was removed; a next request to that path may differ.
        if (strip !== null && prefixTakes(strip, back) !== prefixTakes(strip, client.path)) return;
        // No path of a client is empty, so an added prefix always ends in a slash if no prefix was removed.
        const again = own.apply(back);
        expect(again === `${upstreamPath.path}/` ? upstreamPath.path : again).toBe(upstreamPath.path);
      }),
      { numRuns: 5000 },
    );
  });

  it('is the inverse of a prefix: the client gets its own path', () => {
    fc.assert(
      fc.property(clientPaths, turned, (raw, { strip, add }) => {
        const own = compiled({ kind: 'prefix', strip, add });
        const client = clientPath(raw, false);
        if (own?.turnBack == null || client === null) return;
        const back = own.turnBack.path(own.apply(client.path), client.path);
        const isBare = !client.path.endsWith('/') && back === `${client.path}/`;
        expect(isBare ? client.path : back).toBe(client.path);
      }),
      { numRuns: 5000 },
    );
  });

  it('is the inverse of a regex that changes a literal beginning', () => {
    fc.assert(
      fc.property(clientPaths, fc.constantFrom('/new/$1', '/n$1', '/api/v2/$1'), (raw, replacement) => {
        const own = compiled({ kind: 'regex', pattern: '^/api/(.*)$', replacement });
        const client = clientPath(raw, false);
        if (own?.turnBack == null || client === null || !client.path.startsWith('/api/')) return;
        expect(own.turnBack.path(own.apply(client.path), client.path)).toBe(client.path);
      }),
      { numRuns: 2000 },
    );
  });
});
