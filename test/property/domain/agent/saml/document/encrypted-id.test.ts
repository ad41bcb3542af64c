import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  withDecryptedId,
  withDecryptedSubject,
} from '../../../../../../src/domain/agent/saml/document/read-name-id.js';
import type { XmlElement } from '../../../../../../src/domain/agent/xml/element-access.js';
import { ok } from '../../../../../../src/domain/shared/result.js';
import { xml } from '../../../../../support/agent/xml-elements.js';

const name = fc.constantFrom(
  'saml:Issuer',
  'saml:NameID',
  'saml:EncryptedID',
  'ds:EncryptedID',
  'saml:Subject',
  'samlp:Subject',
);
const leaf = name.map((called) => xml(called, {}, 'x'));
const inner = fc
  .tuple(name, fc.array(leaf, { maxLength: 4 }))
  .map(([called, children]) => xml(called, {}, ...children));
const assertion = fc.array(inner, { maxLength: 5 }).map((children) => xml('saml:Assertion', {}, ...children));
const decryptedName = xml('saml:NameID', {}, 'ann');

const countOf = (element: XmlElement): number =>
  1 + element.children.reduce((sum, child) => sum + (typeof child === 'string' ? 0 : countOf(child)), 0);

describe('a decrypted name', () => {
  it('replaces only the encrypted name of the only subject; nothing else changes or is decrypted', () => {
    fc.assert(
      fc.property(assertion, (tree) => {
        const seen: XmlElement[] = [];
        const result = withDecryptedSubject(tree, (encrypted) => {
          seen.push(encrypted);
          return ok(decryptedName);
        });
        const subjects = tree.children.filter(
          (child) =>
            typeof child !== 'string' && child.name === 'Subject' && child.namespace === xml('saml:x').namespace,
        );
        if (!result.ok) {
          expect(result.error).toBe('malformed_element');
          expect(seen).toEqual([]);
          return;
        }
        expect(seen.length).toBeLessThanOrEqual(subjects.length === 1 ? 1 : 0);
        expect(result.value.children.length).toBe(tree.children.length);
        if (seen.length === 0) expect(result.value).toEqual(tree);
        else
          expect(JSON.stringify(result.value)).toBe(
            JSON.stringify(tree).replace(
              JSON.stringify(subjects[0]),
              JSON.stringify(subjects[0]).replace(JSON.stringify(seen[0]), JSON.stringify(decryptedName)),
            ),
          );
      }),
    );
  });

  it('is always a NameID, whatever was encrypted', () => {
    fc.assert(
      fc.property(inner, (decrypted) => {
        const parent = xml('saml:Subject', {}, xml('saml:EncryptedID'));
        const result = withDecryptedId(parent, () => ok(decrypted));
        const isName = decrypted.name === 'NameID' && decrypted.namespace === decryptedName.namespace;
        expect(result).toEqual(isName ? ok(xml('saml:Subject', {}, decrypted)) : { ok: false, error: 'no_subject' });
        expect(countOf(parent)).toBe(2);
      }),
    );
  });
});
