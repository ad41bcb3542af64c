import { describe, expect, it } from 'vitest';
import { ResponseHeadCache } from '../../../../../../src/adapters/outbound/upstream-clients/core/response-head-cache.js';
import { come, noteAt, numbered } from '../../../../../support/gateway/coming-heads.js';
import { octetsUsed } from '../../../../../support/gateway/octets-used.js';

const octetsOf = (text: string): Buffer => Buffer.from(text, 'latin1');

describe('what is kept of a head', () => {
  it.each([
    ['that may take its place', 2],
    ['that is known', 3],
  ])('is little more than itself, however much has come with it: of one %s', (_, count) => {
    const all: ResponseHeadCache[] = [];
    const keep = (some: number): void => {
      for (let index = 0; index < some; index += 1) {
        const repeated = new ResponseHeadCache();
        for (let time = 0; time < count; time += 1) {
          noteAt(repeated, octetsOf(numbered(index) + 'a'.repeat(100_000)), 0, numbered(index));
        }
        expect(come(repeated, numbered(index)) !== null).toBe(count === 3);
        all.push(repeated);
      }
    };
    keep(10);
    const before = octetsUsed();
    keep(100);
    expect(octetsUsed() - before).toBeLessThan(100 * 20_000);
    expect(all).toHaveLength(110);
  });
});
