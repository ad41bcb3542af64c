import { describe, expect, it } from 'vitest';
import type { AuthorizationRequest } from '../../../../../../src/domain/agent/policy/evaluate/authorization-request.js';
import { isError } from '../../../../../../src/domain/agent/policy/evaluate/evaluation-error.js';
import { explainExpression } from '../../../../../../src/domain/agent/policy/explain/explain-expression.js';
import type { Finding } from '../../../../../../src/domain/agent/policy/explain/finding.js';
import { formatValue } from '../../../../../../src/domain/agent/policy/explain/format-value.js';
import { gatewayPrincipal } from '../../../../../../src/domain/agent/policy/gateway-model/gateway-principal.js';
import { gatewayRequest } from '../../../../../../src/domain/agent/policy/gateway-model/gateway-request.js';
import { parseExpressionText } from '../../../../../../src/domain/agent/policy/parse/parse-entity-uid.js';

const principal = gatewayPrincipal(
  { method: 'jwt', userId: 'alice', claims: { sub: 'alice', roles: ['reader'], level: 3 }, certificate: null },
  { principalClaim: 'sub', rolesClaim: 'roles' },
);
if (!principal.ok) throw new Error(principal.error);
const request: AuthorizationRequest = gatewayRequest(principal.value, {
  method: 'GET',
  uri: '/reports',
  host: null,
  clientIp: '10.1.2.3',
  correlationId: 'c',
});

/** One line for each finding: its text, what it came to, and the values. */
const told = (text: string): readonly string[] => {
  const parsed = parseExpressionText(text, 'extended');
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
  const lines = ({ span, outcome, shown, because }: Finding, indent: string): string[] => [
    `${indent}${text.slice(span.start, span.end)} -> ${isError(outcome) ? outcome.code : formatValue(outcome)}${
      shown === null ? '' : ` | ${shown}`
    }`,
    ...because.flatMap((part) => lines(part, `${indent}  `)),
  ];
  return lines(explainExpression(parsed.value, request, 'extended'), '');
};

describe('the explanation of an expression', () => {
  it('shows the first false operand of a false &&, at any depth', () => {
    expect(told('true && (context.claims.level == 3 && context.claims.level > 5) && context.nope')).toEqual([
      'true && (context.claims.level == 3 && context.claims.level > 5) && context.nope -> false',
      expect.stringMatching(/^ {2}\(?context\.claims\.level == 3 && context\.claims\.level > 5\)? -> false$/),
      '    context.claims.level > 5 -> false | 3 > 5',
    ]);
  });

  it('shows all operands of a false ||, and the first true one of a true ||', () => {
    expect(told('principal.roles.contains("admin") || resource.path like "/a*"')).toEqual([
      'principal.roles.contains("admin") || resource.path like "/a*" -> false',
      '  principal.roles.contains("admin") -> false | ["reader"].contains("admin")',
      '  resource.path like "/a*" -> false | "/reports" like "/a*"',
    ]);
    expect(told('1 == 2 || principal in Role::"reader" || context.nope')).toEqual([
      '1 == 2 || principal in Role::"reader" || context.nope -> true',
      '  principal in Role::"reader" -> true | User::"alice" in Role::"reader"',
    ]);
  });

  it('follows ! and the chosen branch of an if', () => {
    expect(told('!(if context has claims.level then principal is Anonymous else context.nope)')).toEqual([
      '!(if context has claims.level then principal is Anonymous else context.nope) -> true',
      expect.stringContaining('if context has claims.level then principal is Anonymous else context.nope'),
      expect.stringMatching(/^ {4}context has claims\.level -> true \| \{roles: .*\} has claims\.level$/),
      '    principal is Anonymous -> false | User::"alice" is Anonymous',
    ]);
  });

  it('shows the part that failed, and no part that was not evaluated', () => {
    expect(told('true && context.claims.dept == context.nope')).toEqual([
      'context.claims.dept -> attribute_missing | {sub: "alice", roles: ["reader"], level: 3}.dept',
    ]);
    expect(told('[context.claims.level + 9223372036854775807 - 1, 1].contains(2)')).toEqual([
      'context.claims.level + 9223372036854775807 - 1 -> overflow | 3 + 9223372036854775807 - 1',
    ]);
    expect(told('context.claims.level && true')).toEqual([
      'context.claims.level && true -> type_error',
      expect.stringMatching(/^ {2}context\.claims\.level -> 3/),
    ]);
    expect(told('ip(resource.path).isIpv4()')).toEqual(['ip(resource.path) -> extension_error | ip("/reports")']);
  });
});
