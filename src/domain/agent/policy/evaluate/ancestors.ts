import { err, ok, type Result } from '../../../shared/result.js';
import { shownName } from '../shortened-text.js';
import { entityKey, formatEntityUid } from '../values/entity-uid.js';
import type { EntityUid } from '../values/value.js';

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
 * Ancestors of all entities together, each counted once for every parent that it is reached by: what is done, not what comes
 * of it. A long line of entities has quadratically many, layers of them more.
 */
const maximumAncestors = 5_000_000;

const tooMany = `the entities have more than ${maximumAncestors} ancestors together, counted by the parents that lead to them`;

const nothingKnown: ReadonlySet<string> = new Set();

/** The keys of all ancestors of each entity, by its key. An error: an entity is its own ancestor, or there are too many. */
export const ancestorsOf = (
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
