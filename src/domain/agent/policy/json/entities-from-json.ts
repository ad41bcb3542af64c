import { err, ok, type Result } from '../../../shared/result.js';
import { abbreviateName, quoteName } from '../abbreviate-text.js';
import type { Entities } from '../evaluate/authorization-request.js';
import { type EntityDeclaration, entityStore } from '../evaluate/entity-store.js';
import { type ExpectedValue, expectedOf } from '../schema/expected-value.js';
import type { Schema, SchemaType } from '../schema/schema.js';
import { entityKey, formatEntityUid } from '../values/entity-uid.js';
import type { EntityUid, Value } from '../values/value.js';
import { type ExactJson, type ExactJsonObject, isExactObject, kindOfJson, memberOf } from './exact-json.js';
import { formatJsonFailure } from './json-failure.js';
import { uidFromJson } from './uid-from-json.js';
import { readRecordMembers } from './value-from-json.js';

type ValueMap = ReadonlyMap<string, Value>;

const isAction = ({ type }: EntityUid): boolean => type === 'Action' || type.endsWith('::Action');

type ExpectedOfMember = (name: string) => ExpectedValue | null;

/** The types that a schema declares for the attributes and tags of an entity. */
const expectedOfMembers = (
  { type }: EntityUid,
  schema: Schema | null,
): { readonly attribute: ExpectedOfMember; readonly tag: ExpectedOfMember } => {
  const declared = schema?.entityTypes.get(type);
  const expected = (kind: SchemaType | null | undefined): ExpectedValue | null =>
    schema === null || kind === null || kind === undefined ? null : expectedOf(schema, kind);
  const attributes = expected(declared?.attributes);
  const tag = expected(declared?.tags);
  return { attribute: (name) => (attributes?.kind === 'record' ? attributes.attribute(name) : null), tag: () => tag };
};

/** `noun` names the members in messages. */
const membersOf = (
  json: ExactJson | undefined,
  noun: 'attribute' | 'tag',
  expected: ExpectedOfMember,
): Result<ValueMap, string> => {
  if (!isExactObject(json)) return err(`its ${noun}s must be a JSON object, not ${kindOfJson(json)}`);
  const members = readRecordMembers(json, expected);
  if (members.ok) return members;
  const [name, ...steps] = members.error.steps;
  return err(`${noun} ${quoteName(String(name))}: ${formatJsonFailure({ steps, message: members.error.message })}`);
};

const parentsOf = (uid: EntityUid, json: ExactJson | undefined): Result<readonly EntityUid[], string> => {
  if (!Array.isArray(json)) return err(`its parents must be an array, not ${kindOfJson(json)}`);
  const parents: EntityUid[] = [];
  for (const [index, item] of json.entries()) {
    const parent = uidFromJson(item);
    if (!parent.ok) return err(`parent ${index + 1}: ${parent.error}`);
    if (isAction(uid) && !isAction(parent.value)) {
      return err(
        `${abbreviateName(formatEntityUid(parent.value))} cannot be the parent of an action: only actions can`,
      );
    }
    parents.push(parent.value);
  }
  return ok(parents);
};

const declarationOf = (
  uid: EntityUid,
  json: ExactJsonObject,
  schema: Schema | null,
): Result<EntityDeclaration, string> => {
  const expected = expectedOfMembers(uid, schema);
  const attributes = membersOf(memberOf(json, 'attrs'), 'attribute', expected.attribute);
  if (!attributes.ok) return attributes;
  const tags = Object.hasOwn(json, 'tags') ? membersOf(memberOf(json, 'tags'), 'tag', expected.tag) : ok(new Map());
  if (!tags.ok) return tags;
  const parents = parentsOf(uid, memberOf(json, 'parents'));
  if (!parents.ok) return parents;
  return ok({ uid, attributes: attributes.value, tags: tags.value, parents: parents.value });
};

/** Cedar also accepts `[uid, attrs, parents]` and `[uid, attrs, parents, tags]` as an entity. */
const entityObjectOf = (json: ExactJson): ExactJson => {
  if (!Array.isArray(json)) return json;
  const [uid, attrs, parents, tags, ...others]: readonly ExactJson[] = json;
  if (uid === undefined || attrs === undefined || parents === undefined || others.length > 0) return json;
  return tags === undefined ? { uid, attrs, parents } : { uid, attrs, parents, tags };
};

/** The schema's actions that the entities do not declare. */
const actionsOf = (schema: Schema, declared: readonly EntityDeclaration[]): readonly EntityDeclaration[] => {
  const known = new Set(declared.map(({ uid }) => entityKey(uid)));
  return [...schema.actions]
    .filter(([key]) => !known.has(key))
    .map(([, { uid, parents }]) => ({ uid, attributes: new Map(), tags: new Map(), parents }));
};

/**
 * Reads entities in Cedar's JSON format: an array of `{"uid", "attrs", "parents"}` with optional `"tags"`. Ignores
 * other keys, as Cedar does. The error names the entity and the attribute.
 * @param schema allows values to omit `__entity` and `__extn` where it declares their types; adds its actions
 */
export const entitiesFromJson = (
  json: ExactJson | undefined,
  schema: Schema | null = null,
): Result<Entities, string> => {
  if (!Array.isArray(json)) return err(`the entities must be a JSON array, not ${kindOfJson(json)}`);
  const declarations: EntityDeclaration[] = [];
  for (const [index, given] of json.entries()) {
    const item = entityObjectOf(given);
    if (!isExactObject(item)) return err(`entity ${index + 1}: must be an object, not ${kindOfJson(item)}`);
    const uid = uidFromJson(memberOf(item, 'uid'));
    if (!uid.ok) return err(`uid of entity ${index + 1}: ${uid.error}`);
    const declaration = declarationOf(uid.value, item, schema);
    if (!declaration.ok) return err(`${abbreviateName(formatEntityUid(uid.value))}: ${declaration.error}`);
    declarations.push(declaration.value);
  }
  return entityStore(schema === null ? declarations : [...declarations, ...actionsOf(schema, declarations)]);
};
