import { keyFilePath, pemFilePath } from '../../configuration/schema/grpc-address.js';
import { isHostName } from '../../configuration/schema/network-kinds.js';
import type { ProblemReport } from '../../configuration/schema/problem-report.js';
import { optional, withDefault } from '../../configuration/schema/scalar-keys.js';
import { boolean, checkedText } from '../../configuration/schema/scalar-kind.js';
import type { Field, Fields } from '../../configuration/schema/schema.js';
import { isWritten } from '../../configuration/schema/schema.js';
import { switchedBlock } from '../../configuration/schema/switched-block.js';
import { parseIpAddress } from '../../http/ip-address.js';
import type { UpstreamTlsConfiguration } from './gateway-configuration.js';
import { tlsVersion } from './tls-schema.js';

const serverNameOrIp = checkedText('host name or IP address', (value) => {
  if (isHostName(value) || parseIpAddress(value) !== null) return null;
  const literal = /^\[(.*)\]$/.exec(value)?.[1];
  return {
    message: `must be a host name or an IP address, not "${value.slice(0, 80)}"`,
    suggestion: literal === undefined ? 'write the name that is in the certificate' : `write "${literal}"`,
  };
});

const sni =
  'Host name that the gateway sends (SNI) and that the certificate must contain; an IP address is only compared, with the IP addresses of the certificate. Default: the host of each target.';
const caCert = 'PEM file of the authorities that verify the targets, in place of those built into Node.js.';
const clientCert = 'PEM file of the client certificate of the gateway, followed by its intermediates.';
const clientKey = 'PEM file of the private key of `client-cert`, without a passphrase.';
const sameAs = (key: string): string => `Another spelling of \`${key}\`.`;

const shape = {
  enabled: withDefault(boolean, true, '#true', '`#false` turns the block off.'),
  sni: optional(serverNameOrIp, sni),
  'server-name': optional(serverNameOrIp, sameAs('sni')),
  'ca-cert': optional(pemFilePath, caCert),
  'ca-cert-file': optional(pemFilePath, sameAs('ca-cert')),
  'client-cert': optional(pemFilePath, clientCert),
  'cert-file': optional(pemFilePath, sameAs('client-cert')),
  'client-key': optional(keyFilePath, clientKey),
  'key-file': optional(keyFilePath, sameAs('client-key')),
  'min-version': withDefault(tlsVersion, '1.2', '`1.2`', 'Oldest TLS version that the gateway accepts.'),
  'insecure-skip-verify': withDefault(
    boolean,
    false,
    '#false',
    'Accepts any certificate. Anyone on the path to the targets can then read and change requests.',
  ),
};

export type UpstreamTlsFields = Fields<typeof shape>;

export const upstreamTls = switchedBlock(shape, null, {
  standard: 'none',
  meaning:
    'TLS to every target. The gateway verifies certificates, and reads its files again on a reload and when they change.',
});

type Spelled = 'sni' | 'ca-cert' | 'client-cert' | 'client-key';

const otherSpelling = {
  sni: 'server-name',
  'ca-cert': 'ca-cert-file',
  'client-cert': 'cert-file',
  'client-key': 'key-file',
} as const satisfies Record<Spelled, keyof UpstreamTlsFields>;

/** The field of a key, in either spelling. */
export const spelledField = (fields: UpstreamTlsFields, key: Spelled): Field<string | null> => {
  const other = fields[otherSpelling[key]];
  return other.given ? other : fields[key];
};

interface TlsBlock {
  readonly fields: UpstreamTlsFields;
  readonly path: readonly string[];
}

const checkSpellings = ({ fields, path }: TlsBlock, report: ProblemReport): void => {
  for (const [key, other] of Object.entries(otherSpelling) as [Spelled, keyof UpstreamTlsFields][]) {
    if (!fields[key].given || !fields[other].given) continue;
    const message = `"${key}" and "${other}" are two spellings of one key`;
    report.add(message, { position: fields[other].position, path, suggestion: `delete "${other}"` });
  }
};

const checkPair = ({ fields, path }: TlsBlock, report: ProblemReport): void => {
  const [certificate, key] = [spelledField(fields, 'client-cert'), spelledField(fields, 'client-key')];
  if (isWritten(certificate) === isWritten(key)) return;
  const [found, missing, file] = isWritten(certificate)
    ? ([certificate, 'client-key', 'me.key'] as const)
    : ([key, 'client-cert', 'me.pem'] as const);
  report.add(`"${missing}" is missing: a client certificate needs its key`, {
    position: found.position,
    path,
    suggestion: `write ${missing} "/etc/portcullis/${file}"`,
  });
};

const checkVerification = ({ fields, path }: TlsBlock, upstream: string, report: ProblemReport): void => {
  const { 'insecure-skip-verify': skips } = fields;
  if (!skips.sound || !skips.value) return;
  const authorities = spelledField(fields, 'ca-cert');
  if (isWritten(authorities)) {
    report.add('"ca-cert" has no effect with insecure-skip-verify #true', {
      position: authorities.position,
      path,
      suggestion: 'delete insecure-skip-verify',
    });
    return;
  }
  report.add(`insecure-skip-verify #true: upstream "${upstream}" accepts any certificate`, {
    position: skips.position,
    path,
    severity: 'warning',
    id: 'upstream-not-verified',
    suggestion: 'write ca-cert "/etc/portcullis/ca.pem" instead',
  });
};

/** Checks the keys of `tls` against each other. */
export const checkUpstreamTls = (block: TlsBlock, upstream: string, report: ProblemReport): void => {
  checkSpellings(block, report);
  checkPair(block, report);
  checkVerification(block, upstream, report);
};

/** Converts a block `tls` that has no errors; null: absent or turned off. */
export const toUpstreamTls = (fields: UpstreamTlsFields | null): UpstreamTlsConfiguration | null => {
  if (fields === null || !fields.enabled.value) return null;
  const certFile = spelledField(fields, 'client-cert').value;
  const keyFile = spelledField(fields, 'client-key').value;
  return {
    serverName: spelledField(fields, 'sni').value,
    caCertFile: spelledField(fields, 'ca-cert').value,
    certificate: certFile === null || keyFile === null ? null : { certFile, keyFile },
    minVersion: fields['min-version'].value,
    verifies: !fields['insecure-skip-verify'].value,
  };
};
