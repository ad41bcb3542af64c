import * as cedar from '@cedar-policy/cedar-wasm/nodejs';

export type ConditionOutcome = 'true' | 'false' | 'error';

/** A text as a literal of Cedar; it has no half surrogate pairs. */
export const cedarString = (text: string): string => {
  const escaped = Array.from(text, (character) =>
    /^[ !#-[\]-~]$/.test(character) ? character : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
  return `"${escaped.join('')}"`;
};

/** What the official implementation makes of each condition, all asked at once. */
export const cedarConditions = (conditions: readonly string[]): readonly ConditionOutcome[] => {
  const answer = cedar.isAuthorized({
    principal: { type: 'User', id: 'alice' },
    action: { type: 'Action', id: 'view' },
    resource: { type: 'File', id: 'plan' },
    context: {},
    policies: {
      staticPolicies: conditions
        .map((condition) => `permit (principal, action, resource) when { ${condition} };`)
        .join('\n'),
    },
    entities: [],
  });
  if (answer.type === 'failure') throw new Error(answer.errors.map((error) => error.message).join('; '));
  const { reason, errors } = answer.response.diagnostics;
  const satisfied = new Set(reason);
  const failed = new Set(errors.map((error) => error.policyId));
  return conditions.map((_, index) => {
    if (failed.has(`policy${index}`)) return 'error';
    return satisfied.has(`policy${index}`) ? 'true' : 'false';
  });
};
