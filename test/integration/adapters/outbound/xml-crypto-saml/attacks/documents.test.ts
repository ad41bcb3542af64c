import { describe, expect, it } from 'vitest';
import { signedResponse } from '../../../../../support/agent/saml-documents.js';
import { refusedDocuments } from '../../../../../support/agent/saml-forgeries.js';
import { verdict } from '../../../../../support/agent/saml-verifying.js';

describe('a tampered document', () => {
  it('is accepted without tampering', async () => {
    expect(await verdict(signedResponse())).toBe('accepted alice@example.com');
  });

  for (const { name, xml, reason } of refusedDocuments()) {
    it(`is refused for ${name}`, async () => {
      expect(await verdict(xml)).toBe(reason);
    });
  }
});
