import { describe, expect, it } from 'vitest';
import {
  maxFolderCharacters,
  maxFolderFiles,
  maxPolicyFileOctets,
} from '../../../src/adapters/outbound/node-text-files/node-policy-files.js';
import { compileExpression } from '../../../src/domain/agent/policy/evaluate/compile-expression.js';
import { isError } from '../../../src/domain/agent/policy/evaluate/evaluation-error.js';
import { formatValue } from '../../../src/domain/agent/policy/explain/format-value.js';
import { extensionSignatures } from '../../../src/domain/agent/policy/extensions/extension-signatures.js';
import { claimsRecord, gatewayPrincipal } from '../../../src/domain/agent/policy/gateway-model/gateway-principal.js';
import { gatewayRequest } from '../../../src/domain/agent/policy/gateway-model/gateway-request.js';
import { parseExpressionText } from '../../../src/domain/agent/policy/parse/parse-entity-uid.js';
import { policyLimits } from '../../../src/domain/agent/policy/policy-limits.js';
import type { Value } from '../../../src/domain/agent/policy/values/value.js';
import { documentedFacts, documentedIdentity, plain, rowsWith } from '../../support/agent/documented-policies.js';
import { whenFindings } from '../../support/agent/model-findings.js';
import { documentationPage } from '../../support/shared/documentation-examples.js';

const page = documentationPage('docs/reference/policy-language.md');
const expressions = rowsWith(page, ['Expression', 'Value']);
const corrections = rowsWith(page, ['Found', 'Write']);
const numberHead = 'Number in the token';
const numbers = rowsWith(page, [numberHead, 'In a policy']);

/** What an expression comes to in the request that the page speaks of, in the words of its tables. */
const outcomeOf = (text: string): string => {
  const expression = parseExpressionText(text, 'extended');
  if (!expression.ok) return 'refused';
  const identity = documentedIdentity('ann (reader, editor)', '');
  const principal = gatewayPrincipal(identity, { principalClaim: 'sub', rolesClaim: 'roles' });
  if (!principal.ok) throw new Error(principal.error);
  const request = gatewayRequest(principal.value, documentedFacts('GET /reports/7', ''));
  const outcome = compileExpression(expression.value, 'extended')(request);
  return isError(outcome) ? `error \`${outcome.code}\`` : `\`${String(outcome)}\``;
};

/** The number in the last column of a row of the limits. */
const limit = (name: string): number => {
  const row = rowsWith(page, ['Limit', 'Maximum']).find(({ cells }) => cells.get('Limit') === name);
  return Number(row?.cells.get('Maximum')?.replaceAll(' ', ''));
};

describe('the page of the policy language', () => {
  it('has expressions', () => {
    expect(expressions.length).toBeGreaterThan(50);
  });

  it.each(
    expressions.map(({ line, cells }) => [line, plain(cells.get('Expression') ?? ''), cells.get('Value')] as const),
  )('line %i: %s', (_line, expression, value) => {
    expect(outcomeOf(expression)).toBe(value);
  });

  it('has what the check at load finds', () => {
    expect(corrections.length).toBeGreaterThan(15);
  });

  it.each(
    corrections.map(
      ({ line, cells }) => [line, plain(cells.get('Found') ?? ''), plain(cells.get('Write') ?? '')] as const,
    ),
  )('line %i: the check finds %s, and nothing in %s', (_line, wrong, right) => {
    expect(whenFindings(wrong)).toHaveLength(1);
    expect(whenFindings(right)).toEqual([]);
  });

  it.each(numbers.map(({ line, cells }) => [line, plain(cells.get(numberHead) ?? ''), cells] as const))(
    'line %i: a claim of %s',
    (_line, number, cells) => {
      const claims = claimsRecord(documentedIdentity('ann', `{"it":${number}}`)?.claims ?? null);
      expect(formatValue(claims.attributes.get('it') as Value)).toBe(plain(cells.get('In a policy') ?? ''));
    },
  );

  it('has numbers of claims', () => {
    expect(numbers.length).toBeGreaterThan(3);
  });

  it('names every function', () => {
    for (const [name] of extensionSignatures) expect(page.text).toContain(name);
  });

  it('has the limits as they are', () => {
    expect(limit('policies, templates and links of a configuration')).toBe(policyLimits.policies);
    expect(limit('characters of a text')).toBe(policyLimits.textLength);
    expect(limit('bytes of a file')).toBe(maxPolicyFileOctets);
    expect(limit('files of a folder')).toBe(maxFolderFiles);
    expect(limit('characters of a folder')).toBe(maxFolderCharacters);
    expect(limit('nesting depth of expressions')).toBe(policyLimits.depth);
    expect(limit('reported problems of a text')).toBe(policyLimits.problems);
  });
});
