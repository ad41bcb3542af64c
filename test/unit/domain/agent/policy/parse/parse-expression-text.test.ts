import { describe, expect, it } from 'vitest';
import { parseExpressionText } from '../../../../../../src/domain/agent/policy/parse/parse-entity-uid.js';

describe('an expression that stands alone', () => {
  it('has its problems in the order of the text', () => {
    const parsed = parseExpressionText('else :: else', 'extended');
    expect(parsed.ok).toBe(false);
    const starts = parsed.ok ? [] : parsed.error.map(({ span }) => span.start);
    expect(starts.length).toBeGreaterThan(1);
    expect(starts).toEqual(starts.toSorted((first, second) => first - second));
  });
});
