import { describe, expect, it } from 'vitest';
import { withoutHeader } from '../../../../src/domain/http/header-list.js';

describe('withoutHeader', () => {
  it('drops every field of the name, in any case, and no other', () => {
    expect(withoutHeader(['A', '1', 'B', '2', 'a', '3', 'AA', '4'], 'a')).toEqual(['B', '2', 'AA', '4']);
  });
});
