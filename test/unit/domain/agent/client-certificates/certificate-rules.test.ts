import { describe, expect, it } from 'vitest';
import { parseAllowedSan } from '../../../../../src/domain/agent/client-certificates/allowed-san.js';
import {
  type CertificateRules,
  checkLeaf,
  prepareCertificateRules,
  validateCertificate,
} from '../../../../../src/domain/agent/client-certificates/certificate-rules.js';
import { parseDistinguishedName } from '../../../../../src/domain/agent/client-certificates/distinguished-name.js';
import type { Certificate, SubjectAltName } from '../../../../../src/domain/shared/certificate.js';
import { madeCertificate, named } from '../../../../support/shared/made-certificate.js';

const valuesOf = <Value>(results: readonly ({ ok: true; value: Value } | { ok: false; error: string })[]): Value[] =>
  results.map((result) => {
    if (!result.ok) throw new Error(result.error);
    return result.value;
  });

const rules = (says: {
  readonly names?: readonly string[];
  readonly sans?: readonly string[];
  readonly extractCn?: boolean;
  readonly extractEmail?: boolean;
}): CertificateRules =>
  prepareCertificateRules({
    allowedNames: valuesOf((says.names ?? []).map(parseDistinguishedName)),
    allowedSans: valuesOf((says.sans ?? []).map(parseAllowedSan)),
    userIdFrom: [],
    extractCn: says.extractCn ?? true,
    extractEmail: says.extractEmail ?? false,
  });

const email = (value: string): SubjectAltName => ({ kind: 'email', value });

const withEmails = (...emails: readonly string[]): Certificate =>
  madeCertificate({ subjectAltNames: emails.map(email) });

const unusable = { ok: false, error: 'certificate_unusable_subject' };

describe('judgeCertificate', () => {
  it('returns the common name as user, and the subject as text', () => {
    const subject = [...named('api'), [{ type: '2.5.4.11', isText: true, value: 'Ops' }]];
    expect(validateCertificate(madeCertificate({ subject }), rules({}))).toEqual({
      ok: true,
      value: { userId: 'api', identity: { commonName: 'api', distinguishedName: 'OU=Ops,CN=api' } },
    });
  });

  it('requires the subject in the list of names, in any spelling', () => {
    const allowed = rules({ names: ['O=Other', 'cn = CLIENT'] });
    expect(validateCertificate(madeCertificate(), allowed).ok).toBe(true);
    expect(validateCertificate(madeCertificate({ subject: named('client2') }), allowed)).toEqual({
      ok: false,
      error: 'certificate_not_allowed',
    });
  });

  it('requires one of the alternative names in their list', () => {
    const allowed = rules({ sans: ['*.example.com'] });
    const certificate = madeCertificate({ subjectAltNames: [{ kind: 'dns', value: 'api.example.com' }] });
    expect(validateCertificate(certificate, allowed).ok).toBe(true);
    expect(validateCertificate(madeCertificate(), allowed)).toEqual({ ok: false, error: 'certificate_not_allowed' });
  });

  it('requires both if both lists have entries', () => {
    const certificate = withEmails('a@example.com');
    const judged = (name: string, san: string) =>
      validateCertificate(certificate, rules({ names: [name], sans: [san] })).ok;
    expect(judged('CN=client', 'a@example.com')).toBe(true);
    expect(judged('CN=other', 'a@example.com')).toBe(false);
    expect(judged('CN=client', 'b@example.com')).toBe(false);
  });

  it('does not confuse subject and alternative names', () => {
    const certificate = madeCertificate({ subject: named('api.example.com') });
    expect(validateCertificate(certificate, rules({ sans: ['api.example.com'] })).ok).toBe(false);
  });

  it('uses the e-mail address only if configured, before the common name and without fallback', () => {
    const judged = validateCertificate(withEmails('A@Example.com'), rules({ extractEmail: true }));
    expect(judged).toMatchObject({ ok: true, value: { userId: 'A@Example.com', identity: { commonName: 'client' } } });
    expect(validateCertificate(madeCertificate(), rules({ extractEmail: true }))).toEqual(unusable);
    expect(validateCertificate(withEmails('a@b.example'), rules({ extractCn: false }))).toEqual(unusable);
  });

  it.each([
    [['a@example.com', 'b@example.com']],
    [['a@example.com', 'a@example.com']],
    [['not an address']],
    [['a@example.com\0']],
    [['a\0@example.com']],
    [['é@example.com']],
    [['a b@example.com']],
    [['']],
    [[`${'a'.repeat(300)}@example.com`]],
  ])('has no user for the e-mail addresses %j', (emails) => {
    expect(validateCertificate(withEmails(...emails), rules({ extractEmail: true }))).toEqual(unusable);
  });

  it.each(['', ' a', 'a ', '\u00a0a', 'admin\0', 'admin\0.evil.example', 'a\nb', 'a\x85b', '\ud800', 'a'.repeat(257)])(
    'has no user for the common name %j',
    (value) => {
      expect(validateCertificate(madeCertificate({ subject: named(value) }), rules({}))).toEqual(unusable);
    },
  );

  it('picks none of several common names, and returns none', () => {
    const together = [[...(named('a')[0] ?? []), ...(named('b')[0] ?? [])]];
    for (const subject of [[...named('a'), ...named('b')], [...named('a'), ...named('a')], together]) {
      expect(validateCertificate(madeCertificate({ subject }), rules({}))).toEqual(unusable);
      const certificate = { ...withEmails('a@example.com'), subject };
      expect(validateCertificate(certificate, rules({ extractEmail: true }))).toMatchObject({
        value: { identity: { commonName: null } },
      });
    }
  });

  it('has no user for a subject without a textual common name', () => {
    expect(validateCertificate(madeCertificate({ subject: [] }), rules({}))).toEqual(unusable);
    const binary = [[{ type: '2.5.4.3', isText: false, value: '0401ff' }]];
    expect(validateCertificate(madeCertificate({ subject: binary }), rules({}))).toEqual(unusable);
  });
});

describe('checkLeaf', () => {
  it('accepts a valid certificate', () => {
    expect(checkLeaf(madeCertificate(), 1500)).toBeNull();
  });

  it.each([
    ['certificate_expired', { notAfterMs: 1499 }],
    ['certificate_not_yet_valid', { notBeforeMs: 1501 }],
    ['certificate_wrong_usage', { keyUsage: [] }],
    ['certificate_weak', { weakSignature: 'it is MD5' }],
    ['certificate_unsupported', { unknownCritical: ['1.2.3'] }],
    ['certificate_expired', { notAfterMs: 1499, keyUsage: [], weakKey: 'it is short' }],
  ] as const)('reports %s', (reason, says) => {
    expect(checkLeaf(madeCertificate(says), 1500)).toBe(reason);
  });
});
