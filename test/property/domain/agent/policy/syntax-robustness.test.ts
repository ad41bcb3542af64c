import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseExpressionText } from '../../../../../src/domain/agent/policy/parse/parse-entity-uid.js';
import { parsePolicies } from '../../../../../src/domain/agent/policy/parse/parse-policies.js';
import type { PolicyParseProblem } from '../../../../../src/domain/agent/policy/parse/policy-parse-problem.js';
import { policyLimits } from '../../../../../src/domain/agent/policy/policy-limits.js';
import { type SourceSpan, sourceLines } from '../../../../../src/domain/agent/policy/source-lines.js';
import { nearMissPolicies } from '../../../../support/agent/near-miss-policies.js';
import { policySyntaxTokens } from '../../../../support/agent/policy-syntax-samples.js';

const expectInside = (span: SourceSpan, text: string): void => {
  expect(span.start).toBeGreaterThanOrEqual(0);
  expect(span.end).toBeGreaterThanOrEqual(span.start);
  expect(span.end).toBeLessThanOrEqual(text.length);
};

const expectGoodProblems = (problems: readonly PolicyParseProblem[], text: string): void => {
  expect(problems.length).toBeGreaterThan(0);
  expect(problems.length).toBeLessThanOrEqual(policyLimits.problems);
  for (const { span, message, suggestion } of problems) {
    expectInside(span, text);
    expect(message.length).toBeLessThan(600);
    expect((suggestion ?? '').length).toBeLessThan(600);
    expect(`${message}${suggestion ?? ''}`).not.toMatch(/\p{Cc}/u);
  }
  const starts = problems.map(({ span }) => span.start);
  expect(starts).toEqual(starts.toSorted((left, right) => left - right));
};

const tokenSoup = fc.array(fc.constantFrom(...policySyntaxTokens), { maxLength: 60 }).map((tokens) => tokens.join(' '));
const anyText = fc.oneof(nearMissPolicies, tokenSoup, fc.string({ unit: 'binary', maxLength: 200 }));

describe('arbitrary text as policies', () => {
  it('parses, or fails with positions inside the text', () => {
    fc.assert(
      fc.property(fc.array(anyText, { maxLength: 4 }), fc.constantFrom('cedar', 'extended'), (texts, dialect) => {
        const text = texts.join('\n');
        const parsed = parsePolicies(text, dialect);
        if (!parsed.ok) return expectGoodProblems(parsed.error, text);
        for (const { span, conditions } of parsed.value) {
          for (const inner of [span, ...conditions.map((condition) => condition.span)]) expectInside(inner, text);
        }
      }),
      { numRuns: 600 },
    );
  });

  it('parses as an expression, or fails', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const parsed = parseExpressionText(text, 'extended');
        if (parsed.ok) expectInside(parsed.value.span, text);
        else expectGoodProblems(parsed.error, text);
      }),
      { numRuns: 400 },
    );
  });
});

describe('lines of arbitrary text', () => {
  it('give the position of each offset, and reassemble to the text', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', '\n', '\r\n', '\r', 'é'), { maxLength: 40 }), (pieces) => {
        const text = pieces.join('');
        const lines = sourceLines(text);
        let line = 1;
        let column = 1;
        for (let offset = 0; offset <= text.length; offset += 1) {
          expect(lines.positionAt(offset)).toEqual({ line, column });
          if (text[offset] === '\n') {
            line += 1;
            column = 1;
          } else {
            column += 1;
          }
        }
        const all = Array.from({ length: line }, (_, index) => lines.lineAt(index + 1));
        expect(all.join('\n')).toBe(text.replaceAll('\r\n', '\n'));
      }),
      { numRuns: 300 },
    );
  });
});
