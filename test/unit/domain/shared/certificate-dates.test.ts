import { describe, expect, it } from 'vitest';
import { earliestExpiries, subjectText } from '../../../../src/domain/shared/certificate-dates.js';

describe('the subject of a certificate as a label', () => {
  it.each([
    ['C=DE\nO=Example\nCN=api', 'C=DE, O=Example, CN=api'],
    ['CN=a\r\u0000\u0085\u2028b', 'CN=a????b'],
    ['CN=\ud800x', 'CN=?x'],
    ['CN=Ünï 🙂', 'CN=Ünï 🙂'],
    ['', ''],
  ])('has one line without control characters: %j', (text, label) => {
    expect(subjectText(text)).toBe(label);
  });

  it('has at most 128 characters, and no half of a surrogate pair', () => {
    expect(subjectText('x'.repeat(128))).toHaveLength(128);
    expect(subjectText('x'.repeat(129))).toHaveLength(128);
    expect(subjectText(`${'x'.repeat(127)}🙂`)).toBe('x'.repeat(127));
    expect(subjectText(`${'x'.repeat(126)}🙂🙂`)).toBe(`${'x'.repeat(126)}🙂`);
  });
});

describe('the earliest expiries', () => {
  it('have each subject once, with its first end', () => {
    const certificates = [
      { subject: 'CN=b', expiryMs: 3 },
      { subject: 'CN=a', expiryMs: 2 },
      { subject: 'CN=b', expiryMs: 1 },
    ];
    expect(earliestExpiries(certificates, 10)).toEqual([
      { subject: 'CN=b', expiryMs: 1 },
      { subject: 'CN=a', expiryMs: 2 },
    ]);
  });

  it('omit the last ones to expire where there are too many', () => {
    const certificates = [5, 3, 9, 1].map((expiryMs) => ({ subject: `CN=${expiryMs}`, expiryMs }));
    expect(earliestExpiries(certificates, 2).map(({ expiryMs }) => expiryMs)).toEqual([1, 3]);
  });
});
