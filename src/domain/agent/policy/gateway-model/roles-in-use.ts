import { type Expression, operandsOf, type Policy, type ScopeConstraint } from '../syntax-tree.js';
import type { ModelFinding } from './model-finding.js';

/** What is known of those who ask, before anybody has. */
export interface RoleRules {
  /** Whether there can be anybody with a role. */
  readonly rolesPossible: boolean;
}

const roleType = 'Role';

const scopeSpeaks = (constraint: ScopeConstraint): boolean =>
  'entity' in constraint && constraint.entity.kind === 'entity' && constraint.entity.type === roleType;

/** `principal.roles` or `context.roles`: what a claim of that name holds is no role. */
const namesRoles = (expression: Expression): boolean =>
  expression.kind === 'attribute' &&
  expression.name === 'roles' &&
  expression.object.kind === 'variable' &&
  (expression.object.name === 'principal' || expression.object.name === 'context');

/** INVARIANT: the parser bounds the depth. */
const speaks = (expression: Expression): boolean =>
  (expression.kind === 'entity' && expression.uid.type === roleType) ||
  namesRoles(expression) ||
  operandsOf(expression).some(speaks);

/**
 * Finds the policies that ask for roles while nobody can have any: what they ask is false for
 * everybody, so that a ban holds nobody back. One finding for each, of the policy as a whole.
 */
export const rolesInUse = (policies: readonly Policy[], { rolesPossible }: RoleRules): readonly ModelFinding[] => {
  if (rolesPossible) return [];
  return policies
    .filter(
      ({ principal, resource, conditions }) =>
        scopeSpeaks(principal) || scopeSpeaks(resource) || conditions.some(({ body }) => speaks(body)),
    )
    .map(({ id, span }) => ({
      policyId: id,
      span,
      message: 'it speaks of roles, and nobody has any',
      suggestion:
        'set roles-claim, and accept tokens or enable saml: roles come from a claim of a token or an attribute of SAML',
    }));
};
