import { headerName } from '../../configuration/schema/network-kinds.js';
import { documented, list, optional, required, withDefault } from '../../configuration/schema/scalar-keys.js';
import { boolean, oneOf, type ScalarKind, seconds, secret, text } from '../../configuration/schema/scalar-kind.js';
import type { Fields } from '../../configuration/schema/schema.js';
import { isToken } from '../../http/field-syntax.js';
import { err, ok } from '../../shared/result.js';
import { asymmetricAlgorithms } from '../tokens/signature-algorithm.js';
import { agentDefaults, type IntrospectionOptions, type OidcProviderOptions } from './agent-configuration.js';
import { scopeName } from './claim-path.js';
import { optionBlock, optionBlocks } from './option-blocks.js';

const nameForm = /^[A-Za-z0-9_][A-Za-z0-9_.:/@-]{0,127}$/;
const nameRule = 'must consist of at most 128 letters, digits and . _ : / @ -';

/** Logs show it, so it must be written literally. */
const providerName: ScalarKind<string> = {
  label: 'name',
  fallback: '',
  secret: false,
  read: (scalar) => {
    if (scalar.hidden) return err({ message: 'must be written literally, because logs show it' });
    if (typeof scalar.value !== 'string' || !nameForm.test(scalar.value)) return err({ message: nameRule });
    return ok(scalar.value);
  },
};

const tenantForm = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

const tenantId: ScalarKind<string> = {
  label: 'tenant id',
  fallback: '',
  secret: false,
  read: ({ value }) =>
    typeof value === 'string' && tenantForm.test(value)
      ? ok(value)
      : err({ message: 'must be a tenant id: at most 128 letters, digits and . _ -' }),
};

/** Maximum characters of the name of a token cookie. */
const cookieNameLength = 128;

const cookieName: ScalarKind<string> = {
  label: 'name',
  fallback: '',
  secret: false,
  read: ({ value }) =>
    typeof value === 'string' && isToken(value) && value.length <= cookieNameLength
      ? ok(value)
      : err({ message: `must be the name of a cookie: a token of at most ${cookieNameLength} characters` }),
};

const introspectionShape = {
  enabled: withDefault(boolean, true, '`#true`', 'Ask about opaque tokens.'),
  url: required(text, 'URL of the introspection endpoint: https, or http on a loopback address.'),
  'client-id': required(text, 'Client id of this API at the provider.'),
  'client-secret': required(secret, 'Client secret, sent with Basic authentication.'),
  'cache-secs': withDefault(
    seconds(0, 3600),
    agentDefaults.introspectionCacheMs,
    '30',
    'How long an active token is accepted without another question, at most until it expires.',
  ),
};

const introspection = optionBlock(
  introspectionShape,
  'Asks the provider about tokens that are no JWT (RFC 7662). In one `oidc` block only, and not with `tenants`.',
);

const toIntrospectionOptions = (fields: Fields<typeof introspectionShape>): IntrospectionOptions | null =>
  fields.enabled.value
    ? {
        url: fields.url.value,
        clientId: fields['client-id'].value,
        clientSecret: fields['client-secret'].value,
        cacheMs: fields['cache-secs'].value,
      }
    : null;

const proofKinds = ['dpop'] as const;

const oidcShape = {
  name: optional(providerName, 'The name of the provider in messages; also written as `oidc "name" { ... }`.'),
  enabled: withDefault(boolean, false, '`#false`', 'Accept its tokens.'),
  issuer: required(text, 'The required claim `iss`. It selects the provider of a token.'),
  tenants: list(
    tenantId,
    'Accepted tenants. Each replaces `{tenantid}` in `issuer` (and in `jwks-url`) and is an issuer with its own keys.',
  ),
  'jwks-url': documented(
    optional(text, 'URL of its key set. Redirects are not followed.'),
    'the `jwks_uri` of the discovery document at the issuer',
  ),
  audience: list(
    text,
    'Audiences of which the claim `aud` must contain one. Without it every token of the issuer is accepted.',
  ),
  algorithms: documented(
    list(
      oneOf(asymmetricAlgorithms),
      'Accepted signature algorithms. A key without `alg` is used for all that fit its type.',
    ),
    'the `alg` of each key; keys without `alg`: RS256, or the algorithm of the curve',
  ),
  'token-header': documented(
    optional(
      headerName,
      'A header with tokens of this provider, as in `Cf-Access-Jwt-Assertion`. Read if `Authorization` has no bearer token, and removed before the upstream unless `forward-credentials` is `#true`.',
    ),
    'tokens are read from `Authorization` only',
  ),
  'token-cookie': documented(
    optional(
      cookieName,
      'A cookie with tokens of this provider. Read if neither `Authorization` nor a `token-header` has a token; removed like `token-header`.',
    ),
    'none',
  ),
  introspection,
  'require-proof': documented(
    optional(
      oneOf(proofKinds),
      'Proof of possession that its tokens need. `dpop`: only tokens with `cnf.jkt` are accepted, each with a DPoP proof (RFC 9449).',
    ),
    'only for tokens that are bound to a key',
  ),
  'required-scopes': list(scopeName, 'Scopes that a token must have, all of them.'),
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

/** All `oidc` blocks. */
export const oidcBlocks = optionBlocks(
  oidcShape,
  'A provider (OpenID Connect, OAuth 2.0) whose access tokens are accepted as bearer tokens.',
);

export const toProviderOptions = (fields: Fields<typeof oidcShape>): OidcProviderOptions => ({
  name: fields.name.value,
  enabled: fields.enabled.value,
  issuer: fields.issuer.value,
  tenants: fields.tenants.value.map(({ value }) => value),
  jwksUrl: fields['jwks-url'].value,
  audiences: fields.audience.value.map(({ value }) => value),
  algorithms: fields.algorithms.value.length === 0 ? null : fields.algorithms.value.map(({ value }) => value),
  tokenHeader: fields['token-header'].value,
  tokenCookie: fields['token-cookie'].value,
  introspection: fields.introspection.value === null ? null : toIntrospectionOptions(fields.introspection.value),
  requiredProof: fields['require-proof'].value,
  requiredScopes: fields['required-scopes'].value.map(({ value }) => value),
  jwksRefreshMs: fields['jwks-refresh-secs'].value,
  clockSkewMs: fields['clock-skew-secs'].value,
});
