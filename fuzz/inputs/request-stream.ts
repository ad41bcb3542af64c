import { madeRequest } from './made-request.js';
import { mutated } from './mutated.js';
import { repeatedRequests } from './repeated-requests.js';
import type { SeededRandom } from './seeded-random.js';

const shareOfRepeated = 0.2;

/**
 * What a client may send on one connection: one to four requests, some of them valid, most nearly so. One octet for
 * each character.
 */
export const requestStream = (random: SeededRandom): string => {
  if (random.chance(shareOfRepeated)) return repeatedRequests(random);
  const oddity = random.pick([0, 0.03, 0.08, 0.2]);
  let text = '';
  for (let count = 1 + random.below(4); count > 0; count -= 1) text += madeRequest(random, oddity);
  const changes = oddity === 0 || random.chance(0.4) ? random.below(4) : 0;
  return mutated(random, text, changes, () => madeRequest(random, 0.1));
};
