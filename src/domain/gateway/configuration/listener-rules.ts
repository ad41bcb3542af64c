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

/** A header that carries certificates must have no other meaning. */
const checkFitness = (
  key: string,
  header: Field<string | null>,
  path: readonly string[],
  report: ProblemReport,
): void => {
  if (!header.sound || header.value === null) return;
  const unfit = unfitHeader('certificate', header.value);
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
    report.add('"accept-client-cert-header" needs "trusted-proxies": only they may send a certificate', {
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
    suggestion: 'use two different headers: otherwise a reader cannot tell who verified the certificate',
  });
};

/** Requires `trusted-proxies` with `proxy-protocol`: the sender of a PROXY header chooses its client address. */
const checkProxyProtocol = ({ name, fields }: ReadListener, report: ProblemReport): void => {
  const { 'proxy-protocol': proxyProtocol, 'trusted-proxies': proxies, timeouts } = fields;
  const path = ['listeners', `listener "${name.value}"`];
  if (!proxyProtocol.sound) return;
  if (proxyProtocol.value && proxies.sound && proxies.value.length === 0) {
    report.add('"proxy-protocol" needs "trusted-proxies": the sender of a PROXY header can claim any address', {
      position: proxyProtocol.position,
      path,
      suggestion: 'write trusted-proxies "10.0.0.0/8", with the addresses of your load balancers',
    });
  }
  const headerSecs = timeouts.value['proxy-header-secs'];
  if (proxyProtocol.value || !headerSecs.given) return;
  report.add('"proxy-header-secs" has no effect without "proxy-protocol"', {
    position: headerSecs.position,
    path: [...path, 'timeouts'],
    suggestion: 'write proxy-protocol #true, or delete proxy-header-secs',
  });
};

/** Checks the keys of a listener against each other. */
export const checkListener = (listener: ReadListener, report: ProblemReport): void => {
  checkProtocol(listener, report);
  checkTls(listener, report);
  checkCertificateHeaders(listener, report);
  checkProxyProtocol(listener, report);
};
