import { describe, expect, it } from 'vitest';
import { naivelyVerified } from '../../../../../support/saml-forgeries.js';
import { idpKey } from '../../../../../support/saml-keys.js';
import { verdict } from '../../../../../support/saml-verifying.js';
import { wrappedAssertions, wrappedResponses } from '../../../../../support/saml-wrapping.js';

const reasons = [
  'misplaced_assertion',
  'several_assertions',
  'misplaced_signature',
  'signature_reference',
  'malformed_element',
  'unexpected_root',
];

describe('signature wrapping', () => {
  for (const { name, xml } of [...wrappedAssertions(), ...wrappedResponses()]) {
    it(`${name} is refused for its structure, though its signature holds`, async () => {
      expect(naivelyVerified(xml, idpKey().certificatePem)).toBe(true);
      expect(reasons).toContain(await verdict(xml));
    });
  }
});
