import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalisePath } from '../../../../src/domain/http/path-normalisation.js';

const piece = fc.constantFrom(
  ...[
    '/',
    '//',
    '.',
    '..',
    'a',
    'B',
    '%2e',
    '%2E',
    '%2f',
    '%61',
    '%c3',
    '%C3',
    '%25',
    '%5c',
    '%00',
    '%',
    ';',
    '{',
    '\\',
    '~',
    '?',
  ],
);
const path = fc.oneof(
  fc.array(piece, { maxLength: 14 }).map((pieces) => `/${pieces.join('')}`),
  fc.string({ unit: 'binary-ascii', maxLength: 20 }),
);

describe('normalisePath', () => {
  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(path, (raw) => {
        const once = normalisePath(raw);
        if (once.ok) expect(normalisePath(once.value)).toEqual(once);
      }),
      { numRuns: 3000 },
    );
  });

  it('never yields a dot segment, an empty segment, an encoded separator or a character that no URI may hold', () => {
    fc.assert(
      fc.property(path, (raw) => {
        const result = normalisePath(raw);
        if (!result.ok || raw === '*') return;
        expect(result.value).toMatch(/^\//);
        const segments = result.value.slice(1).split('/');
        for (const segment of segments) expect(segment).not.toMatch(/^(\.|%2e){1,2}(;|$)/i);
        expect(segments.slice(0, -1)).not.toContain('');
        expect(result.value).not.toMatch(/%2f|%5c|%00|\\/i);
        expect(result.value).toMatch(/^([A-Za-z0-9\-._~:/[\]@!$&'()*+,;=]|%[0-9A-F]{2})*$/);
      }),
      { numRuns: 3000 },
    );
  });

  it('gives what the URL standard gives, where slashes are single and escapes plain', () => {
    const segment = fc.constantFrom('a', 'b', '.', '..', '%2e', '%2E%2e', 'c.d');
    fc.assert(
      fc.property(fc.array(segment, { minLength: 1, maxLength: 8 }), fc.boolean(), (segments, slash) => {
        const raw = `/${segments.join('/')}${slash ? '/' : ''}`;
        expect(normalisePath(raw)).toEqual({ ok: true, value: new URL(`http://h${raw}`).pathname });
      }),
      { numRuns: 1000 },
    );
  });
});
