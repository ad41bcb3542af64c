import { err, ok, type Result } from '../../../shared/result.js';
import { abbreviateName } from '../abbreviate-text.js';
import { entityKey, formatEntityUid } from '../values/entity-uid.js';
import type { EntityUid, Value } from '../values/value.js';
import { equalValues } from '../values/value-equality.js';
import type { Entities, Entity } from './authorization-request.js';

interface Descendant {
  readonly uid: EntityUid;
  readonly parents: readonly EntityUid[];
}

/** An entity on the current path, and the index of the parent to visit next. */
interface Step {
  readonly key: string;
  readonly entity: Descendant;
  next: number;
}

/**
 * Maximum number of ancestors of all entities together, counted once per parent that leads to them. This bounds the
 * work, not the size of the result. A chain of entities has quadratically many ancestors, layers have more.
 */
const maximumAncestors = 5_000_000;

const tooMany = `the entities have more than ${maximumAncestors} ancestors in total, counted once per parent that leads to them`;

const noAncestors: ReadonlySet<string> = new Set();

/**
 * The ancestor keys of each entity, by entity key. An error if an entity is its own ancestor, or if there are too many
 * ancestors.
 */
const ancestorsOf = (
  entities: ReadonlyMap<string, Descendant>,
): Result<ReadonlyMap<string, ReadonlySet<string>>, string> => {
  const done = new Map<string, ReadonlySet<string>>();
  let count = 0;
  for (const [key, entity] of entities) {
    if (done.has(key)) continue;
    // An explicit stack, so that long chains cannot overflow the call stack.
    const path: Step[] = [{ key, entity, next: 0 }];
    const onPath = new Set([key]);
    for (let step = path.at(-1); step !== undefined; step = path.at(-1)) {
      const parent = step.entity.parents[step.next];
      step.next += 1;
      if (parent === undefined) {
        const ancestors = new Set<string>();
        for (const uid of step.entity.parents) {
          const parentKey = entityKey(uid);
          const above = done.get(parentKey) ?? noAncestors;
          count += 1 + above.size;
          if (count > maximumAncestors) return err(tooMany);
          ancestors.add(parentKey);
          for (const ancestor of above) ancestors.add(ancestor);
        }
        done.set(step.key, ancestors);
        onPath.delete(step.key);
        path.pop();
        continue;
      }
      const parentKey = entityKey(parent);
      if (onPath.has(parentKey)) return err(`${abbreviateName(formatEntityUid(parent))} is its own ancestor`);
      const declared = entities.get(parentKey);
      if (declared === undefined || done.has(parentKey)) continue;
      onPath.add(parentKey);
      path.push({ key: parentKey, entity: declared, next: 0 });
    }
  }
  return ok(done);
};

/** The data of an entity as given. Its parents need not be declared. */
export interface EntityDeclaration {
  readonly uid: EntityUid;
  readonly attributes: ReadonlyMap<string, Value>;
  readonly tags: ReadonlyMap<string, Value>;
  readonly parents: readonly EntityUid[];
}

/** By type, then by id, so that a lookup needs no `entityKey`. */
class EntityStore implements Entities {
  readonly #byType = new Map<string, Map<string, Entity>>();

  add(entity: Entity): void {
    const { type, id } = entity.uid;
    const byId = this.#byType.get(type);
    if (byId === undefined) this.#byType.set(type, new Map([[id, entity]]));
    else byId.set(id, entity);
  }

  get({ type, id }: EntityUid): Entity | undefined {
    return this.#byType.get(type)?.get(id);
  }
}

const sameValues = (a: EntityDeclaration['attributes'], b: EntityDeclaration['attributes']): boolean => {
  if (a.size !== b.size) return false;
  for (const [name, value] of a) {
    const other = b.get(name);
    if (other === undefined || !equalValues(value, other)) return false;
  }
  return true;
};

const sameDeclaration = (a: EntityDeclaration, b: EntityDeclaration): boolean => {
  const parents = new Set(a.parents.map(entityKey));
  const others = new Set(b.parents.map(entityKey));
  return (
    parents.size === others.size &&
    [...parents].every((key) => others.has(key)) &&
    sameValues(a.attributes, b.attributes) &&
    sameValues(a.tags, b.tags)
  );
};

/**
 * Computes the ancestors of all entities. Repeating an identical declaration is allowed; a different one for the same
 * entity is an error. An entity that is its own ancestor is an error.
 */
export const entityStore = (declarations: readonly EntityDeclaration[]): Result<Entities, string> => {
  const declared = new Map<string, EntityDeclaration>();
  for (const declaration of declarations) {
    const key = entityKey(declaration.uid);
    const before = declared.get(key);
    if (before !== undefined && !sameDeclaration(before, declaration)) {
      return err(`${abbreviateName(formatEntityUid(declaration.uid))} is declared twice with different contents`);
    }
    declared.set(key, declaration);
  }
  const ancestors = ancestorsOf(declared);
  if (!ancestors.ok) return ancestors;
  const store = new EntityStore();
  for (const [key, { uid, attributes, tags }] of declared) {
    store.add({ uid, attributes, tags, ancestors: ancestors.value.get(key) ?? new Set() });
  }
  return ok(store);
};
