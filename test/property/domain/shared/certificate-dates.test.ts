import fc from 'fast-check';
import { expect, it } from 'vitest';
import { subjectText } from '../../../../src/domain/shared/certificate-dates.js';

it('the subject of a certificate is a label for every text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
      const label = subjectText(text);
      expect(label.length).toBeLessThanOrEqual(128);
      expect(label).not.toMatch(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u);
    }),
  );
});
