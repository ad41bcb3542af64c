import type { CertificateFiles } from '../../configuration/network-addresses.js';
import type { Fields } from '../../configuration/schema/schema.js';
import type { ListenerConfiguration, TlsConfiguration } from './gateway-configuration.js';
import type { ReadListener } from './read-gateway.js';
import type { tlsShape } from './tls-schema.js';

const toCertificates = (fields: Fields<typeof tlsShape>): CertificateFiles[] => {
  const [certFile, keyFile] = [fields['cert-file'].value, fields['key-file'].value];
  const first = certFile === null || keyFile === null ? [] : [{ certFile, keyFile }];
  const others = fields.certificate.value.map((files) => ({
    certFile: files['cert-file'].value,
    keyFile: files['key-file'].value,
  }));
  return [...first, ...others];
};

const toTls = (fields: Fields<typeof tlsShape>): TlsConfiguration => ({
  certificates: toCertificates(fields),
  clientAuth: fields['client-auth'].value,
  caCertFile: fields['ca-cert-file'].value,
  forwardClientCertHeader: fields['forward-client-cert-header'].value,
  minVersion: fields['min-version'].value,
});

/** Converts a listener that has no errors. */
export const toListener = ({ name, fields }: ReadListener): ListenerConfiguration => ({
  name: name.value,
  address: fields.address.value,
  tls: fields.tls.value === null ? null : toTls(fields.tls.value),
  trustedProxies: fields['trusted-proxies'].value.map(({ value }) => value),
  proxyProtocol: fields['proxy-protocol'].value,
  acceptClientCertHeader: fields['accept-client-cert-header'].value,
  http2: fields.http2.value ?? fields.tls.value !== null,
  timeouts: {
    proxyHeaderMs: fields.timeouts.value['proxy-header-secs'].value,
    headMs: fields.timeouts.value['header-secs'].value,
    bodyMs: fields.timeouts.value['body-secs'].value,
    minBodyOctetsPerSecond: fields.timeouts.value['min-body-rate'].value,
    idleMs: fields.timeouts.value['idle-secs'].value,
  },
});
