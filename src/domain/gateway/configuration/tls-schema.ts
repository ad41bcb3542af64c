import { custom, optionalBlock } from '../../configuration/schema/block-keys.js';
import { keyFilePath, pemFilePath } from '../../configuration/schema/grpc-address.js';
import { headerName } from '../../configuration/schema/network-kinds.js';
import { inside, readMembers, refuseArguments } from '../../configuration/schema/read-block.js';
import { optional, required, withDefault } from '../../configuration/schema/scalar-keys.js';
import { oneOf } from '../../configuration/schema/scalar-kind.js';
import type { Fields, Key } from '../../configuration/schema/schema.js';
import { members } from '../../configuration/setting/setting.js';

const certFile = 'Path of a PEM file: the certificate, then the intermediates that lead to its root.';
const keyFile = 'Path of a PEM file: the private key of the certificate, without a pass phrase.';

const certificateShape = {
  'cert-file': required(pemFilePath, certFile),
  'key-file': required(keyFilePath, keyFile),
};

/** One more certificate: any number of them. */
const certificate: Key<readonly Fields<typeof certificateShape>[]> = custom(
  'block, may be repeated',
  'none',
  'One more certificate. Clients get the one that is for the server name they ask for (SNI), the first where none is.',
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

/** `TLSv1.2`, as nginx writes it, and its like. */
export const versionNamed = (text: string): '1.2' | '1.3' | null => {
  const number = text
    .toLowerCase()
    .replace(/^tls[ _-]?v?[ _-]?/, '')
    .replace('_', '.');
  return number === '1.2' || number === '1.3' ? number : null;
};

const versions = oneOf(['1.2', '1.3'], [], versionNamed);

const clientAuths = ['none', 'request', 'require'] as const;

/** By what nginx, HAProxy, Caddy and others call it. */
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

/** Without quotes it reads as a number. */
const version: typeof versions = {
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
    'Whether clients show a certificate: `require` takes no connection without one, `request` does, but one that is shown has to be good.',
  ),
  'ca-cert-file': optional(
    pemFilePath,
    'Path of a PEM file: the authorities that certificates of clients have to lead to.',
  ),
  'forward-client-cert-header': optional(
    headerName,
    'Header in which agents and upstreams get the verified certificate of the client, as URL-encoded PEM.',
  ),
  'min-version': withDefault(version, '1.2', '`1.2`', 'The oldest version of TLS that is spoken.'),
};

export const tls = optionalBlock(
  tlsShape,
  'Certificates and client authentication of an `https` listener. A reload takes new ones from the files.',
);
