import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Octets that are in use behind a collection. Long texts of octets lie outside the heap, and are among them. */
export const octetsUsed = (): number => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  // What lies outside is given back behind a collection.
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};
