import { describe, expect, it } from 'vitest';
import { expectedOf } from '../../../../../../src/domain/agent/policy/schema/expected-value.js';
import { parseSchema } from '../../../../../../src/domain/agent/policy/schema/parse-schema.js';
import type { Schema } from '../../../../../../src/domain/agent/policy/schema/schema.js';
import { entityKey, entityUid } from '../../../../../../src/domain/agent/policy/values/entity-uid.js';

const schemaOf = (text: string): Schema => {
  const schema = parseSchema(text);
  if (!schema.ok) throw new Error(schema.error);
  return schema.value;
};

/** What a schema expects of the attribute of an entity type. */
const expectedAttribute = (schema: Schema, type: string, name: string): unknown => {
  const attributes = schema.entityTypes.get(type)?.attributes ?? null;
  const record = attributes === null ? null : expectedOf(schema, attributes);
  return record?.kind === 'record' ? record.attribute(name) : null;
};

const parentsOf = (schema: Schema, type: string, id: string): readonly string[] =>
  schema.actions.get(entityKey(entityUid(type, id)))?.parents.map((parent) => `${parent.type} ${parent.id}`) ?? [];

describe('parseSchema', () => {
  it('reads every form of a declaration', () => {
    const schema = schemaOf(`
      // a comment
      @doc("a text") @plain
      entity User, Guest in [Group, Other::Team] = { "first name"?: String, @note age: Long, } tags Set<String>;
      entity Group;
      entity Colour enum ["red", "green",];
      entity Old { x: Bool };
      type Address = { city: String };
      action view, "list all" in [look, "see", N::Action::"watch"] appliesTo {
        principal: [User, Guest], resource: User, context: { at: datetime, },
      } attributes {};
      action look; action "see";
      namespace N::M { entity In in Top; action go in [Action::"look"]; }
    `);
    expect([...schema.entityTypes.keys()]).toEqual(['User', 'Guest', 'Group', 'Colour', 'Old', 'N::M::In']);
    expect([...schema.commonTypes.keys()]).toEqual(['Address']);
    expect(parentsOf(schema, 'Action', 'list all')).toEqual(['Action look', 'Action see', 'N::Action watch']);
    expect(parentsOf(schema, 'N::M::Action', 'go')).toEqual(['Action look']);
    expect(schema.entityTypes.get('Guest')?.tags).toMatchObject({ kind: 'set' });
  });

  it('accepts its keywords as names', () => {
    const schema = schemaOf(
      'entity entity, type, action, tags = { in2: Long, "in": entity } tags tags; action action;',
    );
    expect([...schema.entityTypes.keys()]).toEqual(['entity', 'type', 'action', 'tags']);
    expect(expectedAttribute(schema, 'tags', 'in')).toEqual({ kind: 'entity' });
  });

  it('resolves names in their namespace first, common types before entities, built-ins last', () => {
    const schema = schemaOf(`
      entity User; type Money = decimal;
      namespace N {
        entity User; entity decimal; type Price = Money; type ip = ipaddr;
        entity Thing = { a: User, b: Price, c: decimal, d: __cedar::decimal, e: ip, f: Nothing, g: Long, h: duration };
      }
    `);
    const kinds = Object.fromEntries(
      [...'abcdefgh'].map((name) => [name, expectedAttribute(schema, 'N::Thing', name)]),
    );
    expect(kinds).toEqual({
      a: { kind: 'entity' },
      b: { kind: 'extension', function: 'decimal' },
      c: { kind: 'entity' },
      d: { kind: 'extension', function: 'decimal' },
      e: { kind: 'extension', function: 'ip' },
      f: null,
      g: null,
      h: { kind: 'extension', function: 'duration' },
    });
  });

  it('finds an action of the same namespace before an outer one of the same name', () => {
    const schema = schemaOf('action look; action see; namespace N { action look; action view in [look, see]; }');
    expect(parentsOf(schema, 'N::Action', 'view')).toEqual(['N::Action look', 'Action see']);
  });

  it('terminates for cyclic type aliases', () => {
    const schema = schemaOf('type A = B; type B = A; entity E = { a: A };');
    expect(expectedAttribute(schema, 'E', 'a')).toBeNull();
  });

  it.each([
    ['entity', 'line 1, column 7: expected a name'],
    ['entity A', 'line 1, column 9: expected ";"'],
    ['entity A = {\n x Long };', 'line 2, column 4: expected ":"'],
    ['entity if;', 'line 1, column 8: expected a name'],
    ['entity A = Long;', 'line 1, column 12: expected "{"'],
    ['permit(principal, action, resource);', 'line 1, column 1: expected a declaration'],
    ['{"": {}}', 'line 1, column 1: expected a declaration'],
    ['action a appliesTo { who: User };', 'line 1, column 22: expected principal, resource or context'],
    ['action a in N::b;', 'line 1, column 17: expected "::" and the name of an action as a string'],
    ['action "\\q";', 'line 1, column 8: expected a string with valid escapes'],
    ['namespace N { namespace M {} }', 'line 1, column 15: expected a declaration'],
    ['namespace N {', 'line 1, column 14: expected "}"'],
    ['entity A # no', 'line 1, column 10: expected a schema token'],
  ])('gives the position of the error in %j', (text, error) => {
    expect(parseSchema(text)).toEqual({ ok: false, error });
  });

  it('refuses nesting that could overflow the stack', () => {
    expect(parseSchema(`type A = ${'Set<'.repeat(100_000)}`).ok).toBe(false);
    expect(parseSchema(`type A = ${'{a:'.repeat(100_000)}`).ok).toBe(false);
    expect(parseSchema(`type A = ${'Set<'.repeat(60)}Long${'>'.repeat(60)};`).ok).toBe(true);
  });
});
