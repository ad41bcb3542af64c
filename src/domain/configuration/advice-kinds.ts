/** What `config check` warns of though a gateway runs with it. The names are stable: scripts may look for them. */
export const adviceKinds = {
  'admin-without-token': {
    when: '`insecure-no-token #true` in `admin`, on an address that others can reach.',
    why: 'Whoever reaches the address reads routes, upstreams and metrics.',
    instead: 'write token (env)"ADMIN_TOKEN", or keep to 127.0.0.1',
  },
  'plain-secret': {
    when: 'A password, key or token stands in the file itself: in a key for it, in a URL or its query, in the value of a header such as Authorization, or under a name that sounds like it in the `config` of any agent. Hashes do not count.',
    why: 'It goes wherever the file goes: into backups, version control and tickets.',
    instead: 'write (env)"NAME" or (file)"/run/secrets/name" in its place',
  },
  'secrets-readable-by-others': {
    when: 'A file with a secret in it can be read by every user of the machine.',
    why: 'Any program on the machine can take the secret.',
    instead: 'take the permission away: chmod o-r FILE',
  },
  'everybody-is-trusted': {
    when: '`trusted-proxies` take in a /7 of IPv4 or a /15 of IPv6, in one block or several. Private addresses do not count.',
    why: 'Any client can then choose the address that limits, logs, agents and policies see.',
    instead: 'name the addresses of the proxies alone',
  },
  'client-certificate-optional': {
    when: '`client-auth` is `request` on a listener while an agent authenticates by `mtls`.',
    why: 'Connections without a certificate are taken, and go on to the other methods.',
    instead: 'write client-auth "require", unless other methods are meant to do as well',
  },
  'agent-in-the-clear': {
    when: '`insecure #true` in the `grpc` transport of an agent on another machine.',
    why: 'Requests, and the credentials in them, can be read and changed on the way.',
    instead: 'give the transport a block tls',
  },
  'agent-fails-open': {
    when: '`failure-mode "open"` of an agent.',
    why: 'While the agent gives no answer, requests go on unjudged.',
    instead: 'write failure-mode "closed", or leave it out',
  },
  'fetched-in-the-clear': {
    when: 'A URL of an identity provider, its metadata, a key set, single sign-on, token exchange or a collector that begins with http:// and is not of this machine.',
    why: 'Whoever is on the way can read what is sent, and put keys or messages of their own in the place of the others.',
    instead: 'use https://',
  },
  'store-in-the-clear': {
    when: 'A URL of Redis with a password that begins with redis:// and is not of this machine.',
    why: 'The password goes over the network in the clear, and so does what is stored.',
    instead: 'use rediss://',
  },
  'authorization-is-off': {
    when: '`authz` with `enabled #false`.',
    why: 'No policy is looked at: whoever is authenticated may do everything.',
    instead: 'set enabled to #true, or take the block out',
  },
  'route-without-agents': {
    when: 'A route with an upstream has no key `agents`, while an agent is on no route, or while another route to the same upstream has agents.',
    why: 'Everyone can reach the upstream by that route.',
    instead: 'write agents "name" on the route, or agents #null if everyone may use it',
  },
  'authentication-fails-open': {
    when: '`fail-open #true` in the `config` of an agent.',
    why: 'A request whose credentials are wrong goes on, without an identity.',
    instead: 'leave out fail-open, or use it on routes of their own',
  },
  'authorization-allows-by-default': {
    when: '`default-decision "allow"` in `authz`.',
    why: 'A request that no policy was written for is allowed.',
    instead: 'write a permit policy for what may pass, and default-decision "deny"',
  },
  'failing-policies-are-skipped': {
    when: '`on-error "skip"` in `authz`.',
    why: 'A policy that forbids something forbids it no more while it cannot be evaluated.',
    instead: 'leave out on-error',
  },
  'credentials-go-to-upstreams': {
    when: '`forward-credentials #true` in the `config` of an agent.',
    why: 'An upstream that is broken into can use API keys and sessions of callers elsewhere.',
    instead: 'leave out forward-credentials',
  },
  'token-audience-unchecked': {
    when: '`jwt-secret` or `jwt-public-key` without `jwt-audience`, or an `oidc` block without `audience`.',
    why: 'A token that the issuer made for another service is accepted here.',
    instead: 'set jwt-audience, or audience, to what the issuer calls this API',
  },
  'long-tokens-are-refused': {
    when: '`max-header-value-bytes` below 16384 (4096 where none is given) while an agent accepts tokens: `jwt-secret`, `jwt-public-key` or `oidc`.',
    why: 'Agents take tokens of up to 16 KiB, and the gateway answers 431 to one that is longer than the limit. Tokens with many groups are.',
    instead:
      'write limits { max-header-value-bytes 17408; max-header-size-bytes 32768 }, unless your tokens are always shorter',
  },
  'session-cookie-in-the-clear': {
    when: '`cookie-secure #false` in `saml`.',
    why: 'Browsers send the session by plain HTTP too, where it can be read.',
    instead: 'leave out cookie-secure',
  },
  'session-cookie-for-scripts': {
    when: '`cookie-http-only #false` in `saml`.',
    why: 'A script that gets into a page can take the session with it.',
    instead: 'leave out cookie-http-only',
  },
  'sign-on-is-not-bound': {
    when: '`browser-binding #false` in `saml`.',
    why: 'An attacker can have a browser of somebody else sign on to the account of the attacker.',
    instead: 'leave out browser-binding',
  },
  'sign-on-unasked-for': {
    when: '`allow-idp-initiated #true` in `saml`.',
    why: 'Whoever has an account can sign another browser on to it.',
    instead: 'leave out allow-idp-initiated, and link to a protected page from the portal',
  },
  'sign-on-may-time-out': {
    when: '`timeout-ms` of an agent below 2000 (1000 where none is given) while its `saml` is enabled.',
    why: 'A sign-on verifies signatures and writes to the session store. On a busy machine it can take longer, and ends with 504.',
    instead: 'write timeout-ms 2000 in the agent block',
  },
  'rate-limits-fail-open': {
    when: '`on-store-failure "allow"` in `limits`.',
    why: 'While the store does not answer there are no rate limits.',
    instead: 'write on-store-failure "local"',
  },
  'slow-bodies-are-awaited': {
    when: '`min-body-rate 0` on a listener.',
    why: 'A client that sends an octet now and then holds a connection for as long as it likes.',
    instead: 'leave out min-body-rate',
  },
  'bodies-of-any-size': {
    when: '`max-body-size-bytes` of more than 1 GB for every route.',
    why: 'Any client may send that much to any upstream.',
    instead: 'keep the limit low, and write max-body-size in the policies of the route that needs more',
  },
  'pattern-taken-literally': {
    when: 'A match of a route looks like a pattern of another program: `*`, `:id` or `[id]` in `path` or `path-prefix`, `/api/*` or `{id}` in `path-regex`, `*` as the value of `header` or `query-param`, `method "ANY"`.',
    why: 'Matches are taken literally, so the route takes other requests than you mean, or none.',
    instead: 'write path-prefix "/api", or path-regex "^/users/[^/]+$"',
  },
  'deprecated-form': {
    when: 'A file is written in a form of earlier versions, KDL 1 among them.',
    why: 'A later version may not read it.',
    instead: 'gateway config migrate FILE --diff shows what would change',
  },
} as const satisfies Readonly<Record<string, AdviceKind>>;

/** A kind of advice, for people. */
export interface AdviceKind {
  readonly when: string;
  readonly why: string;
  readonly instead: string;
}

export type AdviceId = keyof typeof adviceKinds;
