import type { SourceSpan } from '../source-lines.js';
import { entityKey, sameEntity } from '../values/entity-uid.js';
import type { EntityUid, Value } from '../values/value.js';
import type { Entities } from './authorization-request.js';
import type { EvaluationError } from './evaluation-error.js';
import { typeError } from './evaluation-failures.js';

/** What an entity may be in: one entity, or any of a set. */
export interface EntityTargets {
  readonly uids: readonly EntityUid[];
  readonly keys: ReadonlySet<string>;
}

/** As many are compared one by one, which is quicker than to make the key of the entity. */
const fewTargets = 8;

export const isEntity = (value: Value): value is EntityUid => typeof value === 'object' && value.kind === 'entity';

/**
 * The entity, or those of the set, that `in` has on its right; an error where it is neither, or has other values in
 * it.
 */
export const entityTargets = (container: Value, span: SourceSpan): EntityTargets | EvaluationError => {
  if (isEntity(container)) return { uids: [container], keys: new Set([entityKey(container)]) };
  if (typeof container !== 'object' || container.kind !== 'set') {
    return typeError('entity or set of entities', container, span);
  }
  const uids: EntityUid[] = [];
  for (const element of container.elements) {
    if (!isEntity(element)) return typeError('entity', element, span);
    uids.push(element);
  }
  return { uids, keys: new Set(uids.map(entityKey)) };
};

const isOneOf = (uid: EntityUid, { uids, keys }: EntityTargets): boolean => {
  if (uids.length > fewTargets) return keys.has(entityKey(uid));
  for (const target of uids) if (sameEntity(target, uid)) return true;
  return false;
};

/** Costs no more than the fewer of the two. */
const haveCommon = (keys: ReadonlySet<string>, ancestors: ReadonlySet<string>): boolean => {
  if (keys.size <= ancestors.size) {
    for (const key of keys) if (ancestors.has(key)) return true;
  } else {
    for (const key of ancestors) if (keys.has(key)) return true;
  }
  return false;
};

/** The entity is one of them, known or not, or below one of them. */
export const isWithin = (uid: EntityUid, targets: EntityTargets, entities: Entities): boolean => {
  if (isOneOf(uid, targets)) return true;
  const ancestors = entities.get(uid)?.ancestors;
  return ancestors !== undefined && haveCommon(targets.keys, ancestors);
};
