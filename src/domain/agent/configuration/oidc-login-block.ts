import { isHostName } from '../../configuration/schema/network-kinds.js';
import { documented, list, optional, required, withDefault } from '../../configuration/schema/scalar-keys.js';
import {
  boolean,
  checkedText,
  integer,
  oneOf,
  type ScalarKind,
  seconds,
  secret,
  text,
} from '../../configuration/schema/scalar-kind.js';
import type { Fields } from '../../configuration/schema/schema.js';
import { err, ok } from '../../shared/result.js';
import { isClientId } from '../token-exchange/printable-name.js';
import { asymmetricAlgorithms } from '../tokens/signature-algorithm.js';
import { agentDefaults } from './agent-configuration.js';
import { claimMapping } from './attribute-mapping.js';
import { scopeName } from './claim-path.js';
import type { OidcLoginBlockOptions } from './oidc-login-options.js';
import { optionBlocks } from './option-blocks.js';

/** A part of paths and of sessions. */
const loginName: ScalarKind<string> = {
  label: 'name',
  fallback: '',
  secret: false,
  read: ({ value, hidden }) => {
    if (hidden) return err({ message: 'must be written literally, because logs show it' });
    return typeof value === 'string' && /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(value)
      ? ok(value)
      : err({ message: 'must consist of at most 64 letters, digits and _ -' });
  },
};

const clientId = checkedText('client id', (value) =>
  isClientId(value) ? null : { message: 'must be a client id: at most 256 printable ASCII characters' },
);

const domain = checkedText('domain', (value) =>
  isHostName(value) && value.includes('.') ? null : { message: 'must be a domain, as in "example.com"' },
);

/** A value of `acr_values`, which are separated by spaces. */
export const acrValue = checkedText('authentication context', (value) =>
  /^[\x21-\x7e]{1,256}$/.test(value) ? null : { message: 'must be printable ASCII without spaces' },
);

const claimName = checkedText('claim', (value) =>
  /^[\x21-\x7e]{1,256}$/.test(value) ? null : { message: 'must be the name of a claim, without spaces' },
);

const oidcLoginShape = {
  name: optional(loginName, 'The name of the login; written as `oidc-login "name" { ... }`.'),
  enabled: withDefault(boolean, true, '`#true`', 'Users can sign on at this provider.'),
  issuer: required(text, 'The issuer of the provider, compared exactly. Its discovery document names the endpoints.'),
  'authorization-url': documented(
    optional(text, 'URL of the authorization endpoint.'),
    'the `authorization_endpoint` of the discovery document',
  ),
  'token-url': documented(
    optional(
      text,
      'URL of the token endpoint. Redirects are not followed. With `authorization-url` and `token-url`, endpoints need no discovery.',
    ),
    'the `token_endpoint` of the discovery document',
  ),
  'jwks-url': documented(
    optional(text, 'URL of the key set. Redirects are not followed.'),
    'the `jwks_uri` of the discovery document',
  ),
  'userinfo-url': documented(
    optional(
      text,
      'URL of the userinfo endpoint. It is asked if the ID token lacks a claim that `user-id-claim`, `allowed-domains` or `claim-mapping` needs.',
    ),
    'the `userinfo_endpoint` of the discovery document',
  ),
  'end-session-url': documented(
    optional(text, 'URL at which a user signs out of the provider (OpenID Connect RP-Initiated Logout 1.0).'),
    'the `end_session_endpoint` of the discovery document',
  ),
  'client-id': required(clientId, 'The client id of this agent at the provider.'),
  'client-secret': optional(secret, 'The client secret. It is sent only to the token endpoint.'),
  'client-key-file': optional(
    text,
    'Path of a PEM private key, RSA, P-256 or Ed25519, that authenticates the client (`private_key_jwt`). Its `kid` is the SHA-256 thumbprint of the key (RFC 7638). Without key and secret, the client is public.',
  ),
  'public-url': list(
    text,
    'Origins of the callback, login and logout as browsers see them, as in `https://portal.example.com`; at least one. The host of a request only selects one of them.',
  ),
  'callback-path': documented(
    optional(text, 'Path to which the provider sends its answers. Register each `public-url` with this path.'),
    '`/oidc/callback/` and the name',
  ),
  'login-path': withDefault(
    text,
    agentDefaults.oidcLoginPath,
    `\`${agentDefaults.oidcLoginPath}\``,
    'Path that begins a sign-on: `?provider=NAME&return_to=/x`. Several logins may share it.',
  ),
  'logout-path': withDefault(
    text,
    agentDefaults.oidcLogoutPath,
    `\`${agentDefaults.oidcLogoutPath}\``,
    'Path that ends the sessions of the browser, and then the session at the provider. Several logins may share it.',
  ),
  'backchannel-logout-path': withDefault(
    text,
    agentDefaults.backchannelLogoutPath,
    `\`${agentDefaults.backchannelLogoutPath}\``,
    'Path to which the provider posts logout tokens (OpenID Connect Back-Channel Logout 1.0). Several logins may share it.',
  ),
  'frontchannel-logout-path': withDefault(
    text,
    agentDefaults.frontchannelLogoutPath,
    `\`${agentDefaults.frontchannelLogoutPath}\``,
    'Path that a page of the provider loads in a frame, with `iss` and `sid` (OpenID Connect Front-Channel Logout 1.0). Several logins may share it.',
  ),
  'post-logout-url': documented(
    optional(
      text,
      'URL to which the browser goes after a sign-out. Register it at the provider, which redirects to it with a `state`.',
    ),
    'a page of the provider, or of the agent',
  ),
  scopes: documented(list(scopeName, 'Requested scopes, `openid` among them.'), '`openid` `profile` `email`'),
  'protected-paths': list(
    text,
    'Prefixes of the paths that require an identity, without `*`; each covers all paths below; none: every path.',
  ),
  'excluded-paths': list(
    text,
    'Prefixes of paths, without `*`, on which sessions are ignored and no browser is redirected. They override `protected-paths`.',
  ),
  'user-id-claim': withDefault(
    claimName,
    agentDefaults.userIdClaim,
    `\`${agentDefaults.userIdClaim}\``,
    'The claim with the user id. `email` must be verified.',
  ),
  'claim-mapping': claimMapping,
  'allowed-domains': list(
    domain,
    'Domains of e-mail addresses of which the user must have one, compared whole. The address must be verified.',
  ),
  'trust-unverified-email': withDefault(
    boolean,
    false,
    '`#false`',
    'Accept an e-mail address that the provider has not verified.',
  ),
  prompt: list(
    oneOf(['login', 'consent', 'select_account', 'create']),
    'What the provider asks the user for, although it knows the user.',
  ),
  'max-age-secs': optional(
    integer(0, 31_536_000),
    'Maximum age of the authentication of the user, in seconds: requested and required.',
  ),
  'acr-values': list(acrValue, 'Requested authentication contexts, of which the ID token must have one; none: any.'),
  'response-mode': withDefault(
    oneOf(['query', 'form_post']),
    'query',
    '`query`',
    'How the provider sends its answer: in a redirect, or in a posted form that no log contains.',
  ),
  'require-iss': withDefault(
    boolean,
    false,
    '`#false`',
    'Refuse an answer that does not name the issuer (RFC 9207). Always so if the discovery document announces it.',
  ),
  'forward-access-token': withDefault(
    boolean,
    false,
    '`#false`',
    'Send the access token of the user to upstreams, in `Authorization`. It replaces what the client sends there.',
  ),
  'refresh-grace-secs': documented(
    optional(
      seconds(0, 86_400),
      'How long a session continues after its access token expires while refreshes fail. Afterwards requests get 503 until a refresh succeeds. An error with `forward-access-token #true`.',
    ),
    '300',
  ),
  algorithms: documented(
    list(oneOf(asymmetricAlgorithms), 'Accepted signature algorithms of ID tokens.'),
    'the `alg` of each key; keys without `alg`: RS256, or the algorithm of the curve',
  ),
  'jwks-refresh-secs': withDefault(
    seconds(1, 604_800),
    agentDefaults.jwksRefreshMs,
    '3600',
    'Refresh interval of the key set.',
  ),
  'clock-skew-secs': withDefault(
    seconds(0, 600),
    agentDefaults.clockSkewMs,
    '30',
    'Tolerance for the clock of the provider.',
  ),
};

/** All `oidc-login` blocks. */
export const oidcLoginBlocks = optionBlocks(
  oidcLoginShape,
  'Sign-on at an OpenID provider (authorization code with PKCE), with sessions. Several providers may be configured.',
);

const valuesOf = <Value>(located: readonly { readonly value: Value }[]): readonly Value[] =>
  located.map(({ value }) => value);

export const toOidcLoginOptions = (fields: Fields<typeof oidcLoginShape>): OidcLoginBlockOptions => ({
  name: fields.name.value,
  enabled: fields.enabled.value,
  issuer: fields.issuer.value,
  endpoints: {
    authorizationUrl: fields['authorization-url'].value,
    tokenUrl: fields['token-url'].value,
    userinfoUrl: fields['userinfo-url'].value,
    endSessionUrl: fields['end-session-url'].value,
  },
  jwksUrl: fields['jwks-url'].value,
  clientId: fields['client-id'].value,
  clientSecret: fields['client-secret'].value,
  clientKeyFile: fields['client-key-file'].value,
  publicUrls: valuesOf(fields['public-url'].value),
  callbackPath: fields['callback-path'].value,
  loginPath: fields['login-path'].value,
  logoutPath: fields['logout-path'].value,
  backchannelLogoutPath: fields['backchannel-logout-path'].value,
  frontchannelLogoutPath: fields['frontchannel-logout-path'].value,
  postLogoutUrl: fields['post-logout-url'].value,
  scopes: fields.scopes.given ? valuesOf(fields.scopes.value) : agentDefaults.loginScopes,
  protectedPaths: valuesOf(fields['protected-paths'].value),
  excludedPaths: valuesOf(fields['excluded-paths'].value),
  userIdClaim: fields['user-id-claim'].value,
  claimMapping: fields['claim-mapping'].value,
  allowedDomains: valuesOf(fields['allowed-domains'].value).map((each) => each.toLowerCase()),
  trustsUnverifiedEmail: fields['trust-unverified-email'].value,
  prompt: valuesOf(fields.prompt.value),
  maxAgeSecs: fields['max-age-secs'].value,
  acrValues: valuesOf(fields['acr-values'].value),
  responseMode: fields['response-mode'].value,
  requireIss: fields['require-iss'].value,
  forwardsAccessToken: fields['forward-access-token'].value,
  refreshGraceMs: fields['refresh-grace-secs'].value,
  algorithms: fields.algorithms.value.length === 0 ? null : valuesOf(fields.algorithms.value),
  jwksRefreshMs: fields['jwks-refresh-secs'].value,
  clockSkewMs: fields['clock-skew-secs'].value,
});
