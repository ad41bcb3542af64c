import { describe, expect, it } from 'vitest';
import { re2PathPatterns } from '../../../../../../src/adapters/outbound/re2-path-patterns/re2-path-patterns.js';
import { adviseOnRedirects } from '../../../../../../src/domain/configuration/whole/advice/redirect-advice.js';
import { compileRouteTable } from '../../../../../../src/domain/gateway/routing/route-table.js';
import { settingsOf } from '../../../../../support/shared/configuration-settings.js';
import { decodedText } from '../../../../../support/shared/decoded-configuration.js';

const tls = 'tls { cert-file "/c.pem"; key-file "/k.pem" }';
const http = 'listener "http" { address "127.0.0.1:80" }';
const https = `listener "https" { address "127.0.0.1:443"; protocol "https"; ${tls} }`;
const both = `${http}\n${https}`;
const behindBalancer = 'listener "http" { address "127.0.0.1:80"; trusted-proxies "127.0.0.1" }';

const adviceOn = (routes: string, listeners = both): readonly string[] => {
  const text = `listeners {\n${listeners}\n}\nroutes {\n${routes}\n}\nupstreams { upstream "u" { target "127.0.0.1:3001" } }`;
  const { configuration, problems } = decodedText(text);
  if (configuration === null) throw new Error(JSON.stringify(problems));
  const table = compileRouteTable(configuration.routes, re2PathPatterns);
  if (!table.ok) throw new Error(JSON.stringify(table.error));
  return adviseOnRedirects(configuration, table.value, settingsOf(text)).map(({ id, message }) => `${id}: ${message}`);
};

const route = (id: string, matches: string, destination: string, more = ''): string =>
  `route "${id}" { matches { ${matches} }; ${destination}; ${more} }\n`;
const to = (target: string, status = 307): string => `redirect { to "${target}"; status ${status} }`;
const all = 'path-prefix "/"';

describe('a redirect that never ends', () => {
  it.each([
    ['to the scheme that it has', route('a', all, to('https://{host}{path_query}')), both],
    ['to https, which no listener sees', route('a', `scheme "http"; ${all}`, to('https://{host}{path_query}')), http],
    ['to a path below', route('a', all, to('/new{path}')), http],
    ['to its own path', route('a', 'path "/a"', to('/a')), http],
    ['to itself by another spelling', route('a', 'path "/a"', to('/b/../%61')), http],
    ['of a regular expression to a path that it takes', route('a', 'path-regex "^/"', to('/a')), http],
    [
      'to a host that it takes',
      route('a', `host "a.example" "b.example"; ${all}`, to('https://b.example{path}')),
      http,
    ],
    ['to a host below', route('a', all, to('//www.{host}{path}')), http],
    ['to the port of another listener', route('a', all, to('http://{host}:80{path}')), http],
    ['over another route', route('a', 'path "/a"', to('/b')) + route('b', 'path "/b"', to('/a')), http],
    ['with the query that it wants', route('a', `query-param "q" "1"; ${all}`, to('{path}?q=1')), http],
  ])('is found: %s', (_name, routes, listeners) => {
    expect(adviceOn(routes, listeners)[0]).toMatch(/^redirect-loop: route "a" redirects in a circle: https?:/);
  });

  it.each([
    ['http to https', route('a', `scheme "http"; ${all}`, to('https://{host}{path_query}')), both],
    [
      'http to https behind a load balancer',
      route('a', `scheme "http"; ${all}`, to('https://{host}{path}')),
      behindBalancer,
    ],
    ['to another port', route('a', all, to('https://{host}:8443{path}')), http],
    ['to another host', route('a', all, to('https://other.example{path}')), http],
    ['from one host to another', route('a', `host "a.example"; ${all}`, to('//b.example{path}')), http],
    ['to a path that an upstream has', route('a', 'path "/a"', to('/b')) + route('b', all, 'upstream "u"'), http],
    ['to a path without route', route('a', 'path "/a"', to('/b')), http],
    ['of POST to GET', route('a', `method "POST"; ${all}`, to('{path}', 303)), http],
  ])('is not found where it ends: %s', (_name, routes, listeners) => {
    expect(adviceOn(routes, listeners)).toEqual([]);
  });
});

describe('a redirect of everything to https', () => {
  const secure = route('to-https', `scheme "http"; ${all}`, to('https://{host}{path_query}', 308));

  it('is advised against a route that goes before it', () => {
    expect(adviceOn(secure + route('api', 'path-prefix "/api"', 'upstream "u"'))).toEqual([
      'http-beside-redirect: route "api" still serves http: it ranks before the redirect of route "to-https"',
    ]);
  });

  it('is fine with a higher priority, and with routes that have another priority on purpose', () => {
    const high = secure.replace('to-https" {', 'to-https" { priority "high";');
    expect(adviceOn(high + route('api', 'path-prefix "/api"', 'upstream "u"'))).toEqual([]);
    const acme = route('acme', 'path-prefix "/.well-known"', 'upstream "u"', 'priority "critical"');
    expect(adviceOn(high + acme)).toEqual([]);
  });
});
