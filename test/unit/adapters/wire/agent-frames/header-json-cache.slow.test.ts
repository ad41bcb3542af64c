import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { HeaderJsonCache } from '../../../../../src/adapters/wire/agent-frames/header-json-cache.js';
import { JsonOctets } from '../../../../../src/adapters/wire/agent-frames/json-octets.js';

const written = (known: HeaderJsonCache, headers: readonly string[]): unknown => {
  const into = new JsonOctets();
  known.add(into, headers);
  return JSON.parse(Buffer.from(into.view()).toString());
};

const size = 4_000_000;

const heapUsed = (): number => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  return process.memoryUsage().heapUsed;
};

/** A text that is a part of a large one, as the fields of a head are. */
const partOf = (text: string): string => JSON.parse(JSON.stringify(text.padEnd(size))).slice(0, text.length);

describe('KnownFields', () => {
  it.each<[string, (index: number) => readonly string[]]>([
    ['values', (index) => ['a', partOf(`a value of some length, ${index}`)]],
    ['names', (index) => [partOf(`a-long-name-${index}`.padEnd(80, '-')), 'a'.repeat(index)]],
  ])('does not hold on to the heads that %s came in', (_, headersOf) => {
    const known = new HeaderJsonCache();
    const before = heapUsed();
    for (let index = 0; index < 10; index += 1) {
      for (let time = 0; time < 3; time += 1) written(known, headersOf(index));
    }
    expect(heapUsed() - before).toBeLessThan(3 * size);
    const last = headersOf(9);
    expect(written(known, last)).toEqual({ [last[0] as string]: [last[1]] });
  });
});
