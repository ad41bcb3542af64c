import { describe, expect, it } from 'vitest';
import { countedForwards } from '../../../../src/domain/http/request-method.js';

describe('by how many a request may be forwarded', () => {
  it.each([
    ['1', '0'],
    ['10', '9'],
    ['007', '6'],
    ['999999999', '999999998'],
  ])('is one less of an OPTIONS with %s', (value, left) => {
    const fields = ['Host', 'a', 'max-forwards', value, 'X', 'y'];
    expect(countedForwards('OPTIONS', fields)).toEqual(['Host', 'a', 'Max-Forwards', left, 'X', 'y']);
  });

  it.each(['0', '000'])('is nobody with %s', (value) => {
    expect(countedForwards('OPTIONS', ['Max-Forwards', value])).toBeNull();
  });

  it('is said once where it came twice, by the first', () => {
    const fields = ['Max-Forwards', '3', 'Max-Forwards', '0'];
    expect(countedForwards('OPTIONS', fields)).toEqual(['Max-Forwards', '2']);
  });

  it.each(['', '-1', '1.5', 'many', '1 2', '1234567890', '0x1'])(
    'is not said by "%s", which goes on as it is',
    (value) => {
      const fields = ['Max-Forwards', value];
      expect(countedForwards('OPTIONS', fields)).toBe(fields);
    },
  );

  it('is no business of other methods, nor of an OPTIONS that says nothing of it', () => {
    const fields = ['Max-Forwards', '0'];
    for (const method of ['GET', 'POST', 'options']) expect(countedForwards(method, fields)).toBe(fields);
    const others = ['Host', 'a'];
    expect(countedForwards('OPTIONS', others)).toBe(others);
  });
});
