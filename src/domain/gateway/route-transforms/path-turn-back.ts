import { prefixTakes } from '../../http/path-normalisation.js';
import type { LiteralPrefixes } from './path-replacement.js';

/** Turns paths of an upstream into paths of the client. A path that no client path becomes stays. */
export interface PathTurnBack {
  /** @param clientPath the path of the request that the upstream answers, normalised */
  readonly path: (path: string, clientPath: string) => string;
  /** As `path`, for the Path of a cookie. A path above all of the client's becomes the lowest that covers them. */
  readonly cookiePath: (path: string, clientPath: string) => string;
}

const orRoot = (path: string): string => (path === '' ? '/' : path);

/**
 * Turns back a changed prefix.
 *
 * @param strippedOf the prefix that was removed from a client's path, without a final slash; empty: none
 * @param added without a final slash; empty: none
 */
export const prefixTurnBack = (strippedOf: (clientPath: string) => string, added: string): PathTurnBack => ({
  path: (path, clientPath) => {
    if (added !== '' && !prefixTakes(added, path)) return path;
    return orRoot(strippedOf(clientPath) + path.slice(added.length));
  },
  cookiePath: (path, clientPath) => {
    const stripped = strippedOf(clientPath);
    if (path === '/' || prefixTakes(path, added)) return orRoot(stripped);
    return prefixTakes(added, path) ? orRoot(stripped + path.slice(added.length)) : path;
  },
});

/** The folder of a literal prefix, without its final slash. */
const folderOf = (prefix: string): string => prefix.slice(0, prefix.lastIndexOf('/'));

/** Turns back a regex that only changes a literal beginning. */
export const literalTurnBack = ({ from, to }: LiteralPrefixes): PathTurnBack => ({
  path: (path) => (path.startsWith(to) ? from + path.slice(to.length) : path),
  cookiePath: (path) => {
    if (path.startsWith(to)) return from + path.slice(to.length);
    return path === '/' || prefixTakes(path, folderOf(to)) ? orRoot(folderOf(from)) : path;
  },
});
