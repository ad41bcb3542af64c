import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type PlaceholderName,
  type PlaceholderValues,
  parseTemplate,
  placeholderNames,
  renderTemplate,
} from '../../../../../src/domain/gateway/route-transforms/placeholder-template.js';

const octets = fc.string({ unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)) });
const values: fc.Arbitrary<PlaceholderValues> = fc.record(
  Object.fromEntries(placeholderNames.map((name) => [name, octets])) as Record<PlaceholderName, typeof octets>,
);

describe('placeholders', () => {
  it('never bring a control character into a text', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...placeholderNames)), octets, values, (names, literal, request) => {
        const template = parseTemplate(literal.replaceAll('{', '{{') + names.map((name) => `{${name}}`).join(literal));
        const text = template.ok ? renderTemplate(template.value, request) : '';
        expect(/[\u0000-\u001f\u007f]/.test(text)).toBe(false);
      }),
    );
  });

  it('keep every other character of the values', () => {
    fc.assert(
      fc.property(fc.constantFrom(...placeholderNames), values, (name, request) => {
        const template = parseTemplate(`<{${name}}>`);
        const visible = [...request[name]].filter((character) => !/[\u0000-\u001f\u007f]/.test(character)).join('');
        expect(template.ok && renderTemplate(template.value, request)).toBe(`<${visible}>`);
      }),
    );
  });

  it('escape any text by doubling its braces', () => {
    fc.assert(
      fc.property(fc.string(), values, (text, request) => {
        const printable = text.replaceAll(/[\u0000-\u001f\u007f]/g, '');
        const template = parseTemplate(printable.replaceAll('{', '{{'));
        expect(template.ok && renderTemplate(template.value, request)).toBe(printable);
      }),
    );
  });
});
