import fc from 'fast-check';
import { expect, it } from 'vitest';
import { TransientMap } from '../../../../src/domain/shared/transient-map.js';
import { expectModelAgreement } from '../../../support/shared/model-run.js';

/** The state of a built-in Map after the same operations. */
type Model = Map<string, number>;
type Real = TransientMap<number>;

const same = (model: Model, real: Real): void => {
  const [first] = model.keys();
  const expected = JSON.stringify([model.size, first ?? null, [...model.keys()], [...model.values()]]);
  const found = JSON.stringify([real.size, real.firstKey, real.keys(), real.values()]);
  if (found !== expected) throw new Error(`${found}, not ${expected}`);
};

/** Compares the result of an operation, then the whole content. */
class Act implements fc.Command<Model, Real> {
  constructor(
    readonly name: string,
    readonly ofModel: (model: Model) => unknown,
    readonly ofReal: (real: Real) => unknown,
  ) {}

  check(): boolean {
    return true;
  }

  run(model: Model, real: Real): void {
    const [expected, found] = [this.ofModel(model), this.ofReal(real)];
    expect(found, `what ${this.name} gives`).toBe(expected);
    same(model, real);
  }

  toString(): string {
    return this.name;
  }
}

const setAll = (map: Pick<Model | Real, 'set'>, keys: readonly string[], value: number): void => {
  for (const key of keys) map.set(key, value);
};

const deleteAll = (map: Pick<Model | Real, 'delete'>, keys: readonly string[]): number =>
  keys.filter((key) => map.delete(key)).length;

/** Few enough to repeat; some have equal 32-bit FNV-1a hashes. */
const key = fc.oneof(
  fc.nat({ max: 30 }).map((id) => `id-${id}`),
  fc.constantFrom('costarring', 'liquid', 'declinate', 'macallums', 'altarage', 'zinke', '', '__proto__'),
);
/** Many at once, so that slots collide and the table grows. */
const run = fc
  .record({ from: fc.nat({ max: 300 }), count: fc.nat({ max: 300 }) })
  .map(({ from, count }) => Array.from({ length: count }, (_, index) => `id-${from + index}`));

const acts = [
  fc.tuple(key, fc.nat()).map(
    ([id, value]) =>
      new Act(
        `set(${id}, ${value})`,
        (map) => void map.set(id, value),
        (map) => map.set(id, value),
      ),
  ),
  key.map(
    (id) =>
      new Act(
        `delete(${id})`,
        (map) => map.delete(id),
        (map) => map.delete(id),
      ),
  ),
  key.map(
    (id) =>
      new Act(
        `get(${id})`,
        (map) => map.get(id),
        (map) => map.get(id),
      ),
  ),
  key.map(
    (id) =>
      new Act(
        `has(${id})`,
        (map) => map.has(id),
        (map) => map.has(id),
      ),
  ),
  fc.tuple(run, fc.nat()).map(
    ([ids, value]) =>
      new Act(
        `set(${ids[0]} and ${ids.length - 1} more)`,
        (map) => setAll(map, ids, value),
        (map) => setAll(map, ids, value),
      ),
  ),
  run.map(
    (ids) =>
      new Act(
        `delete(${ids[0]} and ${ids.length - 1} more)`,
        (map) => deleteAll(map, ids),
        (map) => deleteAll(map, ids),
      ),
  ),
  fc.constant(
    new Act(
      'clear',
      (map) => map.clear(),
      (map) => map.clear(),
    ),
  ),
];

it('a transient map behaves like a Map', () => {
  fc.assert(
    fc.property(fc.commands(acts, { maxCommands: 60 }), (commands) => {
      expectModelAgreement(() => ({ model: new Map<string, number>(), real: new TransientMap<number>() }), commands);
    }),
    { numRuns: 200 },
  );
});
