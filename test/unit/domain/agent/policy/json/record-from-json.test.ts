import { describe, expect, it } from 'vitest';
import type { ExactJson } from '../../../../../../src/domain/agent/policy/json/exact-json.js';
import { contextFromJson } from '../../../../../../src/domain/agent/policy/json/record-from-json.js';

describe('contextFromJson', () => {
  it('reads a record', () => {
    const context = contextFromJson({ a: 1, b: { c: 'x' } });
    expect(context.ok && context.value.attributes.get('a')).toBe(1);
    expect(context.ok && [...context.value.attributes.keys()]).toEqual(['a', 'b']);
  });

  it.each<[ExactJson | undefined, string]>([
    [undefined, 'the context must be a JSON object, not nothing'],
    [[], 'the context must be a JSON object, not an array'],
    [{ a: [null] }, 'context: at .a[0]: null is not a value of Cedar'],
    [{ __entity: { type: 'A', id: 'b' } }, 'the context must be a record'],
    [{ __extn: { fn: 'decimal', arg: '1.0' } }, 'the context must be a record'],
    [{ __expr: '1' }, 'context: "__expr" is not supported: write "__entity", "__extn" or plain JSON'],
  ])('refuses %j', (json, error) => {
    expect(contextFromJson(json)).toEqual({ ok: false, error });
  });
});
