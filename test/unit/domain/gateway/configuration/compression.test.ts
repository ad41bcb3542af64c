import { describe, expect, it } from 'vitest';
import { missingCodings } from '../../../../../src/domain/gateway/configuration/compress-schema.js';
import { configurationText, withRoute } from '../../../../support/shared/configuration-text.js';
import {
  expectRefusedConfiguration,
  problemsOf,
  soundConfiguration,
} from '../../../../support/shared/decoded-configuration.js';

const route = (compress: string): string =>
  withRoute(`matches { path "/" }; upstream "echo"; policies { ${compress} }`);
const compression = (compress: string) => soundConfiguration(route(compress)).routes[0]?.policies.compression;

describe('compress', () => {
  it('has defaults', () => {
    const defaults = {
      types: ['text/*', 'application/json', 'application/javascript', 'application/xml', 'image/svg+xml'],
      minOctets: 1024,
      encodings: ['br', 'gzip'],
    };
    expect(compression('compress')).toEqual(defaults);
    expect(compression('compress { }')).toEqual(defaults);
    expect(compression('compress #true')).toEqual(defaults);
  });

  it('is off without its block', () => {
    for (const off of ['', 'compress #null', 'compress #false', 'compress { enabled #false; min-bytes 5 }'])
      expect(compression(off)).toBeNull();
  });

  it('has the values of its keys', () => {
    const written = 'compress { types "Application/JSON" "*/*"; min-bytes "2KB"; encodings "gzip" "zstd" }';
    expect(compression(written)).toEqual({
      types: ['application/json', '*/*'],
      minOctets: 2048,
      encodings: ['gzip', 'zstd'],
    });
    expect(compression('compress { min-bytes 0 }')?.minOctets).toBe(0);
  });

  it.each([
    ['a value', 'compress "gzip"', '"compress" takes a block, not a value (write compress { ... })'],
    ['an unknown key', 'compress { level 9 }', 'unknown key "level"'],
    [
      'a type without subtype',
      'compress { types "json" }',
      '"types" must be a media type, not "json" (write "application/json", "text/*" or "*/*")',
    ],
    [
      'a type with parameters',
      'compress { types "text/html; charset=utf-8" }',
      '"types" must be a media type without parameters, not "text/html; charset=utf-8" (write "text/html")',
    ],
    ['a pattern of types', 'compress { types "text/h*l" }', '"types" must be a media type'],
    ['a type twice', 'compress { types "text/*" "TEXT/*" }', '"types" names "text/*" twice (write it once)'],
    ['no types', 'compress { types #null }', '"types" needs at least one value (delete types)'],
    ['a negative minimum', 'compress { min-bytes -1 }', '"min-bytes" must be a size from 0'],
    ['a fraction', 'compress { min-bytes 0.5 }', '"min-bytes" must be a size from 0'],
    [
      'deflate',
      'compress { encodings "deflate" }',
      '"encodings" must be "br" or "gzip" or "zstd", not "deflate" (did you mean "gzip"?)',
    ],
    ['brotli', 'compress { encodings "brotli" }', 'did you mean "br"?'],
    ['identity', 'compress { encodings "identity" }', '"encodings" must be "br" or "gzip" or "zstd", not "identity"'],
    ['an encoding twice', 'compress { encodings "gzip" "gzip" }', '"encodings" names "gzip" twice (write it once)'],
    ['no encodings', 'compress { encodings #null }', '"encodings" needs at least one value (delete encodings)'],
    ['two blocks', 'compress { }; compress { }', '"compress" is given twice'],
  ])('refuses %s', (_, text, message) => {
    expectRefusedConfiguration(route(text), message);
  });

  it.each([
    ['builtin-handler "health"', 'a builtin route'],
    ['redirect { to "https://a.example" }', 'a route with redirect'],
    ['respond { status 200 }', 'a route with respond'],
  ])('has no effect on a route with %s, so it is an error there', (destination, kind) => {
    const text = configurationText({
      more: `routes { route "h" { matches { path "/h" }; ${destination}; policies { compress { } } } }`,
    });
    expect(problemsOf(text).join()).toContain(`"compress" has no effect on ${kind}`);
  });
});

describe('header rules of a compressing route', () => {
  it.each([
    ['set { "Content-Encoding" "gzip" }', '"set" of "response-headers" cannot change Content-Encoding'],
    ['add { "content_encoding" "gzip" }', '"add" of "response-headers" cannot change content_encoding'],
    ['remove "Content-Encoding"', '"remove" of "response-headers" cannot change Content-Encoding'],
    ['set { "ETag" "1" }', '"set" of "response-headers" cannot change ETag'],
    ['set { "Vary" "Cookie" }', 'cannot change Vary, which "compress" writes (write add { "Vary" ... })'],
    ['remove "Vary"', '"remove" of "response-headers" cannot change Vary'],
  ])('cannot contain %s', (rule, message) => {
    expectRefusedConfiguration(route(`compress; response-headers { ${rule} }`), message);
    expect(problemsOf(route(`response-headers { ${rule} }`))).toEqual([]);
    expect(problemsOf(route(`compress; response-headers { enabled #false; ${rule} }`))).toEqual([]);
  });

  it.each(['add { "Vary" "Cookie" }', 'remove "ETag"', 'set { "Cache-Control" "no-store" }'])(
    'may contain %s',
    (rule) => {
      expect(problemsOf(route(`compress; response-headers { ${rule} }`))).toEqual([]);
    },
  );

  it('count with those of defaults', () => {
    const text = configurationText({
      more: 'defaults { policies { compress; response-headers { remove "Vary" } } }',
    });
    expect(problemsOf(text).join()).toContain('cannot change Vary, which "compress" writes');
  });
});

describe('compress in defaults', () => {
  it('holds for every route but those that turn it off or cannot have it', () => {
    const { routes } = soundConfiguration(
      configurationText({
        more: `defaults { policies { compress { encodings "gzip" } } }
        routes {
          route "off" { matches { path "/off" }; agents "auth"; upstream "echo"; policies { compress #null } }
          route "own" { matches { path "/own" }; agents "auth"; upstream "echo"; policies { compress { min-bytes 1 } } }
          route "health" { matches { path "/health" }; builtin-handler "health" }
        }`,
      }),
    );
    const found = Object.fromEntries(routes.map(({ id, policies }) => [id, policies.compression?.encodings ?? null]));
    expect(found).toMatchObject({ off: null, own: ['br', 'gzip'], health: null });
    expect(Object.values(found)).toContainEqual(['gzip']);
  });
});

describe('codings that this Node lacks', () => {
  it('are errors that name the route', () => {
    const { routes } = soundConfiguration(route('compress { encodings "zstd" "gzip" }'));
    expect(missingCodings(routes, new Set(['br', 'gzip']))).toEqual([
      {
        routeId: 'api',
        message: '"encodings" of compress names "zstd", which this Node lacks: remove it, or use Node 22.15 or later',
      },
    ]);
    expect(missingCodings(routes, new Set(['br', 'gzip', 'zstd']))).toEqual([]);
    expect(missingCodings(soundConfiguration(route('')).routes, new Set())).toEqual([]);
  });
});
