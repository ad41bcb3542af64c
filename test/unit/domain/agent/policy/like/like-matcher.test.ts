import { describe, expect, it } from 'vitest';
import { likeMatcher } from '../../../../../../src/domain/agent/policy/like/like-matcher.js';
import type { LikePattern } from '../../../../../../src/domain/agent/policy/syntax-tree.js';

const star = { kind: 'any-text' } as const;

/** Each star of the text is a star of the pattern. */
const pattern = (text: string): LikePattern =>
  text.split('*').flatMap((piece, index) => (index === 0 ? [piece] : [star, piece]));

const matches = (text: string, like: string): boolean => likeMatcher(pattern(like))(text);

describe('likeMatcher', () => {
  it('matches exactly the text without stars', () => {
    expect(matches('abc', 'abc')).toBe(true);
    expect(matches('abcd', 'abc')).toBe(false);
    expect(matches('', '')).toBe(true);
    expect(likeMatcher([])('')).toBe(true);
    expect(likeMatcher([])('a')).toBe(false);
  });

  it('matches any text for a star, including none', () => {
    expect(matches('', '*')).toBe(true);
    expect(matches('anything', '**')).toBe(true);
    expect(matches('/api/users', '/api/*')).toBe(true);
    expect(matches('/api/', '/api/*')).toBe(true);
    expect(matches('/api', '/api/*')).toBe(false);
    expect(matches('plan.pdf', '*.pdf')).toBe(true);
    expect(matches('.pdf', '*.pdf')).toBe(true);
    expect(matches('plan.pdf.exe', '*.pdf')).toBe(false);
    expect(matches('has a secret inside', '*secret*')).toBe(true);
    expect(matches('has none', '*secret*')).toBe(false);
  });

  it('never matches a part of the text twice', () => {
    expect(matches('aba', 'ab*ba')).toBe(false);
    expect(matches('abba', 'ab*ba')).toBe(true);
    expect(matches('aXa', 'a*X*Xa')).toBe(false);
    expect(matches('abcbc', 'a*bc*bc')).toBe(true);
    expect(matches('abc', 'a*bc*bc')).toBe(false);
    expect(matches('aaa', '*aa*aa*')).toBe(false);
    expect(matches('aaaa', '*aa*aa*')).toBe(true);
    expect(matches('aab', '*a*a*a*b')).toBe(false);
  });

  it('treats a star in the text as a plain character, and merges adjacent pieces', () => {
    expect(likeMatcher(['a', '*', 'b'])('a*b')).toBe(true);
    expect(likeMatcher(['a', '*', 'b'])('axb')).toBe(false);
    expect(likeMatcher([star, 'a', 'b', star, star])('xxabxx')).toBe(true);
  });

  it('matches whole characters beyond 16 bits', () => {
    expect(matches('a😀b', 'a*b')).toBe(true);
    expect(matches('😀', '*😀*')).toBe(true);
    expect(matches('😁', '*😀*')).toBe(false);
  });

  it('rejects a long text for a pattern of many stars in linear time', () => {
    const text = 'a'.repeat(100_000);
    expect(matches(text, `${'*a'.repeat(200)}*b`)).toBe(false);
    expect(matches(text, `${'*a'.repeat(200)}*b*`)).toBe(false);
    expect(matches(`${text}b`, `${'*a'.repeat(200)}*b`)).toBe(true);
  });
});
