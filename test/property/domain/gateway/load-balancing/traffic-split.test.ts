import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  randomSide,
  type SplitSide,
  sideOfKey,
  weightedSides,
} from '../../../../../src/domain/gateway/load-balancing/traffic-split.js';

const names = ['blue', 'green', 'api-v1', 'api-v2', 'canary'];

const sides = fc
  .array(fc.integer({ min: 0, max: 100 }), { minLength: 2, maxLength: names.length })
  .filter((weights) => weights.some((weight) => weight > 0))
  .map((weights) => weights.map((weight, index): SplitSide => ({ upstream: names[index] as string, weight })));
const keys = fc.array(fc.oneof(fc.string(), fc.ipV4(), fc.uuid()), { minLength: 1, maxLength: 60 });

const sideOf = (each: readonly SplitSide[], key: string): string =>
  sideOfKey(weightedSides({ key: null, sides: each }), key).upstream;

const weightOf = (each: readonly SplitSide[], upstream: string): number =>
  each.find((side) => side.upstream === upstream)?.weight ?? 0;

it('keeps every key of a side whose weight alone rises', () => {
  fc.assert(
    fc.property(sides, fc.nat(), fc.integer({ min: 1, max: 1000 }), keys, (before, which, more, texts) => {
      const raised = before[which % before.length] as SplitSide;
      const after = before.map((side) => (side === raised ? { ...side, weight: side.weight + more } : side));
      for (const text of texts) {
        const [old, now] = [sideOf(before, text), sideOf(after, text)];
        expect(now === old || now === raised.upstream).toBe(true);
      }
    }),
    { numRuns: 500 },
  );
});

it('moves a key only to a side whose weight has grown in relation to that of its own', () => {
  fc.assert(
    fc.property(sides, sides, keys, (before, after, texts) => {
      for (const text of texts) {
        const [old, now] = [sideOf(before, text), sideOf(after, text)];
        if (old === now) continue;
        const grown = weightOf(after, now) * weightOf(before, old);
        expect(grown).toBeGreaterThan(weightOf(before, now) * weightOf(after, old));
      }
    }),
    { numRuns: 500 },
  );
});

it('brings every key back when the weights go back', () => {
  fc.assert(
    fc.property(sides, keys, (each, texts) => {
      const before = texts.map((text) => sideOf(each, text));
      expect(texts.map((text) => sideOf([...each].reverse(), text))).toEqual(before);
      expect(texts.map((text) => sideOf(each, text))).toEqual(before);
    }),
  );
});

it('gives a side without weight no key and no random request', () => {
  fc.assert(
    fc.property(sides, keys, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (each, texts, fraction) => {
      const idle = each.filter(({ weight }) => weight === 0).map(({ upstream }) => upstream);
      for (const text of texts) expect(idle).not.toContain(sideOf(each, text));
      expect(idle).not.toContain(randomSide(weightedSides({ key: null, sides: each }), fraction).upstream);
    }),
  );
});

it('divides random requests exactly by weight', () => {
  fc.assert(
    fc.property(sides, (each) => {
      const total = each.reduce((sum, { weight }) => sum + weight, 0);
      const weighted = weightedSides({ key: null, sides: each });
      const counts = new Map<string, number>();
      for (let point = 0; point < total; point += 1) {
        const { upstream } = randomSide(weighted, (point + 0.5) / total);
        counts.set(upstream, (counts.get(upstream) ?? 0) + 1);
      }
      for (const { upstream, weight } of each) expect(counts.get(upstream) ?? 0).toBe(weight);
    }),
  );
});

it.each([
  ['addresses in sequence', (index: number) => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`],
  ['numbers', (index: number) => String(index)],
  ['session ids', (index: number) => `session-${(index * 2_654_435_761) % 4_294_967_296}-x`],
])('divides %s by weight', (_, keyOf) => {
  const count = 20_000;
  for (const share of [0.05, 0.25, 0.5]) {
    const each = [
      { upstream: 'stable', weight: 100 - share * 100 },
      { upstream: 'canary', weight: share * 100 },
    ];
    let canaries = 0;
    for (let index = 0; index < count; index += 1) if (sideOf(each, keyOf(index)) === 'canary') canaries += 1;
    // Five standard deviations of the binomial distribution.
    expect(Math.abs(canaries / count - share)).toBeLessThan(5 * Math.sqrt((share * (1 - share)) / count));
  }
});
