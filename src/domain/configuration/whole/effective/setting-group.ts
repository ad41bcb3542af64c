import type { Key } from '../../schema/schema.js';

/** A block that only groups named blocks, such as `routes`. Repetitions count as one block. */
export const isGroup = ({ document, shape }: Key<unknown>): boolean =>
  document.type === 'block, may be repeated' &&
  Object.values(shape ?? {}).some((key) => key.document.type === 'named block, may be repeated');
