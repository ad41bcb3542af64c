import { describe, expect, it } from 'vitest';
import {
  certificateUser,
  type UserIdKind,
} from '../../../../../src/domain/agent/client-certificates/certificate-user.js';
import type { SubjectAltName } from '../../../../../src/domain/shared/certificate.js';
import { madeCertificate, named } from '../../../../support/shared/made-certificate.js';

const uri = (value: string): SubjectAltName => ({ kind: 'uri', value });
const dns = (value: string): SubjectAltName => ({ kind: 'dns', value });
const email = (value: string): SubjectAltName => ({ kind: 'email', value });
const commonNames = (...names: readonly string[]) => names.flatMap(named);

interface Shown {
  readonly subject?: ReturnType<typeof named>;
  readonly names?: readonly SubjectAltName[];
}

/** The user id of a certificate; null where it is refused. */
const userOf = (userIdFrom: readonly UserIdKind[], { subject = [], names = [] }: Shown): string | null => {
  const certificate = madeCertificate({ subject, subjectAltNames: names });
  const user = certificateUser(certificate, { userIdFrom, extractCn: true, extractEmail: false });
  return user.ok ? user.value : null;
};

const spiffe = 'spiffe://example.org/ns/prod/sa/billing';

describe('user-id-from', () => {
  it('uses the URI of a SPIFFE certificate, which has no subject', () => {
    expect(userOf(['san-uri'], { names: [uri(spiffe), dns('billing')] })).toBe(spiffe);
  });

  it('uses the DNS name, the e-mail address, the common name and the whole subject', () => {
    expect(userOf(['san-dns'], { names: [dns('api.example.org'), uri(spiffe)] })).toBe('api.example.org');
    expect(userOf(['san-email'], { names: [email('ops@example.org')] })).toBe('ops@example.org');
    expect(userOf(['cn'], { subject: named('api') })).toBe('api');
    const subject = [[{ type: '2.5.4.10', isText: true, value: 'Example' }], ...named('api')];
    expect(userOf(['dn'], { subject })).toBe('CN=api,O=Example');
  });

  it('uses the last of several common names in certificate order', () => {
    expect(userOf(['cn'], { subject: commonNames('users', 'ann') })).toBe('ann');
  });

  it('uses the first kind that exists', () => {
    const shown = { subject: named('api'), names: [dns('api.example.org')] };
    expect(userOf(['san-uri', 'san-dns', 'cn'], shown)).toBe('api.example.org');
    expect(userOf(['cn', 'san-dns'], shown)).toBe('api');
  });

  it('skips a kind with two values', () => {
    const names = [uri(spiffe), uri('spiffe://example.org/ns/prod/sa/other')];
    expect(userOf(['san-uri'], { names })).toBeNull();
    expect(userOf(['san-uri', 'cn'], { subject: named('api'), names })).toBe('api');
    expect(userOf(['san-dns'], { names: [dns('a.example'), dns('a.example')] })).toBeNull();
  });

  it('refuses a certificate without any of the kinds', () => {
    expect(userOf(['san-uri', 'san-dns', 'san-email', 'cn', 'dn'], {})).toBeNull();
    expect(userOf(['san-uri'], { subject: named('api') })).toBeNull();
  });

  it.each<readonly [UserIdKind, SubjectAltName]>([
    ['san-dns', dns('*.example.org')],
    ['san-dns', dns('api.example.org\0.evil')],
    ['san-uri', uri('not a uri')],
    ['san-uri', uri(`${spiffe}\n`)],
    ['san-email', email('ops')],
    ['san-uri', uri(`${spiffe}${'x'.repeat(256)}`)],
  ])('refuses a malformed name of the kind %s, and tries no other kind', (kind, name) => {
    expect(userOf([kind, 'cn'], { subject: named('api'), names: [name] })).toBeNull();
  });

  it('refuses a last common name that is not text or has control characters', () => {
    const odd = [[{ type: '2.5.4.3', isText: false, value: '0500' }]];
    expect(userOf(['cn'], { subject: [...named('api'), ...odd] })).toBeNull();
    expect(userOf(['cn', 'dn'], { subject: named('a\0b') })).toBeNull();
  });

  it('keeps the behaviour of the older keys if it is absent', () => {
    expect(userOf([], { subject: named('api'), names: [uri(spiffe)] })).toBe('api');
    expect(userOf([], { subject: commonNames('users', 'ann') })).toBeNull();
  });
});
