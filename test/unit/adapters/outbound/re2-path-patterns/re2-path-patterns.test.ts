import { describe, expect, it } from 'vitest';
import { re2PathPatterns } from '../../../../../src/adapters/outbound/re2-path-patterns/re2-path-patterns.js';

const matches = (pattern: string, path: string): boolean => {
  const compiled = re2PathPatterns(pattern);
  if (!compiled.ok) throw new Error(compiled.error);
  return compiled.value(path);
};
const fault = (pattern: string): string | null => {
  const compiled = re2PathPatterns(pattern);
  return compiled.ok ? null : compiled.error;
};

describe('re2PathPatterns', () => {
  it('matches anywhere unless anchored', () => {
    expect(matches('b', '/abc')).toBe(true);
    expect(matches('^/b', '/abc')).toBe(false);
    expect(matches('^/a.c$', '/abc')).toBe(true);
    expect(matches('^/a$', '/a/b')).toBe(false);
    expect(matches('\\d{2}', '/a12')).toBe(true);
  });

  it('gives the same answer each time it is asked', () => {
    const compiled = re2PathPatterns('a+');
    expect(compiled.ok && [1, 2, 3].map(() => compiled.value('/aa'))).toEqual([true, true, true]);
  });

  it.each(['(', '[a', 'a**', '(?=a)', '(?<!a)b', '(a)\\1', '\\C'])('refuses %s and says why', (pattern) => {
    expect(fault(pattern)).toMatch(/\S/);
  });

  it('refuses what is too long or grows too large', () => {
    expect(fault('a'.repeat(900))).toBeNull();
    expect(fault('a'.repeat(1025))).toMatch('longer than 1024');
    expect(fault('((a{10}){10}){10}')).toMatch('too complex');
    expect(fault('[a-z]{1000}')).toMatch('too complex');
  });

  it('takes a path that would hold a backtracking engine for ages', () => {
    expect(matches('^(a+)+$', `/${'a'.repeat(8000)}!`)).toBe(false);
    expect(matches('(x+x+)+y', 'x'.repeat(8000))).toBe(false);
    expect(matches('^(([a-z])+.)+[A-Z]([a-z])+$', 'a'.repeat(8000))).toBe(false);
  });
});
