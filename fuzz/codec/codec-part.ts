import type { Finding } from '../findings.js';
import { type FuzzPart, Tally } from '../fuzz-part.js';
import { heapSize } from '../heap-size.js';
import { checkCodec } from './check-codec.js';
import { builtCodec } from './codec.js';

/** Cases until everything that is remembered once, and compiled code, is there. */
const warmUp = 20_000;
/** What a heap may be larger at the end: tables with a bound fill up. */
const tolerableGrowth = 6 * 1_048_576;

/** The codec by itself: no throw, no growth; any split reads the same; what is written is what was read. */
export const codecPart: FuzzPart = {
  name: 'codec',
  missing: null,
  start: async () => {
    const codec = await builtCodec();
    const counts = new Tally();
    const heard = (kind: string): void => counts.count(kind);
    let tried = 0;
    let before = 0;
    return {
      width: 1,
      counts,
      tryCase: (seed, index) => {
        if (tried === warmUp) before = heapSize();
        tried += 1;
        return checkCodec(codec, seed, index, heard);
      },
      conclude: (): Finding | null => {
        if (tried <= warmUp) return null;
        const growth = heapSize() - before;
        counts.set('octets of heap more at the end', growth);
        if (growth <= tolerableGrowth) return null;
        return { what: 'the heap grows', input: '', ours: `${growth} octets in ${tried} cases`, theirs: '' };
      },
      stop: async () => undefined,
    };
  },
};
