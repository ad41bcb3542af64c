import { describe, expect, it } from 'vitest';
import {
  type EntityDeclaration,
  entityStore,
} from '../../../../../../src/domain/agent/policy/evaluate/entity-store.js';
import { entityKey, entityUid } from '../../../../../../src/domain/agent/policy/values/entity-uid.js';
import { setOf } from '../../../../../../src/domain/agent/policy/values/set-value.js';
import type { Value } from '../../../../../../src/domain/agent/policy/values/value.js';

const uid = (id: string) => entityUid('U', id);

const entity = (id: string, parents: readonly string[] = [], attributes: readonly [string, Value][] = []) =>
  ({
    uid: uid(id),
    attributes: new Map(attributes),
    tags: new Map(),
    parents: parents.map(uid),
  }) satisfies EntityDeclaration;

const ancestors = (declarations: readonly EntityDeclaration[], id: string): readonly string[] => {
  const store = entityStore(declarations);
  if (!store.ok) throw new Error(store.error);
  return [...(store.value.get(uid(id))?.ancestors ?? [])].sort();
};

const refusal = (...declarations: readonly EntityDeclaration[]): string | null => {
  const store = entityStore(declarations);
  return store.ok ? null : store.error;
};

const keys = (...ids: readonly string[]): readonly string[] => ids.map((id) => entityKey(uid(id)));

describe('an entity store', () => {
  it('knows exactly the declared entities', () => {
    const store = entityStore([entity('a', [], [['x', 1]])]);
    expect(store.ok && store.value.get(uid('a'))?.attributes.get('x')).toBe(1);
    expect(store.ok && store.value.get(uid('b'))).toBeUndefined();
    expect(store.ok && store.value.get(entityUid('V', 'a'))).toBeUndefined();
  });

  it('knows transitive parents, for any order of declarations', () => {
    const declared = [entity('a', ['b', 'c']), entity('b', ['d']), entity('c', ['d']), entity('d', ['e'])];
    expect(ancestors(declared, 'a')).toEqual(keys('b', 'c', 'd', 'e'));
    expect(ancestors([...declared].reverse(), 'a')).toEqual(keys('b', 'c', 'd', 'e'));
    expect(ancestors(declared, 'd')).toEqual(keys('e'));
  });

  it('distinguishes entities whose names concatenate to the same text', () => {
    const store = entityStore([{ ...entity('a'), parents: [entityUid('A', 'B\0c')] }]);
    expect(store.ok && store.value.get(uid('a'))?.ancestors.has(entityKey(entityUid('A', 'B')))).toBe(false);
  });

  it.each([
    ['itself', [entity('a', ['a'])]],
    ['its parent', [entity('a', ['b']), entity('b', ['a'])]],
    [
      'an entity that only leads to the cycle',
      [entity('z', ['a']), entity('a', ['b']), entity('b', ['c']), entity('c', ['b'])],
    ],
  ])('refuses a cycle through %s', (_, declared) => {
    expect(refusal(...declared)).toMatch(/^U::"[abc]" is its own ancestor$/);
  });

  it('accepts a diamond', () => {
    expect(refusal(entity('a', ['b', 'c', 'b']), entity('b', ['c', 'd']), entity('c', ['d']), entity('d'))).toBeNull();
  });

  it('accepts a repeated declaration, also in another order', () => {
    expect(refusal(entity('a'), entity('a'))).toBeNull();
    expect(refusal(entity('a', ['b', 'c']), entity('a', ['c', 'b', 'c']))).toBeNull();
    expect(refusal(entity('a', [], [['s', setOf([1, 2])]]), entity('a', [], [['s', setOf([2, 1])]]))).toBeNull();
  });

  it.each([
    ['attributes', entity('a'), entity('a', [], [['x', 1]])],
    ['values', entity('a', [], [['x', 2]]), entity('a', [], [['x', 1]])],
    ['names', entity('a', [], [['x', 1]]), entity('a', [], [['y', 1]])],
    ['parents', entity('a', ['b']), entity('a', ['c'])],
    ['fewer parents', entity('a', ['b', 'c']), entity('a', ['c'])],
    ['tags', entity('a'), { ...entity('a'), tags: new Map([['t', 1]]) }],
  ])('refuses two declarations with different %s', (_, first, second) => {
    expect(refusal(first, second)).toBe('U::"a" is declared twice with different contents');
  });

  it('handles a long chain of entities without deep recursion', () => {
    const line = Array.from({ length: 2000 }, (_, index) => entity(`${index}`, [`${index + 1}`]));
    expect(ancestors(line, '0')).toHaveLength(2000);
  });

  it('refuses too many ancestors', () => {
    const line = Array.from({ length: 3500 }, (_, index) => entity(`${index}`, [`${index + 1}`]));
    expect(refusal(...line)).toMatch(/^the entities have more than 5000000 ancestors in total/);
  });

  it('refuses few ancestors that many paths reach', () => {
    const width = 40;
    const layered = Array.from({ length: width * width }, (_, index) => {
      const above = index - (index % width) - width;
      return entity(`${index}`, above < 0 ? [] : Array.from({ length: width }, (_unused, next) => `${above + next}`));
    });
    expect(refusal(...layered.slice(0, width * 10))).toBeNull();
    expect(refusal(...layered)).toMatch(/ counted once per parent that leads to them$/);
  });

  it('shortens and escapes names in messages', () => {
    const id = `\u202e\u009b${'x'.repeat(5000)}`;
    for (const message of [refusal(entity(id, [id])), refusal(entity(id), entity(id, ['p']))]) {
      expect(message).toContain('\\u{202e}\\u{9b}xxx');
      expect(message?.length).toBeLessThan(400);
    }
  });
});
