/** Warnings of `config check` about a configuration that runs. The names are stable: scripts may match them. */
export const adviceKinds = {
  'admin-without-token': {
    when: '`insecure-no-token #true` in `admin`, on an address that others can reach.',
    why: 'Anyone who reaches the address can read routes, upstreams and metrics.',
    instead: 'write token (env)"ADMIN_TOKEN", or use 127.0.0.1',
  },
  'plain-secret': {
    when: 'The file holds a password, key or token: in a key for it, in a URL or its query, in a header value such as Authorization, or under a name that sounds like one in the `config` of an agent. Hashes do not count.',
    why: 'The secret goes into backups, version control and tickets with the file.',
    instead: 'write (env)"NAME" or (file)"/run/secrets/name" in its place',
  },
  'secrets-readable-by-others': {
    when: 'Every user of the host can read a file that holds a secret.',
    why: 'Any program on the host can take the secret.',
    instead: 'remove the permission: chmod o-r FILE',
  },
  'everybody-is-trusted': {
    when: '`trusted-proxies` cover a /7 of IPv4 or a /15 of IPv6, in one block or several. Private addresses do not count.',
    why: 'Any client can then choose the address that limits, logs, agents and policies see.',
    instead: 'list only the addresses of your proxies',
  },
  'client-certificate-optional': {
    when: '`client-auth` is `request` on a listener while an agent authenticates by `mtls`.',
    why: 'Connections without a certificate are accepted and continue to the other methods.',
    instead: 'write client-auth "require", unless other methods are meant to authenticate too',
  },
  'agent-in-the-clear': {
    when: '`insecure #true` in the `grpc` transport of an agent on another host.',
    why: 'Anyone on the path can read and change requests and their credentials.',
    instead: 'add a tls block to the transport',
  },
  'agent-admin-in-the-clear': {
    when: '`admin` of an agent block, or `admin-address` of an agent, names an address that others can reach.',
    why: 'Anyone on the path can read the admin token and the sessions, and end sessions.',
    instead: 'use a unix socket or a loopback address, or a network that only the gateway and the agent share',
  },
  'upstream-not-verified': {
    when: '`insecure-skip-verify #true` in the `tls` of an upstream.',
    why: 'Anyone on the path can read and change requests, and answer in place of the targets.',
    instead: 'write ca-cert "/etc/portcullis/ca.pem" with the authority of the targets',
  },
  'port-of-another-protocol': {
    when: 'A target with port 443 in an upstream without `tls`, or with port 80 in one with `tls`.',
    why: 'The gateway speaks plain HTTP to a port that usually expects TLS, or the reverse. Such requests get 400 or 502.',
    instead: 'add a block tls to the upstream, or correct the port',
  },
  'redirect-loop': {
    when: 'A `redirect` leads, at once or over other routes, to a request that it redirects again. With a port in `to`, only if a listener has that port; with a fixed host, only if a route names that host.',
    why: 'Browsers give up after 20 redirects.',
    instead:
      'match only what must move: a scheme, host or path that the target lacks. If a load balancer ends TLS, list it in trusted-proxies',
  },
  'http-beside-redirect': {
    when: 'A route redirects every http request to https, and a more specific route of the same priority takes http requests too.',
    why: 'Requests and their credentials cross the network in the clear on that route.',
    instead: 'write priority "high" on the redirect, or a higher priority on a route that is meant to stay on http',
  },
  'cors-of-untrusted-origins': {
    when: 'An origin in `cors` with `*.` directly below a top-level domain, such as `https://*.com`; or one over http, except localhost, beside `allow-credentials #true`.',
    why: 'Pages that others control, or that anyone on the path can change, read what only their visitors should see.',
    instead: 'list the names that you own, over https',
  },
  'agent-fails-open': {
    when: '`failure-mode "open"` of an agent.',
    why: 'While the agent does not answer, requests pass without a decision.',
    instead: 'write failure-mode "closed", or delete it',
  },
  'unverified-email-is-trusted': {
    when: '`trust-unverified-email #true` in `oidc-login`, while the user id or `allowed-domains` depends on the address.',
    why: 'A user who can register any e-mail address at the provider signs on as the owner of that address.',
    instead: 'have the provider send email_verified, and delete the key',
  },
  'fetched-in-the-clear': {
    when: 'A URL of an identity provider, its metadata, a key set, single sign-on, token exchange or a collector that begins with http:// and names another host.',
    why: 'Anyone on the path can read what is sent and replace keys or messages.',
    instead: 'use https://',
  },
  'store-in-the-clear': {
    when: 'A Redis URL with a password that begins with redis:// and names another host.',
    why: 'The password and the stored data cross the network unencrypted.',
    instead: 'use rediss://',
  },
  'authorization-is-off': {
    when: '`authz` with `enabled #false`.',
    why: 'No policy is evaluated: every authenticated caller may do everything.',
    instead: 'set enabled to #true, or remove the block',
  },
  'route-without-agents': {
    when: 'A route with an upstream has no key `agents`, and an agent is on no route, or another route to the same upstream has agents.',
    why: 'Anyone can reach the upstream through that route.',
    instead: 'write agents "name" on the route, or agents #null if everyone may use it',
  },
  'authentication-fails-open': {
    when: '`fail-open #true` in the `config` of an agent.',
    why: 'A request with wrong credentials passes without an identity.',
    instead: 'remove fail-open, or use it on separate routes only',
  },
  'authorization-allows-by-default': {
    when: '`default-decision "allow"` in `authz`.',
    why: 'A request that no policy covers is allowed.',
    instead: 'write permit policies, and default-decision "deny"',
  },
  'failing-policies-are-skipped': {
    when: '`on-error "skip"` in `authz`.',
    why: 'A forbid policy that cannot be evaluated forbids nothing.',
    instead: 'remove on-error',
  },
  'credentials-go-to-upstreams': {
    when: '`forward-credentials #true` in the `config` of an agent.',
    why: 'A compromised upstream can use the API keys and sessions of callers elsewhere.',
    instead: 'remove forward-credentials',
  },
  'token-audience-unchecked': {
    when: '`jwt-secret` or `jwt-public-key` without `jwt-audience`, or an `oidc` block without `audience`.',
    why: 'A token that the issuer made for another service is accepted.',
    instead: 'set jwt-audience, or audience, to what the issuer calls this API',
  },
  'long-tokens-are-refused': {
    when: '`max-header-value-bytes` below 16384 (default 4096) while an agent accepts tokens: `jwt-secret`, `jwt-public-key` or `oidc`.',
    why: 'Agents accept tokens of up to 16 KiB; the gateway answers 431 above its limit. Tokens with many groups are that long.',
    instead:
      'write limits { max-header-value-bytes 17408; max-header-size-bytes 32768 }, unless your tokens are always shorter',
  },
  'session-cookie-in-the-clear': {
    when: '`cookie-secure #false` in `sessions` or `saml`.',
    why: 'Browsers send the session cookie over plain HTTP, where others can read it.',
    instead: 'remove cookie-secure',
  },
  'session-cookie-for-scripts': {
    when: '`cookie-http-only #false` in `sessions` or `saml`.',
    why: 'A script injected into a page can steal the session.',
    instead: 'remove cookie-http-only',
  },
  'session-cookie-for-every-host': {
    when: '`cookie-domain` in `sessions`.',
    why: 'Every host under the domain receives the session cookie. An attacker who controls one of them can take over sessions.',
    instead: 'remove cookie-domain, or run only trusted programs under the domain',
  },
  'sign-on-is-not-bound': {
    when: '`browser-binding #false` in `saml`.',
    why: 'An attacker can sign another browser on to the attacker’s account.',
    instead: 'remove browser-binding',
  },
  'sign-on-unasked-for': {
    when: '`allow-idp-initiated #true` in `saml`.',
    why: 'Any user can sign another browser on to their own account.',
    instead: 'remove allow-idp-initiated, and link to a protected page from the portal',
  },
  'sign-on-may-time-out': {
    when: '`timeout-ms` of an agent (default 1000) below 2000 while its `saml` is enabled, or below 6000 with an `oidc-login`.',
    why: 'A sign-on verifies signatures, writes to the session store, and asks the token endpoint of an OpenID provider. It can exceed the timeout and end with 504.',
    instead: 'write timeout-ms 2000 in the agent block, or 6000 with oidc-login',
  },
  'rate-limits-fail-open': {
    when: '`on-store-failure "allow"` in `limits`.',
    why: 'While the store does not answer, there are no rate limits.',
    instead: 'write on-store-failure "local"',
  },
  'slow-bodies-are-awaited': {
    when: '`min-body-rate 0` on a listener.',
    why: 'A client that sends an octet now and then can hold a connection indefinitely.',
    instead: 'remove min-body-rate',
  },
  'bodies-of-any-size': {
    when: '`max-body-size-bytes` of more than 1 GB for every route.',
    why: 'Any client can send that much to any upstream.',
    instead: 'keep the limit low, and set max-body-size in the policies of the routes that need more',
  },
  'pattern-taken-literally': {
    when: 'A match of a route looks like a pattern of another program: `*`, `:id` or `[id]` in `path` or `path-prefix`, `/api/*` or `{id}` in `path-regex`, `*` as the value of `header` or `query-param`, `method "ANY"`.',
    why: 'Matches are literal, so the route matches other requests than you mean, or none.',
    instead: 'write path-prefix "/api", or path-regex "^/users/[^/]+$"',
  },
  'deprecated-form': {
    when: 'A file uses a form of earlier versions, such as KDL 1.',
    why: 'A later version may refuse it.',
    instead: 'run gateway config migrate FILE --diff to see what would change',
  },
} as const satisfies Readonly<Record<string, AdviceKind>>;

/** The description of a kind of advice. */
export interface AdviceKind {
  readonly when: string;
  readonly why: string;
  readonly instead: string;
}

export type AdviceId = keyof typeof adviceKinds;
