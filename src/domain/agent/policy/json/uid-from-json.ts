import { err, ok, type Result } from '../../../shared/result.js';
import { quotedName } from '../shortened-text.js';
import { entityUid } from '../values/entity-uid.js';
import type { EntityUid } from '../values/value.js';
import { type ExactJson, type ExactJsonObject, isExactObject, kindOfJson, memberOf } from './exact-json.js';
import { below, expressionFailure, formatJsonFailure, type JsonFailure, jsonFailure } from './json-failure.js';

const namePattern = /^[A-Za-z_][A-Za-z0-9_]*(?:::[A-Za-z_][A-Za-z0-9_]*)*$/;
const reserved: ReadonlySet<string> = new Set([
  'true',
  'false',
  'if',
  'then',
  'else',
  'in',
  'is',
  'like',
  'has',
  '__cedar',
]);

/**
 * Whether a text names an entity type as data has to write it: `User` or `Photos::Album`, no white space, no reserved
 * word.
 */
const isEntityTypeName = (text: string): boolean =>
  namePattern.test(text) && text.split('::').every((part) => !reserved.has(part));

/** The texts that name an entity; nothing is known of the type yet. */
export interface TypeAndId {
  readonly type: string;
  readonly id: string;
}

const textsOf = (type: ExactJson | undefined, id: ExactJson | undefined): TypeAndId | null =>
  typeof type === 'string' && typeof id === 'string' ? { type, id } : null;

/** Of `{"type": "User", "id": "alice"}`, whatever other keys it has; null: it has not the shape. */
export const typeAndIdOf = (json: ExactJson | undefined): TypeAndId | null =>
  isExactObject(json) ? textsOf(memberOf(json, 'type'), memberOf(json, 'id')) : null;

/** The same, or `["User", "alice"]`, which Cedar takes for the name of an entity, but not for a value. */
const namingOf = (json: ExactJson | undefined): TypeAndId | null =>
  Array.isArray(json) && json.length === 2 ? textsOf(json[0], json[1]) : typeAndIdOf(json);

/** The entity; an error: no type has such a name. */
export const entityOf = ({ type, id }: TypeAndId): Result<EntityUid, JsonFailure> =>
  isEntityTypeName(type)
    ? ok(entityUid(type, id))
    : jsonFailure(`${quotedName(type)} is not the name of an entity type`);

const misshapen = (json: ExactJson | undefined): Result<EntityUid, JsonFailure> => {
  if (!isExactObject(json)) return jsonFailure(`an entity is {"type": ..., "id": ...}, not ${kindOfJson(json)}`);
  const type = memberOf(json, 'type');
  if (typeof type !== 'string') return jsonFailure(`the "type" of an entity is a string, not ${kindOfJson(type)}`);
  return jsonFailure(`the "id" of an entity is a string, not ${kindOfJson(memberOf(json, 'id'))}`);
};

const withinEscape = (entity: Result<EntityUid, JsonFailure>): Result<EntityUid, JsonFailure> =>
  entity.ok ? entity : below('__entity', entity.error);

const fromObject = (json: ExactJsonObject): Result<EntityUid, JsonFailure> => {
  if (typeof memberOf(json, '__expr') === 'string') return expressionFailure();
  const escaped = memberOf(json, '__entity');
  const inner = namingOf(escaped);
  if (inner !== null) return withinEscape(entityOf(inner));
  const plain = typeAndIdOf(json);
  if (plain !== null) return entityOf(plain);
  return escaped === undefined ? misshapen(json) : withinEscape(misshapen(escaped));
};

/** As `uidFromJson`, with the place of what is wrong. */
export const locateUid = (json: ExactJson | undefined): Result<EntityUid, JsonFailure> => {
  if (isExactObject(json)) return fromObject(json);
  const naming = namingOf(json);
  return naming === null ? misshapen(json) : entityOf(naming);
};

/**
 * Reads the name of an entity: `{"type": "User", "id": "alice"}`, `["User", "alice"]`, or either within `__entity`.
 * Other keys are passed over, as Cedar does.
 */
export const uidFromJson = (json: ExactJson | undefined): Result<EntityUid, string> => {
  const uid = locateUid(json);
  return uid.ok ? uid : err(formatJsonFailure(uid.error));
};
