import { policySetTextToParts, policyToJson, templateToJson } from '@cedar-policy/cedar-wasm/nodejs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsePolicies } from '../../../../src/domain/policy/parse/parse-policies.js';
import type { Policy } from '../../../../src/domain/policy/syntax-tree.js';
import { nearMissPolicies } from '../../../support/near-miss-policies.js';
import { normalizedCedarJson, policyAsCedarJson } from '../../../support/policy-as-cedar-json.js';
import { policySyntaxSamples } from '../../../support/policy-syntax-samples.js';

const cedarAccepts = (text: string): boolean => policySetTextToParts(text).type === 'success';

const cedarJson = (text: string, isTemplate: boolean): unknown => {
  const answer = isTemplate ? templateToJson(text) : policyToJson(text);
  return answer.type === 'success' ? normalizedCedarJson(answer.json) : answer.errors;
};

const expectSameTrees = (text: string, policies: readonly Policy[]): void => {
  for (const policy of policies) {
    const source = text.slice(policy.span.start, policy.span.end);
    expect(policyAsCedarJson(policy)).toEqual(cedarJson(source, policy.slots.length > 0));
  }
};

describe('policy syntax beside that of Cedar itself', () => {
  it('reads every sample into the same tree', () => {
    for (const text of policySyntaxSamples) {
      const parsed = parsePolicies(text, 'cedar');
      if (!parsed.ok) expect.fail(`${text}: ${parsed.error[0]?.message}`);
      expectSameTrees(text, parsed.value);
    }
  });

  it('accepts and refuses the same near misses, and reads the same trees', () => {
    fc.assert(
      fc.property(nearMissPolicies, (text) => {
        const parsed = parsePolicies(text, 'cedar');
        expect(parsed.ok).toBe(cedarAccepts(text));
        if (parsed.ok) expectSameTrees(text, parsed.value);
      }),
      { numRuns: 1000 },
    );
  });
});
