import type { EntityUid, RecordValue, Value } from '../values/value.js';

/** The data of an entity. */
export interface Entity {
  readonly uid: EntityUid;
  readonly attributes: ReadonlyMap<string, Value>;
  readonly tags: ReadonlyMap<string, Value>;
  /** The `entityKey` of every transitive ancestor, not of the direct parents alone. */
  readonly ancestors: ReadonlySet<string>;
}

/** The entities that policies can read. */
export interface Entities {
  /** Undefined if the entity is unknown. */
  get(uid: EntityUid): Entity | undefined;
}

/** Asks whether this principal may perform this action on this resource. */
export interface AuthorizationRequest {
  readonly principal: EntityUid;
  readonly action: EntityUid;
  readonly resource: EntityUid;
  readonly context: RecordValue;
  readonly entities: Entities;
}
