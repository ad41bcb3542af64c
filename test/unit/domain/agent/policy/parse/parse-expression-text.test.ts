import { describe, expect, it } from 'vitest';
import { parseExpressionText } from '../../../../../../src/domain/agent/policy/parse/parse-entity-uid.js';

describe('a standalone expression', () => {
  it('reports problems in source order', () => {
    const parsed = parseExpressionText('else :: else', 'extended');
    expect(parsed.ok).toBe(false);
    const starts = parsed.ok ? [] : parsed.error.map(({ span }) => span.start);
    expect(starts.length).toBeGreaterThan(1);
    expect(starts).toEqual(starts.toSorted((first, second) => first - second));
  });
});
