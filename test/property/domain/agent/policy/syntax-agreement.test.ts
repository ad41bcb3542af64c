import { isAuthorized, policySetTextToParts, policyToJson, templateToJson } from '@cedar-policy/cedar-wasm/nodejs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsePolicies } from '../../../../../src/domain/agent/policy/parse/parse-policies.js';
import type { Expression, Policy } from '../../../../../src/domain/agent/policy/syntax-tree.js';
import { nearMissPolicies } from '../../../../support/agent/near-miss-policies.js';
import { normalizedCedarJson, policyAsCedarJson } from '../../../../support/agent/policy-as-cedar-json.js';
import { policySyntaxSamples } from '../../../../support/agent/policy-syntax-samples.js';

const isExpression = (value: object): value is Expression => 'kind' in value && 'span' in value;

/** The expression and every one inside it, found without a list of the kinds that there are. */
const expressionsOf = (expression: Expression): readonly Expression[] => {
  const inside = (value: unknown): readonly Expression[] => {
    if (typeof value !== 'object' || value === null) return [];
    const below = Object.values(value).flatMap(inside);
    return isExpression(value) ? [value, ...below] : below;
  };
  return inside(expression);
};

const runs = 1000;

/** What was seen, so that a run in which nothing happens cannot pass. */
const seen = { accepted: 0, refused: 0, largeLongs: 0 };

const cedarAccepts = (text: string): boolean => policySetTextToParts(text).type === 'success';

const cedarJson = (text: string, isTemplate: boolean): unknown => {
  const answer = isTemplate ? templateToJson(text) : policyToJson(text);
  return answer.type === 'success' ? normalizedCedarJson(answer.json) : answer.errors;
};

/** Longs beyond those that Cedar's JSON can tell apart, each as it is written in the text. */
const largeLongs = (text: string, { conditions }: Policy): readonly (readonly [written: string, value: bigint])[] =>
  conditions
    .flatMap(({ body }) => expressionsOf(body))
    .flatMap((expression: Expression) =>
      expression.kind === 'literal' && typeof expression.value === 'bigint'
        ? [[text.slice(expression.span.start, expression.span.end), expression.value] as const]
        : [],
    );

/**
 * Whether Cedar reads the text as this long, by its own arithmetic: the halves of the value are far from any
 * rounding.
 */
const cedarReads = (written: string, value: bigint): boolean => {
  const base = 2n ** 32n;
  const halves = `${value / base} * ${base} + ${value % base}`;
  const uid = { type: 'T', id: '' };
  const answer = isAuthorized({
    ...{ principal: uid, action: uid, resource: uid, context: {}, entities: [] },
    policies: { staticPolicies: `permit(principal, action, resource) when { ${written} == ${halves} };` },
  });
  return answer.type === 'success' && answer.response.decision === 'allow';
};

const expectSameTrees = (text: string, policies: readonly Policy[]): void => {
  for (const policy of policies) {
    const source = text.slice(policy.span.start, policy.span.end);
    expect(policyAsCedarJson(policy)).toEqual(cedarJson(source, policy.slots.length > 0));
    for (const [written, value] of largeLongs(text, policy)) {
      expect(cedarReads(written, value), `${written} as ${value}`).toBe(true);
      seen.largeLongs += 1;
    }
  }
};

describe("policy syntax compared with Cedar's", () => {
  it('parses every sample to the same tree', () => {
    for (const text of policySyntaxSamples) {
      const parsed = parsePolicies(text, 'cedar');
      if (!parsed.ok) expect.fail(`${text}: ${parsed.error[0]?.message}`);
      expectSameTrees(text, parsed.value);
    }
    expect(seen.largeLongs).toBeGreaterThan(2);
  });

  it('accepts and refuses the same near misses, and parses the same trees', () => {
    fc.assert(
      fc.property(nearMissPolicies, (text) => {
        const parsed = parsePolicies(text, 'cedar');
        const accepts = cedarAccepts(text);
        expect(parsed.ok).toBe(accepts);
        seen[accepts ? 'accepted' : 'refused'] += 1;
        if (parsed.ok) expectSameTrees(text, parsed.value);
      }),
      { numRuns: runs },
    );
    const { accepted, refused } = seen;
    expect(accepted + refused).toBeGreaterThanOrEqual(runs);
    expect(accepted / (accepted + refused)).toBeGreaterThan(0.15);
    expect(refused / (accepted + refused)).toBeGreaterThan(0.15);
  });
});
