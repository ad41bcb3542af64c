import type { ProblemReport } from '../../configuration/schema/problem-report.js';
import { type Field, keyValueText } from '../../configuration/schema/schema.js';
import { unfitHeader } from '../../configuration/schema/unfit-header.js';
import { canonicalName } from '../../http/canonical-name.js';
import type { ReadListener } from './read-gateway.js';
import { checkTls } from './tls-rules.js';

const checkProtocol = ({ name, fields }: ReadListener, report: ProblemReport): void => {
  const { protocol, tls } = fields;
  const path = ['listeners', `listener "${name.value}"`];
  if (!protocol.sound) return;
  if (protocol.value === 'https' && !tls.given) {
    report.add('protocol "https" needs a block "tls"', {
      position: protocol.position,
      path,
      suggestion: 'write tls { cert-file "/etc/portcullis/cert.pem"; key-file "/etc/portcullis/key.pem" }',
    });
  }
  if (protocol.value === 'http' && tls.given) {
    report.add('"tls" needs protocol "https"', { position: tls.position, path, suggestion: 'write protocol "https"' });
  }
};

/** A header that carries certificates can be none that means something else. */
const checkFitness = (
  key: string,
  header: Field<string | null>,
  path: readonly string[],
  report: ProblemReport,
): void => {
  if (!header.sound || header.value === null) return;
  const unfit = unfitHeader('client-cert-header', header.value);
  if (unfit === null) return;
  const shown = header.hidden === true ? 'that was given' : header.value;
  report.add(`"${key}": the header ${shown} ${unfit}`, { position: header.position, path });
};

const checkCertificateHeaders = ({ name, fields }: ReadListener, report: ProblemReport): void => {
  const { 'accept-client-cert-header': accept, 'trusted-proxies': proxies, tls } = fields;
  const path = ['listeners', `listener "${name.value}"`];
  const forward = tls.value?.['forward-client-cert-header'] ?? null;
  if (forward !== null) checkFitness('forward-client-cert-header', forward, [...path, 'tls'], report);
  checkFitness('accept-client-cert-header', accept, path, report);
  if (!accept.sound || accept.value === null) return;
  if (proxies.sound && proxies.value.length === 0) {
    report.add('"accept-client-cert-header" needs "trusted-proxies": nobody else may bring a certificate', {
      position: accept.position,
      path,
      suggestion: 'write trusted-proxies "10.0.0.0/8", with the addresses of your proxies',
    });
  }
  if (!forward?.sound || forward.value === null || canonicalName(forward.value) !== canonicalName(accept.value)) return;
  const shown = keyValueText({ value: accept.value, hidden: (accept.hidden ?? false) || (forward.hidden ?? false) });
  report.add(`"accept-client-cert-header" and "forward-client-cert-header" cannot both be the header ${shown}`, {
    position: accept.position,
    path,
    suggestion: 'give each a header of its own: whoever reads it could not tell who proved the certificate',
  });
};

/**
 * A PROXY header is believed from those alone who were named: whoever may send one chooses the address that it is
 * known by.
 */
const checkProxyProtocol = ({ name, fields }: ReadListener, report: ProblemReport): void => {
  const { 'proxy-protocol': proxyProtocol, 'trusted-proxies': proxies, timeouts } = fields;
  const path = ['listeners', `listener "${name.value}"`];
  if (!proxyProtocol.sound) return;
  if (proxyProtocol.value && proxies.sound && proxies.value.length === 0) {
    report.add('"proxy-protocol" needs "trusted-proxies": whoever may send a PROXY header can claim any address', {
      position: proxyProtocol.position,
      path,
      suggestion: 'write trusted-proxies "10.0.0.0/8", with the addresses of your balancers',
    });
  }
  const headerSecs = timeouts.value['proxy-header-secs'];
  if (proxyProtocol.value || !headerSecs.given) return;
  report.add('"proxy-header-secs" has no effect without "proxy-protocol"', {
    position: headerSecs.position,
    path: [...path, 'timeouts'],
    suggestion: 'write proxy-protocol #true, or leave it out',
  });
};

/** What a listener has to be, besides each of its keys being what it has to be. */
export const checkListener = (listener: ReadListener, report: ProblemReport): void => {
  checkProtocol(listener, report);
  checkTls(listener, report);
  checkCertificateHeaders(listener, report);
  checkProxyProtocol(listener, report);
};
