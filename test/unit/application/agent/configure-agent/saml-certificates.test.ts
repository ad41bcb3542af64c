import { expect, it } from 'vitest';
import { SamlCertificates } from '../../../../../src/application/agent/configure-agent/prepared-saml.js';
import type { IdentityProvider } from '../../../../../src/domain/agent/saml/identity-provider.js';

const providerWith = (...signingCertificates: readonly string[]): IdentityProvider => ({
  entityId: 'urn:idp',
  ssoUrl: 'https://idp.example/sso',
  logout: null,
  signingCertificates,
  wantsSignedRequests: false,
});

/** A certificate is its subject and its end, as in `idp 5`. */
const keys = {
  certificateDates: (der: string) => {
    const [subject = '', end] = der.split(' ');
    return end === undefined ? null : { subject, expiryMs: Number(end) };
  },
};

const certificatesOf = (files: readonly string[], first: IdentityProvider | null) => {
  const trust = { provider: first, current: () => trust.provider };
  const read = { key: null, certificates: files.map((der) => ({ der, notAfterMs: 0 })) };
  return { trust, certificates: new SamlCertificates(read, trust, keys) };
};

it('the certificates for SAML follow the metadata of the identity provider', () => {
  const { trust, certificates } = certificatesOf(['signer 9'], null);
  expect(certificates.current()).toEqual([{ subject: 'signer', expiryMs: 9 }]);
  trust.provider = providerWith('idp 5', 'idp 20', 'unreadable');
  expect(certificates.current()).toEqual([
    { subject: 'idp', expiryMs: 5 },
    { subject: 'signer', expiryMs: 9 },
  ]);
  trust.provider = providerWith('idp 20');
  expect(certificates.current()).toEqual([
    { subject: 'signer', expiryMs: 9 },
    { subject: 'idp', expiryMs: 20 },
  ]);
  trust.provider = null;
  expect(certificates.current()).toHaveLength(1);
});

it('the certificates for SAML are at most 64, the first ones to expire', () => {
  const many = Array.from({ length: 500 }, (_, index) => `CN=${index} ${1_000 - index}`);
  const found = certificatesOf([], providerWith(...many)).certificates.current();
  expect(found).toHaveLength(64);
  expect(found[0]).toEqual({ subject: 'CN=499', expiryMs: 501 });
});
