import { err, ok, type Result } from '../../../shared/result.js';
import { quoteName } from '../abbreviate-text.js';
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
 * Whether a text is an entity type name in data: `User` or `Photos::Album`, without white space or reserved words.
 */
const isEntityTypeName = (text: string): boolean =>
  namePattern.test(text) && text.split('::').every((part) => !reserved.has(part));

/** The type and id of an entity before the type name is checked. */
export interface TypeAndId {
  readonly type: string;
  readonly id: string;
}

const textsOf = (type: ExactJson | undefined, id: ExactJson | undefined): TypeAndId | null =>
  typeof type === 'string' && typeof id === 'string' ? { type, id } : null;

/** Reads `{"type": "User", "id": "alice"}` and ignores other keys; null for any other shape. */
export const typeAndIdOf = (json: ExactJson | undefined): TypeAndId | null =>
  isExactObject(json) ? textsOf(memberOf(json, 'type'), memberOf(json, 'id')) : null;

/** As `typeAndIdOf`, and also `["User", "alice"]`, which Cedar accepts as an entity name but not as a value. */
const nameOf = (json: ExactJson | undefined): TypeAndId | null =>
  Array.isArray(json) && json.length === 2 ? textsOf(json[0], json[1]) : typeAndIdOf(json);

/** Creates the entity; an error if the type name is invalid. */
export const entityOf = ({ type, id }: TypeAndId): Result<EntityUid, JsonFailure> =>
  isEntityTypeName(type)
    ? ok(entityUid(type, id))
    : jsonFailure(`${quoteName(type)} is not the name of an entity type`);

const misshapen = (json: ExactJson | undefined): Result<EntityUid, JsonFailure> => {
  if (!isExactObject(json)) return jsonFailure(`an entity must be {"type": ..., "id": ...}, not ${kindOfJson(json)}`);
  const type = memberOf(json, 'type');
  if (typeof type !== 'string') return jsonFailure(`the "type" of an entity must be a string, not ${kindOfJson(type)}`);
  return jsonFailure(`the "id" of an entity must be a string, not ${kindOfJson(memberOf(json, 'id'))}`);
};

const withinEscape = (entity: Result<EntityUid, JsonFailure>): Result<EntityUid, JsonFailure> =>
  entity.ok ? entity : below('__entity', entity.error);

const fromObject = (json: ExactJsonObject): Result<EntityUid, JsonFailure> => {
  if (typeof memberOf(json, '__expr') === 'string') return expressionFailure();
  const escaped = memberOf(json, '__entity');
  const inner = nameOf(escaped);
  if (inner !== null) return withinEscape(entityOf(inner));
  const plain = typeAndIdOf(json);
  if (plain !== null) return entityOf(plain);
  return escaped === undefined ? misshapen(json) : withinEscape(misshapen(escaped));
};

/** As `uidFromJson`; the error has a path. */
export const readUid = (json: ExactJson | undefined): Result<EntityUid, JsonFailure> => {
  if (isExactObject(json)) return fromObject(json);
  const name = nameOf(json);
  return name === null ? misshapen(json) : entityOf(name);
};

/**
 * Reads an entity uid: `{"type": "User", "id": "alice"}`, `["User", "alice"]`, or either inside `__entity`. Ignores
 * other keys, as Cedar does.
 */
export const uidFromJson = (json: ExactJson | undefined): Result<EntityUid, string> => {
  const uid = readUid(json);
  return uid.ok ? uid : err(formatJsonFailure(uid.error));
};
