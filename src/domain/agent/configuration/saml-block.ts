import { list, optional, required, withDefault } from '../../configuration/schema/scalar-keys.js';
import {
  boolean,
  checkedText,
  oneOf,
  type ScalarKind,
  seconds,
  secret,
  text,
} from '../../configuration/schema/scalar-kind.js';
import type { Field, Fields } from '../../configuration/schema/schema.js';
import { err } from '../../shared/result.js';
import { isWellFormed } from '../../shared/utf8.js';
import { agentDefaults } from './agent-configuration.js';
import { attributeMapping } from './attribute-mapping.js';
import { optionBlock } from './option-blocks.js';
import type { SamlBlockOptions } from './saml-options.js';

/** Maximum characters of an entity id (SAML core, section 8.3.6). */
const entityIdLength = 1024;

const isPrintable = (value: string): boolean => {
  for (let index = 0; index < value.length; index += 1) {
    const code = value.charCodeAt(index);
    if (code <= 0x20 || code === 0x7f) return false;
  }
  return isWellFormed(value);
};

/** An identifier that both sides compare exactly. */
const entityId = checkedText('entity id', (value) =>
  value.length <= entityIdLength && isPrintable(value)
    ? null
    : { message: `must be an entity id: at most ${entityIdLength} characters, without spaces` },
);

/** An ASCII URI (RFC 3986). */
const uri = checkedText('URI', (value) =>
  /^[A-Za-z][A-Za-z0-9+.-]*:[\x21-\x7e]+$/.test(value) ? null : { message: 'must be a URI' },
);

/** The NameID formats with a short name (SAML core, section 8.3). */
const nameIdFormats: Readonly<Record<string, string>> = {
  unspecified: 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified',
  email: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
  persistent: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
  transient: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient',
};

/** A NameID format, converted to its URI. */
const nameIdFormat: ScalarKind<string> = {
  ...uri,
  label: '`unspecified`, `email`, `persistent`, `transient`, or a URI',
  read: (scalar) => {
    const { value } = scalar;
    const isShort = typeof value === 'string' && Object.hasOwn(nameIdFormats, value);
    const read = uri.read(isShort ? { ...scalar, value: nameIdFormats[value] as string } : scalar);
    if (read.ok) return read;
    return err({ message: `must be ${Object.keys(nameIdFormats).join(', ')} or a URI` });
  },
};

const year = 31_536_000;

const samlShape = {
  enabled: withDefault(boolean, false, '`#false`', 'Single sign-on.'),
  'entity-id': required(entityId, 'The entity id of this service provider, as configured at the identity provider.'),
  'acs-url': required(
    text,
    'The assertion consumer service: the public URL to which the identity provider posts its responses. The other endpoints have the same origin.',
  ),
  'acs-path': withDefault(
    text,
    agentDefaults.acsPath,
    `\`${agentDefaults.acsPath}\``,
    'The path of the assertion consumer service, as the gateway sees it.',
  ),
  'metadata-path': withDefault(
    text,
    agentDefaults.samlMetadataPath,
    `\`${agentDefaults.samlMetadataPath}\``,
    'The path of the metadata of the service provider.',
  ),
  'logout-path': withDefault(
    text,
    agentDefaults.logoutPath,
    `\`${agentDefaults.logoutPath}\``,
    'The path that signs out, and that receives logout messages from the identity provider.',
  ),
  'signed-out-path': optional(
    text,
    'The path to which a browser is redirected after signing out. Without it, the agent shows a page.',
  ),
  'idp-metadata-url': optional(
    text,
    'URL of the metadata of the identity provider. It must be https, unless the signature is checked or the host is local. Redirects are not followed.',
  ),
  'idp-metadata-cert-file': optional(
    text,
    'Path of a PEM file with certificates. The metadata must be signed with the key of one of them.',
  ),
  'idp-metadata-refresh-secs': optional(
    seconds(60, 604_800),
    'Refresh interval of the metadata; default: 3600 seconds.',
  ),
  'idp-entity-id': optional(
    entityId,
    'The entity id of the identity provider. With `idp-metadata-url` it selects one of several.',
  ),
  'idp-sso-url': optional(
    text,
    'The single sign-on URL of the identity provider (HTTP-Redirect). Only without `idp-metadata-url`.',
  ),
  'idp-slo-url': optional(
    text,
    'The single logout URL of the identity provider (HTTP-Redirect). Only without `idp-metadata-url`. Without it, signing out ends only the local session.',
  ),
  'idp-cert-file': optional(
    text,
    'Path of a PEM file with the signing certificates of the identity provider. Only without `idp-metadata-url`.',
  ),
  'sp-key-file': optional(
    text,
    'Path of a PEM private key, RSA from 2048 bits or EC. It signs requests; an RSA key also decrypts assertions.',
  ),
  'sp-cert-file': optional(text, 'Path of the certificate of that key, in PEM.'),
  'name-id-format': optional(
    nameIdFormat,
    'The requested and required NameID format; `unspecified` is requested, but not required. Default: any.',
  ),
  'authn-context': list(uri, 'Requested authentication context classes, of which one is required; none: any.'),
  'force-authn': withDefault(boolean, false, '`#false`', 'Request and require a new authentication of the user.'),
  'allow-idp-initiated': withDefault(
    boolean,
    false,
    '`#false`',
    'Accept unsolicited responses (IdP-initiated sign-on). Any user can then sign another browser on to their own account.',
  ),
  'browser-binding': withDefault(
    boolean,
    true,
    '`#true`',
    'Only the browser that began a sign-on can complete it; a cookie proves it.',
  ),
  'user-id-attribute': optional(
    text,
    'The single-valued attribute with the user id. The NameID may then be missing, unless `name-id-format` is set. Default: the NameID.',
  ),
  'attribute-mapping': attributeMapping,
  'session-ttl-secs': withDefault(seconds(1, year), agentDefaults.sessionTtlMs, '28800', 'Lifetime of a session.'),
  'session-idle-secs': optional(seconds(1, year), 'Idle time after which a session ends. Default: no idle limit.'),
  'session-store': withDefault(
    oneOf(['sqlite', 'memory', 'redis']),
    'sqlite',
    '`sqlite`',
    'The session store. With `memory`, sessions end with the program; its workers share them, other programs do not.',
  ),
  'session-store-path': optional(
    text,
    `Path of the \`sqlite\` file; default: \`${agentDefaults.sessionStorePath}\`. It is created if missing, readable only by its owner. Checking a configuration (\`--validate\`, \`--test\`) neither opens nor creates it.`,
  ),
  'session-store-url': optional(
    secret,
    'URL of `redis`, as in `rediss://user:password@host:6379/0` with the database number. Percent-encode user and password if necessary. `redis://` sends the password unencrypted.',
  ),
  'clock-skew-secs': withDefault(
    seconds(0, 600),
    agentDefaults.samlClockSkewMs,
    '300',
    'Tolerance for the clock of the identity provider.',
  ),
  'cleanup-interval-secs': withDefault(
    seconds(1, 86_400),
    agentDefaults.cleanupIntervalMs,
    '300',
    'Interval at which expired sessions are removed from the store.',
  ),
  'session-cookie-name': withDefault(
    text,
    agentDefaults.sessionCookieName,
    `\`${agentDefaults.sessionCookieName}\``,
    'The name of the session cookie. The cookies that bind sign-ons have names that begin with it, with `__Host-` in place of its prefix.',
  ),
  'cookie-secure': withDefault(boolean, true, '`#true`', 'Browsers send the session cookie only over HTTPS.'),
  'cookie-http-only': withDefault(boolean, true, '`#true`', 'Scripts of pages cannot read the session cookie.'),
  'cookie-same-site': withDefault(
    oneOf(['Lax', 'Strict', 'None']),
    'Lax',
    '`Lax`',
    'Which cross-site requests carry the session cookie: links and redirects (`Lax`), none (`Strict`), or all (`None`).',
  ),
  'protected-paths': list(
    text,
    'Prefixes of the paths that require an identity, without `*`; each covers all paths below; none: every path.',
  ),
  'excluded-paths': list(
    text,
    'Prefixes of paths, without `*`, on which sessions are ignored and no browser is redirected. They override `protected-paths`.',
  ),
};

/** The `saml` block. */
export const samlBlock = optionBlock(samlShape, 'SAML 2.0 single sign-on (HTTP-Redirect and HTTP-POST) with sessions.');

const valuesOf = (located: readonly { readonly value: string }[]): readonly string[] =>
  located.map(({ value }) => value);

/** The value of a key that is written; a default counts as absent. */
const ifGiven = <Value>({ given, value }: Field<Value>): Value | null => (given ? value : null);

export const toSamlBlockOptions = (fields: Fields<typeof samlShape>): SamlBlockOptions => ({
  enabled: fields.enabled.value,
  entityId: fields['entity-id'].value,
  acsUrl: fields['acs-url'].value,
  acsPath: fields['acs-path'].value,
  metadataPath: fields['metadata-path'].value,
  logoutPath: fields['logout-path'].value,
  signedOutPath: fields['signed-out-path'].value,
  idpSsoUrl: fields['idp-sso-url'].value,
  idpSloUrl: fields['idp-slo-url'].value,
  idpEntityId: fields['idp-entity-id'].value,
  idpCertFile: fields['idp-cert-file'].value,
  idpMetadataUrl: fields['idp-metadata-url'].value,
  idpMetadataCertFile: fields['idp-metadata-cert-file'].value,
  idpMetadataRefreshMs: fields['idp-metadata-refresh-secs'].value,
  spKeyFile: fields['sp-key-file'].value,
  spCertFile: fields['sp-cert-file'].value,
  nameIdFormat: fields['name-id-format'].value,
  authnContexts: valuesOf(fields['authn-context'].value),
  forceAuthn: fields['force-authn'].value,
  allowIdpInitiated: fields['allow-idp-initiated'].value,
  browserBinding: fields['browser-binding'].value,
  userIdAttribute: fields['user-id-attribute'].value,
  attributeMapping: fields['attribute-mapping'].value,
  sessions: {
    ttlMs: ifGiven(fields['session-ttl-secs']),
    idleMs: fields['session-idle-secs'].value,
    cleanupIntervalMs: ifGiven(fields['cleanup-interval-secs']),
    store: ifGiven(fields['session-store']),
    path: fields['session-store-path'].value,
    url: fields['session-store-url'].value,
    cookieName: ifGiven(fields['session-cookie-name']),
    cookieSecure: ifGiven(fields['cookie-secure']),
    cookieHttpOnly: ifGiven(fields['cookie-http-only']),
    cookieSameSite: ifGiven(fields['cookie-same-site']),
  },
  clockSkewMs: fields['clock-skew-secs'].value,
  protectedPaths: valuesOf(fields['protected-paths'].value),
  excludedPaths: valuesOf(fields['excluded-paths'].value),
});
