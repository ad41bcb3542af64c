import type {
  ActionConstraint,
  Policy,
  PolicyCondition,
  PolicyDialect,
  PolicyEffect,
  ScopeConstraint,
  ScopeEntity,
} from '../syntax-tree.js';
import { entityKey } from '../values/entity-uid.js';
import type { EntityUid } from '../values/value.js';
import type { AuthorizationRequest, Entities } from './authorization-request.js';
import { compileTree } from './compile-expression.js';
import { type Compiled, constant } from './compiled.js';
import { and, not } from './operators/logic.js';

const childOf = <Key, Child>(children: Map<Key, Child>, key: Key, make: () => Child): Child => {
  const known = children.get(key);
  if (known !== undefined) return known;
  const made = make();
  children.set(key, made);
  return made;
};

/** Children for `in` constraints, by the key of the entity on the right of `in`. */
class WithinMap<Child> {
  readonly #children = new Map<string, Child>();
  readonly #types = new Set<string>();

  child(target: EntityUid, make: () => Child): Child {
    this.#types.add(target.type);
    return childOf(this.#children, entityKey(target), make);
  }

  /** Takes time proportional to the smaller of the ancestors and the children. */
  collect(uid: EntityUid, ancestors: ReadonlySet<string> | undefined, into: Child[]): void {
    if (this.#types.has(uid.type)) this.#add(this.#children.get(entityKey(uid)), into);
    if (ancestors === undefined) return;
    if (ancestors.size <= this.#children.size) {
      for (const key of ancestors) this.#add(this.#children.get(key), into);
    } else {
      for (const [key, child] of this.#children) if (ancestors.has(key)) into.push(child);
    }
  }

  #add(child: Child | undefined, into: Child[]): void {
    if (child !== undefined) into.push(child);
  }
}

/**
 * One level of the index: maps a scope constraint on the principal, the action or the resource to a child. There can
 * be as many levels as policies, so each map is created on first use.
 */
class ScopeLevel<Child> {
  readonly #make: () => Child;
  /** At most one element. */
  readonly #any: Child[] = [];
  /** By type, then by id, so that a request needs no `entityKey`. */
  #equals: Map<string, Map<string, Child>> | null = null;
  #is: Map<string, Child> | null = null;
  #isIn: Map<string, WithinMap<Child>> | null = null;
  #within: WithinMap<Child> | null = null;

  constructor(make: () => Child) {
    this.#make = make;
  }

  /** The children of a constraint, created on first use. Empty if no request can match it. */
  childrenFor(constraint: ScopeConstraint | ActionConstraint): readonly Child[] {
    switch (constraint.kind) {
      case 'any':
        if (this.#any.length === 0) this.#any.push(this.#make());
        return this.#any;
      case 'is':
        this.#is ??= new Map();
        return [childOf(this.#is, constraint.entityType, this.#make)];
      case 'equals':
        return this.#childFor(constraint.entity, ({ type, id }) => {
          this.#equals ??= new Map();
          return childOf(
            childOf(this.#equals, type, () => new Map<string, Child>()),
            id,
            this.#make,
          );
        });
      case 'is-in':
        return this.#childFor(constraint.entity, (uid) => {
          this.#isIn ??= new Map();
          return childOf(this.#isIn, constraint.entityType, () => new WithinMap<Child>()).child(uid, this.#make);
        });
      case 'in':
        return 'entities' in constraint
          ? this.#childrenWithin(constraint.entities)
          : this.#childFor(constraint.entity, (uid) => this.#childWithin(uid));
    }
  }

  /** The children of all constraints that the entity satisfies. */
  childrenOf(uid: EntityUid, entities: Entities): readonly Child[] {
    const equal = this.#equals?.get(uid.type)?.get(uid.id);
    const typed = this.#is?.get(uid.type);
    const isIn = this.#isIn?.get(uid.type);
    const within = this.#within;
    if (equal === undefined && typed === undefined && isIn === undefined && within === null) return this.#any;
    const found = [...this.#any];
    if (equal !== undefined) found.push(equal);
    if (typed !== undefined) found.push(typed);
    if (isIn !== undefined || within !== null) {
      const ancestors = entities.get(uid)?.ancestors;
      isIn?.collect(uid, ancestors, found);
      within?.collect(uid, ancestors, found);
    }
    return found;
  }

  /** A slot has no child: a template never applies, only its links do. */
  #childFor(entity: ScopeEntity, child: (uid: EntityUid) => Child): readonly Child[] {
    return entity.kind === 'slot' ? [] : [child(entity)];
  }

  #childWithin(uid: EntityUid): Child {
    this.#within ??= new WithinMap();
    return this.#within.child(uid, this.#make);
  }

  #childrenWithin(entities: readonly EntityUid[]): readonly Child[] {
    const distinct = new Map(entities.map((uid) => [entityKey(uid), uid]));
    return Array.from(distinct.values(), (uid) => this.#childWithin(uid));
  }
}

/**
 * Compiles the conditions of a policy into one expression. Evaluation runs in order and stops at the first condition
 * that does not hold. A single condition may yield a non-boolean, which the caller must treat as an error.
 */
const compileConditions = (conditions: readonly PolicyCondition[], dialect: PolicyDialect): Compiled => {
  const clauses = conditions.map(({ kind, body }) => {
    const compiled = compileTree(body, dialect);
    return kind === 'when' ? compiled : not(compiled, compiled.span);
  });
  const [first, second] = clauses;
  if (first === undefined) return constant(true, { start: 0, end: 0 });
  return second === undefined ? first : and(clauses, first.span);
};

/** A policy without its scope, which the index represents. */
export interface CompiledPolicy {
  readonly id: string;
  readonly effect: PolicyEffect;
  /** Its position in the set. */
  readonly order: number;
  /** Constant true for a policy without conditions. A non-boolean value is a type error. */
  readonly condition: Compiled;
}

type Leaf = CompiledPolicy[];
type ByResource = ScopeLevel<Leaf>;
type ByPrincipal = ScopeLevel<ByResource>;
type ByAction = ScopeLevel<ByPrincipal>;

/** Compiled policies, indexed by their scopes. */
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
   * Exactly the policies whose scopes match the request. Each list is in the order of the set. A policy for several
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

/** Takes time linear in the text of the policies. Skips templates: only their links apply. */
export const compilePolicies = (policies: readonly Policy[], dialect: PolicyDialect): CompiledPolicies =>
  new CompiledPolicies(policies, dialect);
