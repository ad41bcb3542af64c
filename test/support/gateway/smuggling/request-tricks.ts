import { chunkTricks } from './chunk-tricks.js';
import { framingTricks } from './framing-tricks.js';
import { lineTricks } from './line-tricks.js';
import { targetTricks } from './target-tricks.js';
import type { Trick } from './trick.js';

export const requestTricks: readonly (readonly [string, readonly Trick[]])[] = [
  ['framing', framingTricks],
  ['chunks', chunkTricks],
  ['lines', lineTricks],
  ['targets and connections', targetTricks],
];
