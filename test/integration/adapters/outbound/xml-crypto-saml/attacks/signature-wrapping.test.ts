import { describe, expect, it } from 'vitest';
import { naivelyVerified } from '../../../../../support/agent/saml-forgeries.js';
import { idpKey } from '../../../../../support/agent/saml-keys.js';
import { verdict } from '../../../../../support/agent/saml-verifying.js';
import { wrappedAssertions, wrappedResponses } from '../../../../../support/agent/saml-wrapping.js';

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
    it(`${name} is refused by its structure despite a valid signature`, async () => {
      expect(naivelyVerified(xml, idpKey().certificatePem)).toBe(true);
      expect(reasons).toContain(await verdict(xml));
    });
  }
});
