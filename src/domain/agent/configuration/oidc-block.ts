import { documented, list, optional, required, withDefault } from '../../configuration/schema/scalar-keys.js';
import { boolean, oneOf, type ScalarKind, seconds, text } from '../../configuration/schema/scalar-kind.js';
import type { Fields } from '../../configuration/schema/schema.js';
import { err, ok } from '../../shared/result.js';
import { asymmetricAlgorithms } from '../tokens/signature-algorithm.js';
import { agentDefaults, type OidcProviderOptions } from './agent-configuration.js';
import { scopeName } from './claim-path.js';
import { optionBlocks } from './option-blocks.js';

const nameForm = /^[A-Za-z0-9_][A-Za-z0-9_.:/@-]{0,127}$/;
const nameRule = 'must be made of letters, digits and . _ : / @ -, 128 at most';

/** Shows in logs, so it has to stand where it is used. */
const providerName: ScalarKind<string> = {
  label: 'name',
  fallback: '',
  secret: false,
  read: (scalar) => {
    if (scalar.hidden) return err({ message: 'must stand where it is used: it shows in logs' });
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
      : err({ message: 'must be the id of a tenant: letters, digits and . _ -, at most 128 characters' }),
};

const oidcShape = {
  name: optional(providerName, 'How messages call the provider; also written as `oidc "name" { ... }`.'),
  enabled: withDefault(boolean, false, '`#false`', 'Accept its tokens.'),
  issuer: required(text, 'What the claim `iss` must be. Of several providers it picks the one.'),
  tenants: list(
    tenantId,
    'Tenants that are accepted: each takes the place of `{tenantid}` in `issuer` (and in `jwks-url`), as an issuer with keys of its own.',
  ),
  'jwks-url': documented(
    optional(text, 'URL of its key set. Redirects are not followed.'),
    'the `jwks_uri` of the discovery document at the issuer',
  ),
  audience: list(
    text,
    'Audiences, one of which the claim `aud` must name. Without it every token of the issuer is accepted.',
  ),
  algorithms: documented(
    list(
      oneOf(asymmetricAlgorithms),
      'Signature algorithms that are accepted. A key without `alg` verifies each of them that fits its type.',
    ),
    'the `alg` of each key; without it RS256, or the algorithm of its curve',
  ),
  'required-scopes': list(scopeName, 'Scopes that a token has to have, all of them.'),
  'jwks-refresh-secs': withDefault(
    seconds(1, 604_800),
    agentDefaults.jwksRefreshMs,
    '3600',
    'How often the key set is fetched anew.',
  ),
  'clock-skew-secs': withDefault(
    seconds(0, 600),
    agentDefaults.clockSkewMs,
    '30',
    'How far the clock of the provider may be off.',
  ),
};

/** Every `oidc` block. */
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
  requiredScopes: fields['required-scopes'].value.map(({ value }) => value),
  jwksRefreshMs: fields['jwks-refresh-secs'].value,
  clockSkewMs: fields['clock-skew-secs'].value,
});
