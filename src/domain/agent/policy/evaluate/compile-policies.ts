import type { Policy, PolicyDialect, PolicyEffect } from '../syntax-tree.js';
import type { AuthorizationRequest } from './authorization-request.js';
import { compileConditions } from './compile-conditions.js';
import type { Compiled } from './compiled.js';
import { ScopeLevel } from './scope-level.js';

/** A policy whose scope the index has taken over. */
export interface CompiledPolicy {
  readonly id: string;
  readonly effect: PolicyEffect;
  /** Its place in the set. */
  readonly order: number;
  /** Of no condition: true. A value that is no boolean is a type error. */
  readonly condition: Compiled;
}

type Leaf = CompiledPolicy[];
type ByResource = ScopeLevel<Leaf>;
type ByPrincipal = ScopeLevel<ByResource>;
type ByAction = ScopeLevel<ByPrincipal>;

/** Policies made ready to decide requests, indexed by what their scopes say. */
export class CompiledPolicies {
  readonly #index: ByAction = new ScopeLevel(() => new ScopeLevel(() => new ScopeLevel((): Leaf => [])));

  constructor(policies: readonly Policy[], dialect: PolicyDialect) {
    for (const [order, policy] of policies.entries()) {
      if (policy.slots.length > 0) continue;
      const { id, effect, conditions } = policy;
      this.#add(policy, { id, effect, order, condition: compileConditions(conditions, dialect) });
    }
  }

  /**
   * All policies whose scopes the request fits, and no others. In the order of the set within each list; a policy for several
   * actions can be in more than one list.
   */
  candidates({ principal, action, resource, entities }: AuthorizationRequest): readonly (readonly CompiledPolicy[])[] {
    const lists: Leaf[] = [];
    for (const byPrincipal of this.#index.childrenOf(action, entities)) {
      for (const byResource of byPrincipal.childrenOf(principal, entities)) {
        for (const leaf of byResource.childrenOf(resource, entities)) lists.push(leaf);
      }
    }
    return lists;
  }

  #add({ principal, action, resource }: Policy, compiled: CompiledPolicy): void {
    for (const byPrincipal of this.#index.childrenFor(action)) {
      for (const byResource of byPrincipal.childrenFor(principal)) {
        for (const leaf of byResource.childrenFor(resource)) leaf.push(compiled);
      }
    }
  }
}

/** Linear in the text of the policies. Templates are left out: only their links apply. */
export const compilePolicies = (policies: readonly Policy[], dialect: PolicyDialect): CompiledPolicies =>
  new CompiledPolicies(policies, dialect);
