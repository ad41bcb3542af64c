import { err, ok, type Result } from '../../../shared/result.js';
import { shownName } from '../shortened-text.js';
import { entityKey, formatEntityUid } from '../values/entity-uid.js';
import type { EntityUid, Value } from '../values/value.js';
import { equalValues } from '../values/value-equality.js';
import type { Entities, Entity } from './authorization-request.js';

interface Descendant {
  readonly uid: EntityUid;
  readonly parents: readonly EntityUid[];
}

/** An entity on the way up, and which of its parents comes next. */
interface Step {
  readonly key: string;
  readonly entity: Descendant;
  next: number;
}

/**
 * Ancestors of all entities together, each counted once for every parent that it is reached by: what is done, not
 * what comes of it. A long line of entities has quadratically many, layers of them more.
 */
const maximumAncestors = 5_000_000;

const tooMany = `the entities have more than ${maximumAncestors} ancestors together, counted by the parents that lead to them`;

const nothingKnown: ReadonlySet<string> = new Set();

/**
 * The keys of all ancestors of each entity, by its key. An error: an entity is its own ancestor, or there are too
 * many.
 */
const ancestorsOf = (
  entities: ReadonlyMap<string, Descendant>,
): Result<ReadonlyMap<string, ReadonlySet<string>>, string> => {
  const done = new Map<string, ReadonlySet<string>>();
  let count = 0;
  for (const [key, entity] of entities) {
    if (done.has(key)) continue;
    // A stack of its own, so that no line of entities is too long.
    const path: Step[] = [{ key, entity, next: 0 }];
    const onPath = new Set([key]);
    for (let step = path.at(-1); step !== undefined; step = path.at(-1)) {
      const parent = step.entity.parents[step.next];
      step.next += 1;
      if (parent === undefined) {
        const ancestors = new Set<string>();
        for (const uid of step.entity.parents) {
          const parentKey = entityKey(uid);
          const above = done.get(parentKey) ?? nothingKnown;
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
      if (onPath.has(parentKey)) return err(`${shownName(formatEntityUid(parent))} is its own ancestor`);
      const declared = entities.get(parentKey);
      if (declared === undefined || done.has(parentKey)) continue;
      onPath.add(parentKey);
      path.push({ key: parentKey, entity: declared, next: 0 });
    }
  }
  return ok(done);
};

/** What is said of an entity. A parent need not be declared. */
export interface EntityDeclaration {
  readonly uid: EntityUid;
  readonly attributes: ReadonlyMap<string, Value>;
  readonly tags: ReadonlyMap<string, Value>;
  readonly parents: readonly EntityUid[];
}

/** By type and then by id, so that no key has to be made for a look-up. */
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
 * Entities with all their ancestors. An entity may be declared again in the same words; another declaration of it is an
 * error, and so is an entity that is its own ancestor.
 */
export const entityStore = (declarations: readonly EntityDeclaration[]): Result<Entities, string> => {
  const declared = new Map<string, EntityDeclaration>();
  for (const declaration of declarations) {
    const key = entityKey(declaration.uid);
    const before = declared.get(key);
    if (before !== undefined && !sameDeclaration(before, declaration)) {
      return err(`${shownName(formatEntityUid(declaration.uid))} is declared twice, and differently`);
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
