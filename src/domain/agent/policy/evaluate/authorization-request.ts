import type { EntityUid, RecordValue, Value } from '../values/value.js';

/** What is known of an entity. */
export interface Entity {
  readonly uid: EntityUid;
  readonly attributes: ReadonlyMap<string, Value>;
  readonly tags: ReadonlyMap<string, Value>;
  /** All entities above it, not its parents alone: keys as `entityKey` makes them. */
  readonly ancestors: ReadonlySet<string>;
}

/** The entities that policies can look at. */
export interface Entities {
  /** Undefined: nothing is known of it. */
  get(uid: EntityUid): Entity | undefined;
}

/** May this principal do this action to this resource? */
export interface AuthorizationRequest {
  readonly principal: EntityUid;
  readonly action: EntityUid;
  readonly resource: EntityUid;
  readonly context: RecordValue;
  readonly entities: Entities;
}
