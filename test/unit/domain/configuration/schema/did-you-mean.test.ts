import { describe, expect, it } from 'vitest';
import { didYouMean } from '../../../../../src/domain/configuration/schema/did-you-mean.js';

const known = ['path', 'path-prefix', 'path-regex', 'host', 'max-body-size'];

describe('did you mean', () => {
  it.each([
    ['paht', 'path'],
    ['path_prefix', 'path-prefix'],
    ['PATH-REGEX', 'path-regex'],
    ['hosts', 'host'],
    ['max-bodysize', 'max-body-size'],
    ['pathprefix', 'path-prefix'],
  ])('finds what %s is near to', (word, meant) => {
    expect(didYouMean(word, known)).toBe(`did you mean "${meant}"?`);
  });

  it.each(['', 'zzzz', 'method', 'p'.repeat(65), 'x'.repeat(1_000_000)])('finds nothing near %j', (word) => {
    expect(didYouMean(word, known)).toBeNull();
  });
});
