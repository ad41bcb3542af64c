import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AuthorizationRequest } from '../../../../../../src/domain/agent/policy/evaluate/authorization-request.js';
import { compileExpression } from '../../../../../../src/domain/agent/policy/evaluate/compile-expression.js';
import { compilePolicies } from '../../../../../../src/domain/agent/policy/evaluate/compile-policies.js';
import { decide } from '../../../../../../src/domain/agent/policy/evaluate/decide.js';
import { isError, type Outcome } from '../../../../../../src/domain/agent/policy/evaluate/evaluation-error.js';
import { explainExpression } from '../../../../../../src/domain/agent/policy/explain/explain-expression.js';
import { explainPolicy } from '../../../../../../src/domain/agent/policy/explain/explain-policy.js';
import type { Finding } from '../../../../../../src/domain/agent/policy/explain/finding.js';
import { formatValue } from '../../../../../../src/domain/agent/policy/explain/format-value.js';
import { gatewayPrincipal } from '../../../../../../src/domain/agent/policy/gateway-model/gateway-principal.js';
import { gatewayRequest } from '../../../../../../src/domain/agent/policy/gateway-model/gateway-request.js';
import { parseExpressionText } from '../../../../../../src/domain/agent/policy/parse/parse-entity-uid.js';
import { parsePolicies } from '../../../../../../src/domain/agent/policy/parse/parse-policies.js';
import type { Expression } from '../../../../../../src/domain/agent/policy/syntax-tree.js';
import type { Value } from '../../../../../../src/domain/agent/policy/values/value.js';
import { equalValues } from '../../../../../../src/domain/agent/policy/values/value-equality.js';

const { text } = fc.letrec<{ text: string }>((tie) => {
  const inner = tie('text');
  const join = (...parts: readonly fc.Arbitrary<string>[]) => fc.tuple(...parts).map((texts) => texts.join(''));
  const is = fc.constant<string>;
  return {
    text: fc.oneof(
      { maxDepth: 4, depthSize: 'medium' },
      fc.constantFrom(
        'true',
        'false',
        '1',
        '9223372036854775807',
        '"reader"',
        'principal',
        'resource.path',
        'context',
        'context.claims',
        'context.claims.level',
        'principal.roles',
        'context.claims.missing',
        'context.client_ip',
        'Role::"reader"',
        'User::"alice"',
      ),
      join(is('('), inner, is(' && '), inner, is(' && '), inner, is(')')),
      join(is('('), inner, is(' || '), inner, is(' || '), inner, is(')')),
      join(is('!('), inner, is(')')),
      join(is('-('), inner, is(')')),
      join(is('(if '), inner, is(' then '), inner, is(' else '), inner, is(')')),
      join(
        is('(('),
        inner,
        fc.constantFrom(') == (', ') != (', ') < (', ') >= (', ') in (', ') + (', ') * ('),
        inner,
        is('))'),
      ),
      join(
        is('('),
        inner,
        fc.constantFrom(' has level', ' has claims.level', ' like "/re*"', ' is User', ' is Role in Role::"x"'),
        is(')'),
      ),
      join(is('('), inner, is(').contains('), inner, is(')')),
      join(is('('), inner, is(').isInRange(ip("10.0.0.0/8"))')),
      join(is('['), inner, is(', '), inner, is(']')),
      join(is('{b: '), inner, is(', a: '), inner, is('}')),
      join(is('('), inner, is(').level')),
    ),
  };
});

const principal = gatewayPrincipal(
  { method: 'jwt', userId: 'alice', claims: { sub: 'alice', roles: ['reader'], level: 3 }, certificate: null },
  { principalClaim: 'sub', rolesClaim: 'roles' },
);
if (!principal.ok) throw new Error(principal.error);
const request: AuthorizationRequest = gatewayRequest(principal.value, {
  method: 'GET',
  uri: '/reports?year=1',
  host: 'a.example',
  clientIp: '10.1.2.3',
  correlationId: 'c',
});

const parsed = (source: string): Expression => {
  const read = parseExpressionText(source, 'extended');
  if (!read.ok) throw new Error(`${source}: ${JSON.stringify(read.error)}`);
  return read.value;
};
const evaluated = (source: string): Outcome => compileExpression(parsed(source), 'extended')(request);

const same = (left: Outcome, right: Outcome): boolean =>
  isError(left) || isError(right)
    ? isError(left) && isError(right) && left.code === right.code && left.message === right.message
    : equalValues(left as Value, right as Value);

const everyFinding = (finding: Finding): Finding[] => [finding, ...finding.because.flatMap(everyFinding)];

describe('the explanation of an expression', () => {
  it("has the evaluator's outcome, and so has each of its parts", () => {
    fc.assert(
      fc.property(text, (source) => {
        const finding = explainExpression(parsed(source), request, 'extended');
        expect(same(finding.outcome, evaluated(source))).toBe(true);
        for (const { span, outcome } of everyFinding(finding)) {
          expect(same(outcome, evaluated(source.slice(span.start, span.end)))).toBe(true);
        }
      }),
      { numRuns: 250 },
    );
  });

  it('names the deciding parts: changing any other part of a chain changes nothing', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('true', 'false', '(1 == 1)', '(1 == 2)'), { minLength: 2, maxLength: 6 }),
        fc.constantFrom(' && ', ' || '),
        (operands, operator) => {
          const finding = explainExpression(parsed(operands.join(operator)), request, 'extended');
          const settling = operator === ' || ';
          const outcomes = finding.because.map(({ outcome }) => outcome);
          if (finding.outcome === settling) expect(outcomes).toEqual([settling]);
          else expect(outcomes).toEqual(operands.map(() => !settling));
        },
      ),
      { numRuns: 100 },
    );
  });

  it('shows values as Cedar text that evaluates to the same value', () => {
    fc.assert(
      fc.property(text, (source) => {
        const value = evaluated(source);
        if (isError(value)) return;
        expect(same(evaluated(formatValue(value)), value)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});

const scopes = fc.constantFrom(
  'principal, action, resource',
  'principal == User::"alice", action, resource',
  'principal == User::"bob", action, resource',
  'principal in Role::"reader", action == Action::"GET", resource',
  'principal in Role::"writer", action in [Action::"GET"], resource is Resource',
  'principal is User in Role::"reader", action in [Action::"PUT", Action::"POST"], resource',
  'principal is Anonymous, action, resource == Resource::"/reports"',
  'principal, action in [], resource in Resource::"/reports"',
  'principal, action, resource == Resource::"/other"',
);

const policyText = fc
  .tuple(
    fc.constantFrom('permit', 'forbid'),
    scopes,
    fc.array(fc.tuple(fc.constantFrom('when', 'unless'), text), { maxLength: 3 }),
  )
  .map(
    ([effect, scope, conditions]) =>
      `${effect}(${scope}) ${conditions.map(([kind, body]) => `${kind} { ${body} }`).join(' ')};`,
  );

describe('the explanation of policies', () => {
  it('agrees with the decision on satisfied and failed policies, and names a part of every other policy', () => {
    fc.assert(
      fc.property(fc.array(policyText, { minLength: 1, maxLength: 6 }), (texts) => {
        const read = parsePolicies(texts.join('\n'), 'extended');
        if (!read.ok) throw new Error(JSON.stringify(read.error));
        const decision = decide(compilePolicies(read.value, 'extended'), request);
        const fates = read.value.map((policy) => explainPolicy(policy, request, 'extended'));

        const satisfied = fates.filter(({ result }) => result.kind === 'satisfied').map(({ policy }) => policy);
        const forbids = satisfied.filter(({ effect }) => effect === 'forbid');
        const deciding = forbids.length > 0 ? forbids : satisfied;
        expect(decision.reasons).toEqual(deciding.map(({ id }) => id));
        expect(decision.decision).toBe(forbids.length === 0 && satisfied.length > 0 ? 'allow' : 'deny');
        expect(decision.errors).toEqual(
          fates.flatMap(({ policy: { id, effect }, result }) =>
            result.kind === 'error' ? [{ policyId: id, effect, error: result.error }] : [],
          ),
        );
        for (const { result } of fates) {
          if (result.kind === 'out-of-scope') expect(result.finding.outcome).toBe(false);
          if (result.kind === 'unfulfilled') {
            expect(result.condition?.finding.outcome).toBe(result.condition?.kind !== 'when');
          }
          if (result.kind === 'error') {
            expect(result.condition).not.toBeNull();
            const outcome = result.condition?.finding.outcome;
            if (typeof outcome === 'object' && isError(outcome)) expect(outcome).toEqual(result.error);
            else expect(typeof outcome).not.toBe('boolean');
          }
        }
      }),
      { numRuns: 250 },
    );
  });
});
