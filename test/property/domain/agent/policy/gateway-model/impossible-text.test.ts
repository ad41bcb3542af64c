import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ModelSource } from '../../../../../../src/domain/agent/policy/gateway-model/model-types.js';
import {
  impossiblePattern,
  impossibleValue,
} from '../../../../../../src/domain/agent/policy/gateway-model/possible/impossible-text.js';
import type { LikePattern } from '../../../../../../src/domain/agent/policy/syntax-tree.js';
import { normalisePath } from '../../../../../../src/domain/http/path-normalisation.js';
import { parseAuthority } from '../../../../../../src/domain/http/request-target.js';

const star = { kind: 'any-text' } as const;
const pieceOf = (text: string): LikePattern => (text === '' ? [] : [text]);

/** Patterns that fit a text: it is cut at four places, and a star takes what is between the cuts. */
const fitting = (text: string, cuts: readonly number[]): LikePattern => {
  const [a = 0, b = 0, c = 0, d = 0] = cuts.map((cut) => cut % (text.length + 1)).sort((x, y) => x - y);
  return [...pieceOf(text.slice(0, a)), star, ...pieceOf(text.slice(b, c)), star, ...pieceOf(text.slice(d))];
};
const cuts = fc.array(fc.nat({ max: 40 }), { minLength: 4, maxLength: 4 });

const rawPath = fc
  .array(fc.constantFrom('/', '/', '.', '..', 'a', 'b%C3%A4', '%c3', '%41', '%2e', ';v=1', '*', '<', 'x-y', '%20'))
  .map((parts) => `/${parts.join('')}`);
const rawHost = fc
  .array(fc.constantFrom('a', 'B', '.', '-', 'example.com', ':80', '[::1]', '10.0.0.1'), { minLength: 1, maxLength: 5 })
  .map((parts) => parts.join(''));

const judged = (from: ModelSource, text: string, pattern: LikePattern) => [
  impossibleValue(from, text),
  impossiblePattern(from, pattern),
];

describe('a reported impossible value', () => {
  it('never is the path of a request or a pattern that matches one', () => {
    let judgedPaths = 0;
    fc.assert(
      fc.property(rawPath, cuts, (raw, at) => {
        const path = normalisePath(raw);
        // A segment that is a star is taken for a pattern on purpose.
        if (!path.ok || path.value.split('/').some((segment) => /^\*{1,2}$/.test(segment))) return;
        judgedPaths += 1;
        expect(judged('path', path.value, fitting(path.value, at))).toEqual([null, null]);
      }),
      { numRuns: 1000 },
    );
    expect(judgedPaths).toBeGreaterThan(100);
  });

  it('never is the host of a request or a pattern that matches one', () => {
    let judgedHosts = 0;
    fc.assert(
      fc.property(rawHost, cuts, (raw, at) => {
        const host = parseAuthority(raw);
        if (!host.ok) return;
        judgedHosts += 1;
        expect(judged('host', host.value.host, fitting(host.value.host, at))).toEqual([null, null]);
      }),
      { numRuns: 1000 },
    );
    expect(judgedHosts).toBeGreaterThan(100);
  });
});
