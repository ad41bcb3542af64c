import { headerName } from '../../configuration/schema/network-kinds.js';
import { documented, list, optional, withDefault } from '../../configuration/schema/scalar-keys.js';
import { boolean, oneOf, text } from '../../configuration/schema/scalar-kind.js';
import type { Fields } from '../../configuration/schema/schema.js';
import { userIdKinds } from '../client-certificates/certificate-user.js';
import { agentDefaults, type MtlsOptions } from './agent-configuration.js';
import { optionBlock } from './option-blocks.js';

const mtlsShape = {
  enabled: withDefault(boolean, false, '`#false`', 'Accept client certificates.'),
  'client-cert-header': withDefault(
    headerName,
    agentDefaults.clientCertHeader,
    '`X-Client-Cert`',
    'Header with the certificate.',
  ),
  'ca-cert-path': optional(
    text,
    'Path of a PEM file with the trusted authorities. Without it the chain is not checked: use this only if the gateway that sets the header verifies the certificate.',
  ),
  'crl-file': list(
    text,
    'Paths of certificate revocation lists (CRL), PEM or DER; each must be signed by an authority of `ca-cert-path`. The agent reads them again when they change. After the nextUpdate of a list, the certificates of its issuer are refused.',
  ),
  'allowed-dns': list(text, 'Accepted distinguished names (RFC 4514); none: all.'),
  'allowed-sans': list(
    text,
    'Accepted alternative names: a DNS name, `*.suffix`, a URI, an e-mail or IP address; none: all.',
  ),
  'user-id-from': list(
    oneOf(userIdKinds),
    'Source of the user id: the first kind of name that the certificate has exactly once; of several common names the last one. Cannot be combined with `extract-cn-as-user` and `extract-san-email-as-user`.',
  ),
  'extract-cn-as-user': documented(
    optional(boolean, 'The common name is the user id, unless `extract-san-email-as-user` is `#true`.'),
    '`#true`',
  ),
  'extract-san-email-as-user': documented(
    optional(
      boolean,
      'The only e-mail address among the alternative names is the user id. A certificate without one is refused; the common name is not used instead.',
    ),
    '`#false`',
  ),
};

/** The `mtls` block. */
export const mtlsBlock = optionBlock(mtlsShape, 'Client certificates (X.509) that the gateway forwards in a header.');

export const toMtlsOptions = (fields: Fields<typeof mtlsShape>): MtlsOptions => ({
  enabled: fields.enabled.value,
  clientCertHeader: fields['client-cert-header'].value,
  caCertPath: fields['ca-cert-path'].value,
  crlFiles: fields['crl-file'].value.map(({ value }) => value),
  allowedDns: fields['allowed-dns'].value.map(({ value }) => value),
  allowedSans: fields['allowed-sans'].value.map(({ value }) => value),
  userIdFrom: fields['user-id-from'].value.map(({ value }) => value),
  extractCnAsUser: fields['extract-cn-as-user'].value,
  extractSanEmailAsUser: fields['extract-san-email-as-user'].value,
});
