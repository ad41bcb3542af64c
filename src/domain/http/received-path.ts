import { canonicalCharacters } from './path-normalisation.js';

/** A segment and the slashes before it. The last segment may be empty. */
interface SlashedSegment {
  readonly slashes: string;
  readonly name: string;
}

const split = (path: string): SlashedSegment[] =>
  [...path.matchAll(/(\/+)([^/]*)/g)].map(([, slashes = '', name = '']) => ({ slashes, name }));

const longer = (one: string, other: string): string => (one.length > other.length ? one : other);

/** Resolves dot segments as `normalisePath` does, and keeps the slashes between the other segments. */
const resolved = (path: string): string => {
  const kept: SlashedSegment[] = [];
  /** The slashes before removed segments. */
  let carried = '';
  for (const { slashes, name } of split(path)) {
    if (name === '.' || name === '..') {
      const gone = name === '..' ? kept.pop() : undefined;
      carried = longer(carried, gone?.slashes ?? slashes);
      continue;
    }
    if (name !== '') {
      kept.push({ slashes: longer(carried, slashes), name });
      carried = '';
    } else carried = longer(carried, slashes);
  }
  return kept.map(({ slashes, name }) => slashes + name).join('') + carried;
};

/**
 * A path with repeated slashes, `%2f` and `%5c` as they were received, and otherwise normalised. With slashes merged and
 * escapes in upper case it equals `normalisePath(path, 'keep')`.
 *
 * @param path has such a normal form
 */
export const receivedPath = (path: string): string => {
  const text = canonicalCharacters(path, 'keep', true);
  return text.ok ? resolved(text.value) : path;
};

export const withMergedSlashes = (path: string): string => path.replaceAll(/\/{2,}/g, '/');
