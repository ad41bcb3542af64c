import type { ProblemReport } from '../../configuration/schema/problem-report.js';
import { type Field, type Fields, isWritten } from '../../configuration/schema/schema.js';
import type { ReadListener } from './read-gateway.js';
import type { tlsShape } from './tls-schema.js';

type ReadTls = Fields<typeof tlsShape>;

/** The place of the block `tls` of a listener. */
interface TlsPlace {
  readonly position: Field<unknown>['position'];
  readonly path: readonly string[];
}

const checkCertificates = (tls: ReadTls, place: TlsPlace, report: ProblemReport): void => {
  const { 'cert-file': cert, 'key-file': key, certificate } = tls;
  const [hasCert, hasKey] = [isWritten(cert), isWritten(key)];
  if (hasCert && !hasKey) {
    const suggestion = 'write key-file "/etc/portcullis/key.pem"';
    report.add('"cert-file" needs a "key-file"', { position: cert.position, path: place.path, suggestion });
  } else if (hasKey && !hasCert) {
    const suggestion = 'write cert-file "/etc/portcullis/cert.pem"';
    report.add('"key-file" needs a "cert-file"', { position: key.position, path: place.path, suggestion });
  } else if (!hasCert && !certificate.given) {
    const suggestion = 'write cert-file "/etc/portcullis/cert.pem"; key-file "/etc/portcullis/key.pem"';
    report.add('"tls" has no certificate', { ...place, suggestion });
  }
};

const checkClientAuth = (tls: ReadTls, place: TlsPlace, report: ProblemReport): void => {
  const { 'client-auth': auth, 'ca-cert-file': authorities, 'forward-client-cert-header': forward } = tls;
  if (!auth.sound) return;
  const { path } = place;
  if (auth.value !== 'none') {
    if (isWritten(authorities)) return;
    report.add(`client-auth "${auth.value}" needs a "ca-cert-file"`, {
      position: auth.position,
      path,
      suggestion: 'write ca-cert-file "/etc/portcullis/clients.pem", with the CAs of your clients',
    });
    return;
  }
  for (const [name, field] of [
    ['ca-cert-file', authorities],
    ['forward-client-cert-header', forward],
  ] as const) {
    if (!isWritten(field)) continue;
    report.add(`"${name}" has no effect without client-auth: the listener requests no client certificate`, {
      position: field.position,
      path,
      suggestion: 'write client-auth "require", or "request"',
    });
  }
};

/** Checks the keys of `tls` against each other, except the header. */
export const checkTls = ({ name, fields: { tls } }: ReadListener, report: ProblemReport): void => {
  if (tls.value === null) return;
  const place = { position: tls.position, path: ['listeners', `listener "${name.value}"`, 'tls'] };
  checkCertificates(tls.value, place, report);
  checkClientAuth(tls.value, place, report);
};
