import { describe, expect, it } from 'vitest';
import { entitiesFromJson } from '../../../../../../src/domain/agent/policy/json/entities-from-json.js';
import type { ExactJson } from '../../../../../../src/domain/agent/policy/json/exact-json.js';
import { entityKey, entityUid } from '../../../../../../src/domain/agent/policy/values/entity-uid.js';

const alice = { type: 'User', id: 'alice' };
const entity = (more: Record<string, ExactJson>): ExactJson => [{ uid: alice, attrs: {}, parents: [], ...more }];

describe('entitiesFromJson', () => {
  it('reads attributes, tags and parents, and computes ancestors', () => {
    const entities = entitiesFromJson([
      {
        uid: alice,
        attrs: { age: 30, manager: { __entity: { type: 'User', id: 'bob' } } },
        parents: [{ type: 'Group', id: 'staff' }, { __entity: { type: 'Group', id: 'readers' } }],
        tags: { team: 'red' },
      },
      { uid: { __entity: { type: 'Group', id: 'staff' } }, attrs: {}, parents: [{ type: 'Group', id: 'all' }] },
    ]);
    if (!entities.ok) throw new Error(entities.error);
    const known = entities.value.get(entityUid('User', 'alice'));
    expect(known?.attributes.get('age')).toBe(30);
    expect(known?.attributes.get('manager')).toEqual(entityUid('User', 'bob'));
    expect([...(known?.tags ?? [])]).toEqual([['team', 'red']]);
    expect([...(known?.ancestors ?? [])].sort()).toEqual(
      ['all', 'readers', 'staff'].map((id) => entityKey(entityUid('Group', id))),
    );
    expect(entities.value.get(entityUid('User', 'nobody'))).toBeUndefined();
  });

  it('accepts any name of attributes and tags, including reserved ones', () => {
    const entities = entitiesFromJson(entity({ attrs: { __entity: 1, '': 2, constructor: 3 }, tags: { __extn: 4 } }));
    if (!entities.ok) throw new Error(entities.error);
    const known = entities.value.get(entityUid('User', 'alice'));
    expect([...(known?.attributes ?? [])]).toEqual([
      ['__entity', 1],
      ['', 2],
      ['constructor', 3],
    ]);
    expect([...(known?.tags ?? [])]).toEqual([['__extn', 4]]);
  });

  it.each<[string, ExactJson, string]>([
    ['no array', {}, 'the entities must be a JSON array, not an object'],
    ['no object', [1], 'entity 1: must be an object, not a number'],
    [
      'no uid',
      [{ attrs: {}, parents: [] }],
      'uid of entity 1: an entity must be {"type": ..., "id": ...}, not nothing',
    ],
    [
      'a uid as text',
      entity({ uid: 'User::"a"' }),
      'uid of entity 1: an entity must be {"type": ..., "id": ...}, not a string',
    ],
    ['no attrs', [{ uid: alice, parents: [] }], 'User::"alice": its attributes must be a JSON object, not nothing'],
    ['no parents', [{ uid: alice, attrs: {} }], 'User::"alice": its parents must be an array, not nothing'],
    ['tags that are null', entity({ tags: null }), 'User::"alice": its tags must be a JSON object, not null'],
    ['null', entity({ attrs: { age: null } }), 'User::"alice": attribute "age": null is not a value of Cedar'],
    [
      'null within',
      entity({ attrs: { address: { city: [null] } } }),
      'User::"alice": attribute "address": at .city[0]: null is not a value of Cedar',
    ],
    ['a float', entity({ tags: { ratio: 0.5 } }), 'User::"alice": tag "ratio": 0.5 is not a 64-bit integer'],
    [
      'a bad parent',
      entity({ parents: [{ type: '', id: 'a' }] }),
      'User::"alice": parent 1: "" is not the name of an entity type',
    ],
    [
      'an action with another parent',
      [{ uid: { type: 'Action', id: 'read' }, attrs: {}, parents: [alice] }],
      'Action::"read": User::"alice" cannot be the parent of an action: only actions can',
    ],
  ])('refuses %s', (_, json, error) => {
    expect(entitiesFromJson(json)).toEqual({ ok: false, error });
  });

  it('refuses a cycle, and an entity declared twice with different contents', () => {
    expect(entitiesFromJson(entity({ parents: [alice] })).ok).toBe(false);
    const twice = (age: number): ExactJson => ({ uid: alice, attrs: { age }, parents: [] });
    expect(entitiesFromJson([twice(1), twice(2)]).ok).toBe(false);
    expect(entitiesFromJson([twice(1), twice(1)]).ok).toBe(true);
  });
});
