import { type Expression, operandsOf, type Policy, type ScopeConstraint } from '../syntax-tree.js';
import type { ModelFinding } from './model-finding.js';

/** The role facts known from the configuration. */
export interface RoleRules {
  /** Whether any principal can have a role. */
  readonly rolesPossible: boolean;
}

const roleType = 'Role';

const scopeUsesRoles = (constraint: ScopeConstraint): boolean =>
  'entity' in constraint && constraint.entity.kind === 'entity' && constraint.entity.type === roleType;

/** `principal.roles` or `context.roles`, but not a claim named `roles`. */
const readsRoles = (expression: Expression): boolean =>
  expression.kind === 'attribute' &&
  expression.name === 'roles' &&
  expression.object.kind === 'variable' &&
  (expression.object.name === 'principal' || expression.object.name === 'context');

/** INVARIANT: the parser bounds the depth. */
const usesRoles = (expression: Expression): boolean =>
  (expression.kind === 'entity' && expression.uid.type === roleType) ||
  readsRoles(expression) ||
  operandsOf(expression).some(usesRoles);

/**
 * Finds the policies that use roles although no principal can have one: such a test is always false, so a ban by role
 * has no effect. Gives one finding per policy, for the whole policy.
 */
export const findUnusableRoles = (
  policies: readonly Policy[],
  { rolesPossible }: RoleRules,
): readonly ModelFinding[] => {
  if (rolesPossible) return [];
  return policies
    .filter(
      ({ principal, resource, conditions }) =>
        scopeUsesRoles(principal) || scopeUsesRoles(resource) || conditions.some(({ body }) => usesRoles(body)),
    )
    .map(({ id, span }) => ({
      policyId: id,
      span,
      message: 'the policy uses roles, but no principal can have one',
      suggestion:
        'set roles-claim, and accept tokens or let users sign on: roles come from a claim of a token or an attribute of SAML',
    }));
};
