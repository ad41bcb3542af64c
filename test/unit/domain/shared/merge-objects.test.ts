import { setFlagsFromString } from 'node:v8';
import { runInThisContext } from 'node:vm';
import { expect, it } from 'vitest';
import { mergeObjects } from '../../../../src/domain/shared/merge-objects.js';

/** Whether both objects have one hidden class in V8. */
const haveSameShape = (one: object, other: object): boolean => {
  setFlagsFromString('--allow-natives-syntax');
  try {
    const compare: unknown = runInThisContext('(one, other) => %HaveSameMap(one, other)');
    return typeof compare === 'function' && compare(one, other) === true;
  } finally {
    setFlagsFromString('--no-allow-natives-syntax');
  }
};

it('has the fields of both and changes neither', () => {
  const first = { a: 1, b: 2 };
  const second = { b: 3, c: 4 };
  expect(Object.entries(mergeObjects(first, second))).toEqual([
    ['a', 1],
    ['b', 3],
    ['c', 4],
  ]);
  expect([first, second]).toEqual([
    { a: 1, b: 2 },
    { b: 3, c: 4 },
  ]);
  expect(mergeObjects(first, {})).not.toBe(first);
});

it('makes objects with one hidden class', () => {
  const own = { agent: 'auth' };
  const fieldsOf = (id: number) => ({ id: `request-${id}`, method: 'none', reason: 'unknown', route: 'everything' });
  // V8 optimises only after some repetitions.
  for (let id = 0; id < 1_000; id += 1) mergeObjects(fieldsOf(id), own);
  const [one, other] = [mergeObjects(fieldsOf(1), own), mergeObjects(fieldsOf(2), own)];
  expect(haveSameShape(one, other)).toBe(true);
  expect(haveSameShape(one, own)).toBe(false);
});
