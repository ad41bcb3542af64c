import { type OpensslCertificate, OpensslCertificates } from './openssl-certificates.js';

const dayMs = 86_400_000;

/** Authorities, servers and clients, good and bad, as one company may have them. All of it made by openssl. */
export interface CertificateCast {
  readonly pki: OpensslCertificates;
  /** The authority that servers and clients of the company come from. */
  readonly root: OpensslCertificate;
  /** A second one that is trusted too. */
  readonly partners: OpensslCertificate;
  /** For 127.0.0.1, localhost and a.example. */
  readonly server: OpensslCertificate;
  /** Directly of the root: C=DE, O=Example, CN=bob; e-mail bob@example.com. */
  readonly bob: OpensslCertificate;
  /** Of an intermediate of the root: O=Example, CN=alice; DNS alice.example.com. */
  readonly alice: OpensslCertificate;
  /** Of `partners`: CN=paula. */
  readonly paula: OpensslCertificate;
  readonly expired: OpensslCertificate;
  readonly notYetValid: OpensslCertificate;
  /** Of the root, for servers. */
  readonly forServers: OpensslCertificate;
  /** Of an authority that nobody trusts, although it has the name of the root. */
  readonly stranger: OpensslCertificate;
}

/** Makes them; `pki.remove()` takes the files away. */
export const certificateCast = (): CertificateCast => {
  const pki = new OpensslCertificates();
  const root = pki.authority('root', { subject: '/O=Example/CN=Root' });
  const partners = pki.authority('partners');
  const other = pki.authority('other', { subject: '/O=Example/CN=Root' });
  const issuing = pki.authority('issuing', { by: root });
  const now = Date.now();
  return {
    pki,
    root,
    partners,
    server: pki.server('server', { by: root, names: ['DNS:a.example', 'DNS:localhost', 'IP:127.0.0.1'] }),
    bob: pki.client('bob', { by: root, subject: '/C=DE/O=Example/CN=bob', names: ['email:bob@example.com'] }),
    alice: pki.client('alice', { by: issuing, subject: '/O=Example/CN=alice', names: ['DNS:alice.example.com'] }),
    paula: pki.client('paula', { by: partners }),
    expired: pki.client('expired', { by: root, validity: [now - 9 * dayMs, now - dayMs] }),
    notYetValid: pki.client('early', { by: root, validity: [now + dayMs, now + 9 * dayMs] }),
    forServers: pki.server('server-as-client', { by: root }),
    stranger: pki.client('stranger', { by: other, subject: '/C=DE/O=Example/CN=bob' }),
  };
};
