import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Decision } from '../../../../../src/domain/agent/policy/evaluate/decision.js';
import { verdict } from '../../../../../src/domain/agent/policy/policy-verdict.js';

const effect = fc.constantFrom('permit' as const, 'forbid' as const);
const errors = fc.array(
  fc.record({
    policyId: fc.string(),
    effect,
    error: fc.constant({ kind: 'error', code: 'type_error', message: '', span: null } as const),
  }),
  { maxLength: 4 },
);
const ids = fc.array(fc.string(), { minLength: 1, maxLength: 3 });
/** An allow has a reason: `decide` gives no other. */
const decision: fc.Arbitrary<Decision> = fc.oneof(
  fc.record({ decision: fc.constant('allow' as const), reasons: ids, errors }),
  fc.record({ decision: fc.constant('deny' as const), reasons: fc.oneof(ids, fc.constant([])), errors }),
);
const rules = fc.record({
  defaultDecision: fc.constantFrom('allow' as const, 'deny' as const),
  onError: fc.constantFrom('deny' as const, 'skip' as const),
});
const forbidFailed = ({ errors: all }: Decision) => all.some((one) => one.effect === 'forbid');

describe('the verdict', () => {
  it('never allows if a forbid failed and errors deny', () => {
    fc.assert(
      fc.property(decision, rules, (some, given) => {
        const { decision: came } = verdict(some, { ...given, onError: 'deny' });
        if (forbidFailed(some)) expect(came).toBe('deny');
      }),
    );
  });

  it('never allows if a forbid is satisfied, and allows by default only if no policy applied', () => {
    fc.assert(
      fc.property(decision, rules, (some, given) => {
        const came = verdict(some, given);
        if (some.decision === 'deny' && some.reasons.length > 0) expect(came.decision).toBe('deny');
        if (came.decision === 'allow' && some.decision === 'deny') {
          expect([came.because, some.reasons, given.defaultDecision]).toEqual(['default', [], 'allow']);
        }
      }),
    );
  });

  it("equals Cedar's decision if the default is deny and errors are skipped", () => {
    fc.assert(
      fc.property(decision, (some) => {
        expect(verdict(some, { defaultDecision: 'deny', onError: 'skip' }).decision).toBe(some.decision);
      }),
    );
  });

  it('names policies unless the default decided, and always lists all errors', () => {
    fc.assert(
      fc.property(decision, rules, (some, given) => {
        const came = verdict(some, given);
        expect(came.policies.length > 0).toBe(came.because !== 'default');
        expect(came.errors).toBe(some.errors);
      }),
    );
  });
});
