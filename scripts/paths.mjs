import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the repository, wherever the script was called from. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** @param {string[]} parts */
export const inRoot = (...parts) => join(root, ...parts);

export const toolPaths = {
  tsc: inRoot('node_modules', 'typescript', 'bin', 'tsc'),
  biome: inRoot('node_modules', '@biomejs', 'biome', 'bin', 'biome'),
  depcruise: inRoot('node_modules', 'dependency-cruiser', 'bin', 'dependency-cruise.mjs'),
  vitest: inRoot('node_modules', 'vitest', 'vitest.mjs'),
};
