import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AuthorizationRequest } from '../../../../../../src/domain/agent/policy/evaluate/authorization-request.js';
import { compilePolicies } from '../../../../../../src/domain/agent/policy/evaluate/compile-policies.js';
import { decide } from '../../../../../../src/domain/agent/policy/evaluate/decide.js';
import type { Decision } from '../../../../../../src/domain/agent/policy/evaluate/decision.js';
import type { Policy } from '../../../../../../src/domain/agent/policy/syntax-tree.js';
import { entityUid } from '../../../../../../src/domain/agent/policy/values/entity-uid.js';
import { recordOf } from '../../../../../../src/domain/agent/policy/values/record-value.js';
import { storeOf } from '../../../../../support/agent/evaluated-expression.js';
import { naiveDecision } from '../../../../../support/agent/naive-decision.js';
import { parsedPolicies } from '../../../../../support/agent/parsed-policies.js';

const entity = fc
  .tuple(fc.constantFrom('A', 'B'), fc.constantFrom('1', '2', '3'))
  .map(([type, id]) => ({ uid: entityUid(type, id), text: `${type}::"${id}"` }));

const text = entity.map((one) => one.text);

const scope = (variable: string) =>
  fc.oneof(
    fc.constant(variable),
    text.map((one) => `${variable} == ${one}`),
    text.map((one) => `${variable} in ${one}`),
    fc.constantFrom(`${variable} is A`, `${variable} is B`),
    text.map((one) => `${variable} is A in ${one}`),
  );

const action = fc.constantFrom('1', '2', '3').map((id) => `Action::"${id}"`);
const actionScope = fc.oneof(
  fc.constant('action'),
  action.map((one) => `action == ${one}`),
  action.map((one) => `action in ${one}`),
  fc.array(action, { maxLength: 4 }).map((several) => `action in [${several.join(', ')}]`),
);

const condition = fc.constantFrom(
  '',
  '',
  'when { context.on }',
  'unless { context.on }',
  'when { context.missing }',
  'when { 1 }',
  'unless { 1 }',
  'when { context.on } when { context.missing }',
  'when { context.on } unless { context.missing == 1 }',
  'when { principal in A::"1" }',
);

const policyText = fc
  .tuple(fc.constantFrom('permit', 'forbid'), scope('principal'), actionScope, scope('resource'), condition)
  .map(([effect, principal, actions, resource, body]) => `${effect} (${principal}, ${actions}, ${resource}) ${body};`);

/** Without a cycle: the parents of an entity come after it. */
const hierarchy = fc.array(fc.tuple(fc.nat(5), fc.nat(5)), { maxLength: 10 }).map((links) => {
  const uids = ['A', 'B'].flatMap((type) => ['1', '2', '3'].map((id) => entityUid(type, id)));
  const actions = ['1', '2', '3'].map((id) => entityUid('Action', id));
  const parentsAmong = (all: typeof uids, index: number) =>
    links.filter(([child, parent]) => child === index && parent > index).flatMap(([, parent]) => all[parent] ?? []);
  return storeOf(
    ...[uids, actions].flatMap((all) => all.map((uid, index) => ({ uid, parents: parentsAmong(all, index) }))),
  );
});

const request: fc.Arbitrary<AuthorizationRequest> = fc
  .tuple(entity, fc.constantFrom('1', '2', '3', '4'), entity, fc.boolean(), hierarchy)
  .map(([principal, act, resource, on, entities]) => ({
    principal: principal.uid,
    action: entityUid('Action', act),
    resource: resource.uid,
    context: recordOf([['on', on]]),
    entities,
  }));

const policySet = fc.array(policyText, { maxLength: 30 }).map((texts) => parsedPolicies(texts.join('\n')));

const decided = (policies: readonly Policy[], asked: AuthorizationRequest): Decision =>
  decide(compilePolicies(policies, 'cedar'), asked);

describe('a decision', () => {
  it('is the same without the index, with reasons and errors in the order of the set', () => {
    fc.assert(
      fc.property(policySet, request, (policies, asked) => {
        expect(decided(policies, asked)).toEqual(naiveDecision(policies, asked));
      }),
      { numRuns: 300 },
    );
  });

  it('does not depend on the order of the policies', () => {
    const shuffled = policySet.chain((policies) =>
      fc.tuple(fc.constant(policies), fc.shuffledSubarray([...policies], { minLength: policies.length })),
    );
    fc.assert(
      fc.property(shuffled, request, ([policies, others], asked) => {
        const [first, second] = [decided(policies, asked), decided(others, asked)];
        expect(second.decision).toBe(first.decision);
        expect(new Set(second.reasons)).toEqual(new Set(first.reasons));
        expect(new Set(second.errors)).toEqual(new Set(first.errors));
      }),
      { numRuns: 100 },
    );
  });

  it('is deny if any forbid is satisfied', () => {
    fc.assert(
      fc.property(policySet, request, (policies, asked) => {
        const [forbid] = parsedPolicies('forbid (principal, action, resource);');
        const decision = decided([...policies, { ...(forbid as Policy), id: 'no' }], asked);
        expect(decision.decision).toBe('deny');
        expect(decision.reasons).toContain('no');
      }),
      { numRuns: 100 },
    );
  });

  it('does not change with a policy for other requests', () => {
    const foreign = parsedPolicies(`
      permit (principal == C::"9", action, resource);
      forbid (principal, action in [Action::"9"], resource);
      forbid (principal, action in [], resource);
      forbid (principal is C, action, resource) when { 1 };
      forbid (principal, action, resource in C::"9");
      forbid (principal in ?principal, action, resource);
    `).map((policy, index) => ({ ...policy, id: `foreign${index}` }));
    fc.assert(
      fc.property(policySet, request, fc.nat(30), (policies, asked, place) => {
        const together = [...policies.slice(0, place), ...foreign, ...policies.slice(place)];
        expect(decided(together, asked)).toEqual(decided(policies, asked));
      }),
      { numRuns: 100 },
    );
  });

  it('is allow only if a permit is satisfied', () => {
    fc.assert(
      fc.property(policySet, request, (policies, asked) => {
        const { decision, reasons } = decided(
          policies.filter(({ effect }) => effect === 'forbid'),
          asked,
        );
        expect(decision).toBe('deny');
        expect(decided(policies, asked).decision === 'allow' && reasons.length > 0).toBe(false);
      }),
      { numRuns: 100 },
    );
  });
});
