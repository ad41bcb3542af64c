import type { SourceSpan } from '../source-lines.js';
import { entityKey, sameEntity } from '../values/entity-uid.js';
import type { EntityUid, Value } from '../values/value.js';
import type { Entities } from './authorization-request.js';
import type { EvaluationError } from './evaluation-error.js';
import { typeError } from './evaluation-failures.js';

/** The right side of `in`: one entity, or a set of entities. */
export interface EntityTargets {
  readonly uids: readonly EntityUid[];
  readonly keys: ReadonlySet<string>;
}

/** Up to this many targets, comparing one by one is faster than building an `entityKey`. */
const fewTargets = 8;

export const isEntity = (value: Value): value is EntityUid => typeof value === 'object' && value.kind === 'entity';

/**
 * Reads the right side of `in`: an entity or a set of entities. Anything else is an error, also inside the set.
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

/** Takes time proportional to the smaller set. */
const haveCommon = (keys: ReadonlySet<string>, ancestors: ReadonlySet<string>): boolean => {
  if (keys.size <= ancestors.size) {
    for (const key of keys) if (ancestors.has(key)) return true;
  } else {
    for (const key of ancestors) if (keys.has(key)) return true;
  }
  return false;
};

/** Whether the entity, known or not, is a target or a descendant of one. */
export const isWithin = (uid: EntityUid, targets: EntityTargets, entities: Entities): boolean => {
  if (isOneOf(uid, targets)) return true;
  const ancestors = entities.get(uid)?.ancestors;
  return ancestors !== undefined && haveCommon(targets.keys, ancestors);
};
