import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addCounts, type CountedFamily } from '../../../../../src/domain/gateway/status/counted-family.js';

const names = fc.constantFrom('requests_total', 'duration_seconds', '__proto__');
const labels = fc.dictionary(fc.constantFrom('route', 'status', '__proto__'), fc.constantFrom('a', 'b', 'constructor'));
const series = fc.record({
  labels,
  value: fc.nat(1_000_000),
  counts: fc.array(fc.nat(1_000), { minLength: 0, maxLength: 4 }),
});
const family: fc.Arbitrary<CountedFamily> = fc.record({ name: names, series: fc.array(series, { maxLength: 4 }) });
const process = fc.array(family, { maxLength: 3 });
const processes = fc.array(process, { maxLength: 5 });

/** Removes series without values, whose labels may appear first otherwise. */
const figures = (families: readonly CountedFamily[]) =>
  families.map(({ name, series: all }) => [
    name,
    all.map(({ labels: own, value, counts }) => [Object.entries(own).sort(), value, counts]),
  ]);

describe('the counts of several processes', () => {
  it('are independent of order', () => {
    fc.assert(
      fc.property(processes, fc.nat(), (all, seed) => {
        const turned = [...all.slice(seed % (all.length + 1)), ...all.slice(0, seed % (all.length + 1))].reverse();
        expect(figures(addCounts(turned))).toEqual(figures(addCounts(all)));
      }),
    );
  });

  it('are associative', () => {
    fc.assert(
      fc.property(processes, fc.nat(5), (all, at) => {
        const departed = addCounts(all.slice(0, at));
        expect(figures(addCounts([departed, ...all.slice(at)]))).toEqual(figures(addCounts(all)));
      }),
    );
  });

  it('preserve the total', () => {
    const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
    const totals = (families: readonly CountedFamily[]) => {
      const all = families.flatMap((one) => one.series);
      return [sum(all.map(({ value }) => value)), sum(all.flatMap(({ counts }) => counts))];
    };
    fc.assert(
      fc.property(processes, (all) => {
        expect(totals(addCounts(all))).toEqual(totals(all.flat()));
      }),
    );
  });

  it('have each name and each set of labels once', () => {
    fc.assert(
      fc.property(processes, (all) => {
        const added = addCounts(all);
        expect(new Set(added.map(({ name }) => name)).size).toBe(added.length);
        for (const { series: own } of added) {
          expect(new Set(own.map((one) => JSON.stringify(Object.entries(one.labels).sort()))).size).toBe(own.length);
        }
      }),
    );
  });
});
