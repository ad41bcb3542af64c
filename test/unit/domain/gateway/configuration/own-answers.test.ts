import { describe, expect, it } from 'vitest';
import type { RouteConfiguration } from '../../../../../src/domain/gateway/configuration/gateway-configuration.js';
import { configurationText } from '../../../../support/shared/configuration-text.js';
import { problemsOf, soundConfiguration } from '../../../../support/shared/decoded-configuration.js';

const textOf = (route: string): string =>
  configurationText({
    routes: `routes { route "a" { matches { path-prefix "/a" }; ${route} }
      route "rest" { matches { path-prefix "/" }; upstream "echo"; agents #null } }`,
  });

const routeOf = (route: string): RouteConfiguration => {
  const [first] = soundConfiguration(textOf(route)).routes;
  if (first === undefined) throw new Error('no route');
  return first;
};

describe('a redirect', () => {
  it('has the status 307 without one', () => {
    const { redirect, upstream, builtinHandler } = routeOf('redirect { to "https://{host}{path_query}" }');
    expect(redirect).toMatchObject({ status: 307, to: { text: 'https://{host}{path_query}', scheme: 'https://' } });
    expect([upstream, builtinHandler]).toEqual([null, null]);
  });

  it.each([301, 302, 303, 307, 308])('may have the status %i', (status) => {
    expect(routeOf(`redirect { to "/b"; status ${status} }`).redirect?.status).toBe(status);
  });

  it('may be written as properties', () => {
    expect(routeOf('redirect to="/b" status=308').redirect).toMatchObject({ status: 308, to: { text: '/b' } });
  });

  it.each([
    ['redirect', '"to" is missing'],
    ['redirect { status 308 }', '"to" is missing'],
    ['redirect "/b"', '"redirect" takes a block, not a value'],
    ['redirect { to "/b"; status 304 }', '"status" must be 301, 302, 303, 307, 308, not 304'],
    ['redirect { to "/b"; status "permanent" }', '"status" must be 301 or 302 or 303 or 307 or 308'],
    ['redirect { to "" }', '"to" must not be empty'],
    ['redirect { to "{host}/x" }', '"to" must begin with https://, http:// or / (write "https://{host}{path_query}")'],
    ['redirect { to "https://{host}$request_uri" }', '"to" contains a variable of nginx'],
    ['redirect { to "https://{host}{uri}" }', '"to" is not a template: "{uri}" is not a placeholder'],
    [
      'redirect { to "/{path}" }',
      '"to" would begin with //, which names a host (delete the first /: the path has its own)',
    ],
    ['redirect { to "/b"; code 301 }', '"code"'],
    ['redirect { to "/b" }; upstream "echo"', 'has both "upstream" and "redirect"'],
    ['redirect { to "/b" }; respond { status 200 }', 'has both "redirect" and "respond"'],
    ['redirect { to "/b" }; builtin-handler "health"', 'has both "builtin-handler" and "redirect"'],
    ['redirect { to "/b" }; policies { timeout-secs 3 }', 'a timeout has no effect on a route with redirect'],
    [
      'redirect { to "/b" }; policies { buffer-requests #true }',
      '"buffer-requests" has no effect on a route with redirect',
    ],
    [
      'redirect { to "/b" }; circuit-breaker { failure-threshold 3 }',
      '"circuit-breaker" has no effect on a route with redirect',
    ],
    [
      'redirect { to "/b" }; policies { forward-identity-headers #true }',
      '"forward-identity-headers" has no effect on a route with redirect',
    ],
  ])('refuses %s', (route, message) => {
    expect(problemsOf(textOf(route)).join('\n')).toContain(message);
  });
});

describe('a fixed response', () => {
  it.each([
    ['respond { status 204 }', { status: 204, contentType: null, body: null }],
    ['respond { }', { status: 200, contentType: null, body: null }],
    [
      'respond { body "ok" }',
      { status: 200, contentType: 'text/plain; charset=utf-8', body: { kind: 'text', text: 'ok' } },
    ],
    [
      'respond { status 503; content-type "text/html"; body-file "/etc/portcullis/down.html" }',
      { status: 503, contentType: 'text/html', body: { kind: 'file', path: '/etc/portcullis/down.html' } },
    ],
    ['respond { body "" }', { status: 200, contentType: null, body: null }],
  ])('reads %s', (route, expected) => {
    expect(routeOf(route).respond).toEqual(expected);
  });

  it.each([
    ['respond { status 100 }', '"status" must be an integer from 200 to 599, not 100'],
    ['respond { status 600 }', '"status" must be an integer from 200 to 599, not 600'],
    ['respond { status 302 }', '"status" must not be a status of redirects (write redirect { to "https://..." }'],
    ['respond { status 304 }', '"status" must not be a status of redirects'],
    [
      'respond { status 204; body "x" }',
      'a response with status 204 has no body (delete the body, or write status 200)',
    ],
    ['respond { status 205; body-file "/x" }', 'a response with status 205 has no body'],
    ['respond { body "x"; body-file "/x" }', '"body" and "body-file" exclude each other (keep one of them)'],
    ['respond { content-type "text/html" }', '"content-type" has no effect without a body'],
    [
      'respond { content-type "html"; body "x" }',
      '"content-type" must be a media type (write "text/html; charset=utf-8")',
    ],
    ['respond { content-type "text/html\\r\\nX: y"; body "x" }', '"content-type" must be a media type'],
    ['respond { body 7 }', '"body" must be a string (write it in quotes)'],
    ['respond { body-file "<p>\\n</p>" }', '"body-file" must be the path of a file, not its content'],
    ['respond { body-file "" }', '"body-file" must not be empty'],
    ['respond 404', '"respond" takes a block, not a value'],
    ['respond { body "x"; headers "y" }', '"headers"'],
    [
      'respond { body "x" }; policies { buffer-responses #true }',
      '"buffer-responses" has no effect on a route with respond',
    ],
  ])('refuses %s', (route, message) => {
    expect(problemsOf(textOf(route)).join('\n')).toContain(message);
  });

  it('refuses a body of more than 1 MiB', () => {
    const body = 'x'.repeat(1_048_577);
    expect(problemsOf(textOf(`respond { body "${body}" }`)).join('\n')).toContain('must have at most 1048576 bytes');
  });
});

describe('a scheme match', () => {
  it.each(['"HTTP"', '"wss"', '#true'])('refuses the scheme %s', (scheme) => {
    const text = textOf('upstream "echo"').replace('path-prefix "/a"', `scheme ${scheme}`);
    expect(problemsOf(text).join('\n')).toContain('"scheme" must be "http" or "https"');
  });
});
