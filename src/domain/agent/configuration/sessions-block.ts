import { isHostName } from '../../configuration/schema/network-kinds.js';
import { documented, list, optional } from '../../configuration/schema/scalar-keys.js';
import { boolean, checkedText, integer, oneOf, seconds, secret, text } from '../../configuration/schema/scalar-kind.js';
import type { Fields } from '../../configuration/schema/schema.js';
import { webOrigin } from '../../configuration/schema/web-origin.js';
import { agentDefaults } from './agent-configuration.js';
import { acrValue } from './oidc-login-block.js';
import { optionBlock, optionBlocks } from './option-blocks.js';
import type { SessionsBlockOptions } from './sessions-options.js';

const year = 31_536_000;

const cookieDomain = checkedText('a domain', (value) => {
  if (!isHostName(value)) {
    return { message: 'must be a domain without a leading dot, as in "example.com"' };
  }
  return value.includes('.')
    ? null
    : { message: 'must have at least two labels: browsers refuse cookies for a whole top-level domain' };
});

/** A host with an optional port, or all hosts below one. */
const returnHost = checkedText('a host', (value) => {
  const [, name = '', port = '443'] = /^(?:\*\.)?([^:]*)(?::(\d{1,5}))?$/.exec(value) ?? [];
  if (isHostName(name) && Number(port) >= 1 && Number(port) <= 65_535) return null;
  return { message: 'must be a host, as in "app.example.com", or "*.example.com" for all hosts below one' };
});

const requireShape = {
  name: optional(text, 'The path; written as `require "/admin" { ... }`. It covers all paths below it.'),
  provider: optional(text, 'The way to sign on: the name of an `oidc-login` block, or `saml`.'),
  'acr-values': list(
    acrValue,
    'Authentication contexts of which the session must have one: `acr` of the ID token, or AuthnContextClassRef of SAML. The sign-on requests them.',
  ),
  'max-age-secs': optional(
    integer(1, year),
    'Maximum age of the authentication of the user, in seconds: `auth_time` or AuthnInstant. `clock-skew-secs` of the provider is added.',
  ),
};

/** All `require` blocks. */
const requireBlocks = optionBlocks(
  requireShape,
  'What a path requires of a session (step-up authentication). The longest path counts. A session that does not suffice leads to a new sign-on, or to 401 `insufficient_user_authentication`. Other credentials need no session.',
  'max-age-secs 300',
);

const sessionsShape = {
  store: documented(
    optional(
      oneOf(['sqlite', 'memory', 'redis']),
      'The session store. With `memory`, sessions end with the program; its workers share them, other programs do not.',
    ),
    '`sqlite`',
  ),
  path: optional(
    text,
    `Path of the \`sqlite\` file; default: \`${agentDefaults.sessionStorePath}\`. It is created if missing, readable only by its owner. Checking a configuration neither opens nor creates it.`,
  ),
  url: optional(
    secret,
    'URL of `redis`, as in `rediss://user:password@host:6379/0` with the database number. Percent-encode user and password if necessary. `redis://` sends the password unencrypted.',
  ),
  'ttl-secs': documented(optional(seconds(1, year), 'Lifetime of a session.'), '28800'),
  'idle-secs': optional(seconds(1, year), 'Idle time after which a session ends. Default: no idle limit.'),
  'cleanup-interval-secs': documented(
    optional(seconds(1, 86_400), 'Interval at which expired sessions are removed from the store.'),
    '300',
  ),
  'cookie-name': documented(
    optional(
      text,
      'The name of the session cookie. The cookies that bind sign-ons have names that begin with it, with `__Host-` in place of its prefix. Browsers accept a `__Host-` cookie only from its own host.',
    ),
    `\`${agentDefaults.hostSessionCookieName}\`; \`${agentDefaults.sessionCookieName}\` with \`saml\``,
  ),
  'cookie-domain': optional(
    cookieDomain,
    'The domain whose hosts all receive the session cookie; not a public suffix. It excludes a `__Host-` name. Default: only the host that set the cookie.',
  ),
  'cookie-same-site': documented(
    optional(
      oneOf(['Lax', 'Strict', 'None']),
      'Which cross-site requests carry the session cookie: links and redirects (`Lax`), none (`Strict`), or all (`None`).',
    ),
    '`Lax`',
  ),
  'cookie-secure': documented(optional(boolean, 'Browsers send the session cookie only over HTTPS.'), '`#true`'),
  'cookie-http-only': documented(optional(boolean, 'Scripts of pages cannot read the session cookie.'), '`#true`'),
  'former-cookie-names': list(
    text,
    'Names of session cookies that are still read, and no longer set. A request with a cookie of the current name ignores them. List a name until its last session has ended.',
  ),
  'return-hosts': list(
    returnHost,
    'Hosts to which a browser may return after a sign-on, as in `app.example.com`, `app.example.com:8443` or `*.example.com` (all hosts below it, not itself). The URL must be https. Paths of the same host need no entry; with `cookie-domain`, its hosts need none either.',
  ),
  'keep-posted-forms': documented(
    optional(
      boolean,
      'Keep a form that a browser posts after its session has ended. After the sign-on, a page shows host and path, and the user confirms that the form is sent again. Other POST requests without a session get 401.',
    ),
    '`#false`',
  ),
  'allow-origins': list(
    webOrigin,
    'Origins of other sites whose pages may change something with the session cookie or a `token-cookie`, as in `https://app.example.org`. List those that `cors` allows with credentials. From all others, a request by such a cookie that is not GET, HEAD or OPTIONS, or that opens a WebSocket, gets 403 `cross_site_request`.',
  ),
  require: requireBlocks,
};

/** The `sessions` block. */
export const sessionsBlock = optionBlock(
  sessionsShape,
  'The sessions of signed-on users, common to all ways to sign on. Used DPoP proofs are in the same store; without a way to sign on, only `store`, `path`, `url` and, beside a `token-cookie`, `allow-origins` may be set. `saml` has some of these keys under other names; set each in one of the two blocks only.',
);

const valuesOf = (located: readonly { readonly value: string }[]): readonly string[] =>
  located.map(({ value }) => value);

export const toSessionsBlockOptions = (fields: Fields<typeof sessionsShape>): SessionsBlockOptions => ({
  store: fields.store.value,
  path: fields.path.value,
  url: fields.url.value,
  ttlMs: fields['ttl-secs'].value,
  idleMs: fields['idle-secs'].value,
  cleanupIntervalMs: fields['cleanup-interval-secs'].value,
  cookieName: fields['cookie-name'].value,
  cookieDomain: fields['cookie-domain'].value,
  cookieSameSite: fields['cookie-same-site'].value,
  cookieSecure: fields['cookie-secure'].value,
  cookieHttpOnly: fields['cookie-http-only'].value,
  formerCookieNames: valuesOf(fields['former-cookie-names'].value),
  returnHosts: valuesOf(fields['return-hosts'].value),
  keepPostedForms: fields['keep-posted-forms'].value,
  allowOrigins: valuesOf(fields['allow-origins'].value),
  require: fields.require.value.map(({ fields: one }) => ({
    path: one.name.value,
    provider: one.provider.value,
    acrValues: valuesOf(one['acr-values'].value),
    maxAgeSecs: one['max-age-secs'].value,
  })),
});
