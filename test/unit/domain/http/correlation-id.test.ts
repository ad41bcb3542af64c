import { describe, expect, it } from 'vitest';
import { acceptCorrelationId } from '../../../../src/domain/http/correlation-id.js';

describe('acceptCorrelationId', () => {
  it.each(['a', 'Zz09._-', 'x'.repeat(128)])('keeps %s', (value) => {
    expect(acceptCorrelationId(value)).toBe(value);
  });

  it.each([undefined, '', 'x'.repeat(129), 'a b', 'a,b', 'a\n', 'a"', 'a/b', 'a:b', '\u00e9', '@', '[', '`', '{'])(
    'refuses %j',
    (value) => {
      expect(acceptCorrelationId(value)).toBeNull();
    },
  );
});
