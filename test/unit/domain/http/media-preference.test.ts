import { describe, expect, it } from 'vitest';
import { prefersHtml } from '../../../../src/domain/http/media-preference.js';

const prefers = (...accept: string[]): boolean => prefersHtml(accept.flatMap((value) => ['Accept', value]));

describe('a preference for HTML', () => {
  it.each([
    'text/html',
    'TEXT/HTML',
    'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8',
    'text/*, application/json;q=0.5',
    'text/html;level=1;q=0.5, */*;q=0.1',
    'application/json;q=0, text/html;q=0.001',
    ' text/html ; q=1.000 ',
  ])('is in %s', (accept) => {
    expect(prefers(accept)).toBe(true);
  });

  it.each([
    '',
    '*/*',
    'application/json',
    'application/problem+json, text/html',
    'application/json, text/html',
    'text/html;q=0',
    'text/html;q=0, */*',
    'text/html;q=0.5, application/*',
    'text/html;q=2',
    'text/html;q=nonsense',
    'text/plain',
    'application/xhtml+xml',
    'xtext/html',
    'text/html/',
  ])('is not in "%s"', (accept) => {
    expect(prefers(accept)).toBe(false);
  });

  it('is read from all fields together, and absent without one', () => {
    expect(prefers('*/*;q=0.1', 'text/html')).toBe(true);
    expect(prefers('text/html', 'application/json')).toBe(false);
    expect(prefersHtml([])).toBe(false);
  });
});
