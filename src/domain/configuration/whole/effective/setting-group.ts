import type { Key } from '../../schema/schema.js';

/** A block that only groups named ones, such as `routes`: however often it is written, it is one. */
export const isGroup = ({ document, shape }: Key<unknown>): boolean =>
  document.type === 'block, may be repeated' &&
  Object.values(shape ?? {}).some((key) => key.document.type === 'named block, may be repeated');
