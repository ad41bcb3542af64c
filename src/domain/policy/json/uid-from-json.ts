import { err, ok, type Result } from '../../shared/result.js';
import { entityUid } from '../values/entity-uid.js';
import type { EntityUid } from '../values/value.js';
import { isEntityTypeName } from './entity-type-name.js';
import { type ExactJson, type ExactJsonObject, isExactObject, kindOfJson, memberOf } from './exact-json.js';
import { below, formatJsonFailure, type JsonFailure, jsonFailure } from './json-failure.js';

/** Reads `{"type": "User", "id": "alice"}`; other keys are passed over, as Cedar does. */
export const typeAndIdFromJson = (json: ExactJson | undefined): Result<EntityUid, JsonFailure> => {
  if (!isExactObject(json)) return jsonFailure(`an entity is {"type": ..., "id": ...}, not ${kindOfJson(json)}`);
  const type = memberOf(json, 'type');
  const id = memberOf(json, 'id');
  if (typeof type !== 'string') return jsonFailure(`the "type" of an entity is a string, not ${kindOfJson(type)}`);
  if (typeof id !== 'string') return jsonFailure(`the "id" of an entity is a string, not ${kindOfJson(id)}`);
  if (!isEntityTypeName(type)) return jsonFailure(`${JSON.stringify(type)} is not the name of an entity type`);
  return ok(entityUid(type, id));
};

const fromObject = (json: ExactJsonObject): Result<EntityUid, JsonFailure> => {
  const escaped = memberOf(json, '__entity');
  if (escaped === undefined) return typeAndIdFromJson(json);
  const uid = typeAndIdFromJson(escaped);
  return uid.ok ? uid : below('__entity', uid.error);
};

/** As `uidFromJson`, with the place of what is wrong. */
export const locateUid = (json: ExactJson | undefined): Result<EntityUid, JsonFailure> =>
  isExactObject(json) ? fromObject(json) : typeAndIdFromJson(json);

/** Reads the name of an entity: `{"type": "User", "id": "alice"}`, or the same within `__entity`. */
export const uidFromJson = (json: ExactJson | undefined): Result<EntityUid, string> => {
  const uid = locateUid(json);
  return uid.ok ? uid : err(formatJsonFailure(uid.error));
};
