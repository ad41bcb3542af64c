import { foreignType, replacedType, type Shape } from './schema.js';

/** Depth of the inner blocks that are searched for a key. */
const deepest = 2;

const plainName = (name: string): string => name.toLowerCase().replaceAll('_', '-');

const isCurrent = (shape: Shape, name: string): boolean =>
  Object.hasOwn(shape, name) && ![foreignType, replacedType].includes(shape[name]?.document.type ?? '');

/** The ways to the inner blocks that have a key, at one depth. */
const waysTo = (name: string, shape: Shape, depth: number): readonly (readonly string[])[] =>
  Object.entries(shape).flatMap(([block, { shape: inner }]) => {
    if (inner === null || !isCurrent(shape, block)) return [];
    if (depth === 1) return isCurrent(inner, name) ? [[block]] : [];
    return waysTo(name, inner, depth - 1).map((way) => [block, ...way]);
  });

/**
 * What to write for a key that stands outside its block, as in `cors` of a route. Null: no inner block has the key, or
 * several have it.
 */
export const misplacedKeyHint = (name: string, shape: Shape): string | null => {
  const key = plainName(name);
  for (let depth = 1; depth <= deepest; depth += 1) {
    const [way, other] = waysTo(key, shape, depth);
    if (way === undefined) continue;
    return other === undefined ? `write ${way.join(' { ')} { ${key} ... ${Array(depth).fill('}').join(' ')}` : null;
  }
  return null;
};

/** Directives of nginx, keys of Traefik and of oauth2-proxy, and what to write in their place. */
const otherProxies: ReadonlyMap<string, string> = new Map([
  ['server', 'write target "127.0.0.1:3000" in an upstream; for a virtual host, write a route with matches { host }'],
  ['location', 'write route "name" { matches { path-prefix "/path" } }'],
  ['listen', 'write address "127.0.0.1:8080"'],
  ['server-name', 'write matches { host "app.example.com"; path-prefix "/" } in a route'],
  ['proxy-pass', 'write upstream "name", and that upstream with its target'],
  ['grpc-pass', 'write upstream "name", and http-version "2" in that upstream'],
  ['return', 'write redirect { to "https://{host}{path_query}" }, or respond { body "text" }'],
  ['try-files', 'the gateway serves no files: use a web server as the upstream'],
  ['root', 'the gateway serves no files: use a web server as the upstream'],
  ['proxy-set-header', 'write request-headers { set { "Name" "value" } } in policies'],
  ['add-header', 'write response-headers { set { "Name" "value" } } in policies'],
  ['proxy-hide-header', 'write response-headers { remove "Name" } in policies'],
  ['client-max-body-size', 'write max-body-size "10MB" in policies'],
  ['gzip', 'write compress #true in policies'],
  ['gzip-types', 'write compress { types "text/*" } in policies'],
  ['brotli', 'write compress #true in policies'],
  ['limit-req', 'write rate-limit { requests-per-second 5 } in policies'],
  ['limit-req-zone', 'write rate-limit { requests-per-second 5; key "client_ip" } in policies'],
  ['limit-conn', 'write limits { max-connections-per-client 100 }'],
  ['auth-request', 'write agents "name" in the route'],
  ['auth-basic', 'write agents "name" in the route, and basic-auth-users in the agent'],
  ['split-clients', 'write split { upstream "name" weight=95; upstream "other" weight=5 } in a route'],
  ['proxy-read-timeout', 'write timeouts { request-secs 60; read-secs 60 } in the upstream'],
  ['proxy-connect-timeout', 'write timeouts { connect-secs 5 } in the upstream'],
  ['ssl', 'write protocol "https" and tls { cert-file "FILE"; key-file "FILE" }'],
  ['ssl-certificate', 'write tls { cert-file "FILE"; key-file "FILE" } in a listener'],
  ['ssl-certificate-key', 'write tls { cert-file "FILE"; key-file "FILE" } in a listener'],
  ['access-log', 'delete the line: the gateway logs to standard output'],
  ['http', 'write listeners, routes and upstreams at the top level'],
  ['entrypoints', 'write listeners { listener "name" { address "0.0.0.0:80" } }'],
  ['routers', 'write routes { route "name" { ... } }'],
  ['services', 'write upstreams { upstream "name" { target "127.0.0.1:3000" } }'],
  ['middlewares', 'write policies in the route, or defaults { policies } for all routes'],
  ['rule', 'write matches { host "app.example.com"; path-prefix "/api" }'],
  ['service', 'write upstream "name"'],
  ['loadbalancer', 'write upstreams { upstream "name" { target "127.0.0.1:3000" } }'],
  ['certresolver', 'let an ACME client write the files of tls { cert-file; key-file }'],
  ['stripprefix', 'write rewrite { strip-prefix "/api" } in policies'],
  ['addprefix', 'write rewrite { add-prefix "/v1" } in policies'],
  ['headers', 'write request-headers or response-headers in policies'],
  ['oidc-issuer-url', 'write issuer "https://id.example.com" in oidc-login'],
  ['redirect-url', 'write public-url "https://portal.example.com" in oidc-login; callback-path has the path'],
  ['cookie-secret', 'delete the line: a cookie holds a random id, which needs no secret'],
  ['cookie-expire', 'write ttl-secs 28800 in sessions'],
  ['cookie-refresh', 'delete the line: the agent refreshes tokens if the provider gives a refresh token'],
  ['email-domains', 'write allowed-domains "example.com" in oidc-login'],
  ['whitelist-domains', 'write return-hosts "*.example.com" in sessions'],
  ['pass-access-token', 'write forward-access-token #true in oidc-login'],
]);

/** What to write in place of a key of nginx, Traefik or oauth2-proxy; null: the name belongs to none of them. */
export const otherProxyHint = (name: string): string | null => {
  const plain = plainName(name).slice(0, 80);
  if (plain.startsWith('traefik.')) return 'labels are not read: write listeners, routes and upstreams';
  if (plain.endsWith(':')) return 'this is KDL, not YAML: write name { ... } or name "value"';
  return otherProxies.get(plain) ?? null;
};
