import { custom, optionalBlock } from '../../configuration/schema/block-keys.js';
import { keyFilePath, pemFilePath } from '../../configuration/schema/grpc-address.js';
import { headerName } from '../../configuration/schema/network-kinds.js';
import { inside, readMembers, refuseArguments } from '../../configuration/schema/read-block.js';
import { optional, required, withDefault } from '../../configuration/schema/scalar-keys.js';
import { oneOf } from '../../configuration/schema/scalar-kind.js';
import type { Fields, Key } from '../../configuration/schema/schema.js';
import { members } from '../../configuration/setting/setting.js';

const certFile = 'PEM file of the certificate, followed by its intermediates.';
const keyFile = 'PEM file of the private key, without a passphrase.';

const certificateShape = {
  'cert-file': required(pemFilePath, certFile),
  'key-file': required(keyFilePath, keyFile),
};

/** An additional certificate; repeatable. */
const certificate: Key<readonly Fields<typeof certificateShape>[]> = custom(
  'block, may be repeated',
  'none',
  'An additional certificate. The gateway selects one by server name (SNI), and the first if none matches.',
  (_name, settings, context) => ({
    value: settings.map((setting) => {
      refuseArguments(setting, context);
      return readMembers(certificateShape, members(setting), inside(context, setting));
    }),
    given: settings.length > 0,
    sound: true,
    position: settings[0]?.position ?? null,
  }),
  certificateShape,
);

/** The version that another spelling means, such as `TLSv1.2` of nginx. */
export const versionNamed = (text: string): '1.2' | '1.3' | null => {
  const number = text
    .toLowerCase()
    .replace(/^tls[ _-]?v?[ _-]?/, '')
    .replace('_', '.');
  return number === '1.2' || number === '1.3' ? number : null;
};

const versions = oneOf(['1.2', '1.3'], [], versionNamed);

const clientAuths = ['none', 'request', 'require'] as const;

/** Values that nginx, HAProxy, Caddy and others use. */
const otherClientAuths: ReadonlyMap<string, (typeof clientAuths)[number]> = new Map([
  ['off', 'none'],
  ['no', 'none'],
  ['false', 'none'],
  ['optional', 'request'],
  ['want', 'request'],
  ['verify_if_given', 'request'],
  ['required', 'require'],
  ['on', 'require'],
  ['yes', 'require'],
  ['true', 'require'],
  ['need', 'require'],
  ['verify', 'require'],
  ['mandatory', 'require'],
  ['require_and_verify', 'require'],
]);

/** A TLS version. KDL reads an unquoted version as a number. */
export const tlsVersion: typeof versions = {
  ...versions,
  read: (scalar) => versions.read(typeof scalar.value === 'number' ? { ...scalar, value: `${scalar.value}` } : scalar),
};

export const tlsShape = {
  'cert-file': optional(pemFilePath, certFile),
  'key-file': optional(keyFilePath, keyFile),
  certificate,
  'client-auth': withDefault(
    oneOf(clientAuths, [], (text) => otherClientAuths.get(text.toLowerCase().replaceAll('-', '_')) ?? null),
    'none',
    '`none`',
    '`request` verifies a certificate if the client sends one; `require` also refuses clients without one.',
  ),
  'ca-cert-file': optional(pemFilePath, 'PEM file of the CAs that verify client certificates.'),
  'forward-client-cert-header': optional(
    headerName,
    'Header that carries the verified client certificate to agents and upstreams, as URL-encoded PEM.',
  ),
  'min-version': withDefault(tlsVersion, '1.2', '`1.2`', 'Oldest TLS version that the listener accepts.'),
};

export const tls = optionalBlock(
  tlsShape,
  'Certificates and client authentication of an `https` listener. A reload reads the files again.',
);
