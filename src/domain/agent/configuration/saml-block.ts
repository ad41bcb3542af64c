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
import type { Fields } from '../../configuration/schema/schema.js';
import { err } from '../../shared/result.js';
import { isWellFormed } from '../../shared/utf8.js';
import { agentDefaults } from './agent-configuration.js';
import { attributeMapping } from './attribute-mapping.js';
import { optionBlock } from './option-blocks.js';
import type { SamlBlockOptions } from './saml-options.js';

/** Characters of an entity id, at most (SAML core, section 8.3.6). */
const entityIdLength = 1024;

const isPrintable = (value: string): boolean => {
  for (let index = 0; index < value.length; index += 1) {
    const code = value.charCodeAt(index);
    if (code <= 0x20 || code === 0x7f) return false;
  }
  return isWellFormed(value);
};

/** An identifier that both sides compare character for character. */
const entityId = checkedText('entity id', (value) =>
  value.length <= entityIdLength && isPrintable(value)
    ? null
    : { message: `must be an entity id: ${entityIdLength} characters at most, without spaces` },
);

/** A URI (RFC 3986), in ASCII. */
const uri = checkedText('URI', (value) =>
  /^[A-Za-z][A-Za-z0-9+.-]*:[\x21-\x7e]+$/.test(value) ? null : { message: 'must be a URI' },
);

/** The formats of NameIDs that have a short name here (SAML core, section 8.3). */
const nameIdFormats: Readonly<Record<string, string>> = {
  unspecified: 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified',
  email: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
  persistent: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
  transient: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient',
};

/** The format of a NameID, read as its URI. */
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
  'entity-id': required(entityId, 'The entity id of this service provider, as the identity provider knows it.'),
  'acs-url': required(
    text,
    'The assertion consumer service: the URL, as browsers see it, to which the identity provider posts its responses. Its origin is that of the other endpoints too.',
  ),
  'acs-path': withDefault(
    text,
    agentDefaults.acsPath,
    `\`${agentDefaults.acsPath}\``,
    'The path at which responses are taken, as the gateway sees it.',
  ),
  'metadata-path': withDefault(
    text,
    agentDefaults.samlMetadataPath,
    `\`${agentDefaults.samlMetadataPath}\``,
    'The path at which the metadata of the service provider is served.',
  ),
  'logout-path': withDefault(
    text,
    agentDefaults.logoutPath,
    `\`${agentDefaults.logoutPath}\``,
    'The path that signs out, and to which the identity provider sends its messages about that.',
  ),
  'signed-out-path': optional(
    text,
    'The path to which a browser goes once it is signed out. Without it, a page says so.',
  ),
  'idp-metadata-url': optional(
    text,
    'URL of the metadata of the identity provider: https, unless its signature is checked or it comes from this machine. Redirects are not followed.',
  ),
  'idp-metadata-cert-file': optional(
    text,
    'Path of a PEM file: the metadata has to be signed with the key of one of its certificates.',
  ),
  'idp-metadata-refresh-secs': optional(
    seconds(60, 604_800),
    'How often the metadata is fetched anew; without it every 3600 seconds.',
  ),
  'idp-entity-id': optional(
    entityId,
    'The entity id of the identity provider. With `idp-metadata-url` it chooses one where the metadata has several.',
  ),
  'idp-sso-url': optional(text, 'Where sign-on requests go, by HTTP-Redirect; without `idp-metadata-url`.'),
  'idp-slo-url': optional(
    text,
    'Where sign-out messages go, by HTTP-Redirect; without `idp-metadata-url`. Without it signing out ends the session here alone.',
  ),
  'idp-cert-file': optional(
    text,
    'Path of a PEM file with the certificates that the identity provider signs with; without `idp-metadata-url`.',
  ),
  'sp-key-file': optional(
    text,
    'Path of a private key in PEM, RSA from 2048 bits or EC: requests are signed with it, and an RSA key decrypts assertions.',
  ),
  'sp-cert-file': optional(text, 'Path of the certificate of that key, in PEM.'),
  'name-id-format': optional(
    nameIdFormat,
    'The format of NameID that is asked for and required; `unspecified` is asked for, and requires nothing. Without it, any.',
  ),
  'authn-context': list(uri, 'Authentication context classes that are asked for, one of which is required; none: any.'),
  'force-authn': withDefault(
    boolean,
    false,
    '`#false`',
    'Have the identity provider authenticate the user anew, and require that it has.',
  ),
  'allow-idp-initiated': withDefault(
    boolean,
    false,
    '`#false`',
    'Take responses that nobody has asked for. Whoever has an account can sign another browser on to it by that.',
  ),
  'browser-binding': withDefault(
    boolean,
    true,
    '`#true`',
    'Only the browser that began a sign-on can end it, which a cookie of that time shows.',
  ),
  'user-id-attribute': optional(
    text,
    'The attribute that is the user id, with one value; the NameID may then be missing, unless `name-id-format` asks for one. Without it, the NameID is the user id.',
  ),
  'attribute-mapping': attributeMapping,
  'session-ttl-secs': withDefault(seconds(1, year), agentDefaults.sessionTtlMs, '28800', 'How long a session lasts.'),
  'session-idle-secs': optional(
    seconds(1, year),
    'How long a session lasts that is not used. Without it, as long as one that is.',
  ),
  'session-store': withDefault(
    oneOf(['sqlite', 'memory', 'redis']),
    'sqlite',
    '`sqlite`',
    'Where sessions are kept. In `memory` they end with the program, whose workers share them, and no other one has them.',
  ),
  'session-store-path': optional(
    text,
    `Path of the file of \`sqlite\`; without it \`${agentDefaults.sessionStorePath}\`. It is created where it is missing, readable by its owner alone. Who checks a configuration (\`--validate\`, \`--test\`) neither opens nor creates it.`,
  ),
  'session-store-url': optional(
    secret,
    'URL of `redis`, as in `rediss://user:password@host:6379/0`; the number is that of the database. A user or password is percent-encoded where it needs to be. By `redis://` a password goes in the clear.',
  ),
  'clock-skew-secs': withDefault(
    seconds(0, 600),
    agentDefaults.samlClockSkewMs,
    '300',
    'How far the clock of the identity provider may be off.',
  ),
  'cleanup-interval-secs': withDefault(
    seconds(1, 86_400),
    agentDefaults.cleanupIntervalMs,
    '300',
    'How often expired sessions are removed from the store.',
  ),
  'session-cookie-name': withDefault(
    text,
    agentDefaults.sessionCookieName,
    `\`${agentDefaults.sessionCookieName}\``,
    'The name of the session cookie. With `__Host-` in front instead of a prefix that it has, the names of the cookies that bind sign-ons begin with it.',
  ),
  'cookie-secure': withDefault(boolean, true, '`#true`', 'Browsers send the session cookie by HTTPS alone.'),
  'cookie-http-only': withDefault(boolean, true, '`#true`', 'Scripts of pages cannot read the session cookie.'),
  'cookie-same-site': withDefault(
    oneOf(['Lax', 'Strict', 'None']),
    'Lax',
    '`Lax`',
    'Which requests that other sites cause have the session cookie: links and redirects, none, or all.',
  ),
  'protected-paths': list(
    text,
    'First segments of the paths that need an identity, without `*`: each takes all paths below; none: every path.',
  ),
  'excluded-paths': list(
    text,
    'First segments of paths, without `*`, at which sessions are not looked at and nobody is redirected; they win over `protected-paths`.',
  ),
};

/** The `saml` block. */
export const samlBlock = optionBlock(
  samlShape,
  'Single sign-on by SAML 2.0 (HTTP-Redirect and HTTP-POST), with sessions.',
);

const valuesOf = (located: readonly { readonly value: string }[]): readonly string[] =>
  located.map(({ value }) => value);

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
  sessionTtlMs: fields['session-ttl-secs'].value,
  sessionIdleMs: fields['session-idle-secs'].value,
  sessionStore: fields['session-store'].value,
  sessionStorePath: fields['session-store-path'].value,
  sessionStoreUrl: fields['session-store-url'].value,
  clockSkewMs: fields['clock-skew-secs'].value,
  cleanupIntervalMs: fields['cleanup-interval-secs'].value,
  cookieName: fields['session-cookie-name'].value,
  cookieSecure: fields['cookie-secure'].value,
  cookieHttpOnly: fields['cookie-http-only'].value,
  cookieSameSite: fields['cookie-same-site'].value,
  protectedPaths: valuesOf(fields['protected-paths'].value),
  excludedPaths: valuesOf(fields['excluded-paths'].value),
});
