import { type FuzzPart, Tally } from '../fuzz-part.js';
import { checkCodec } from './check-codec.js';
import { builtCodec } from './codec.js';

/** The codec by itself: no throw; any split reads the same; what is written is what was read. */
export const codecPart: FuzzPart = {
  name: 'codec',
  missing: null,
  settledCases: 20_000,
  start: async () => {
    const codec = await builtCodec();
    const counts = new Tally();
    const heard = (kind: string): void => counts.count(kind);
    return {
      width: 1,
      counts,
      tryCase: (seed, index) => checkCodec(codec, seed, index, heard),
      stop: async () => undefined,
    };
  },
};
