import { copyFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { inRoot } from './paths.mjs';

const compiled = inRoot('dist');
const types = inRoot('dist', 'types');

/**
 * The declaration files that a declaration file imports, itself included.
 * @param {string} file
 * @param {Set<string>} found
 */
const withImports = (file, found = new Set()) => {
  if (found.has(file)) return found;
  found.add(file);
  const text = readFileSync(file, 'utf8');
  for (const [, specifier = ''] of text.matchAll(/(?:\bfrom\s+|\bimport\(\s*|\bimport\s+)['"]([^'"]+)['"]/g)) {
    if (specifier.startsWith('.')) withImports(resolve(dirname(file), specifier.replace(/\.js$/, '.d.ts')), found);
  }
  return found;
};

/** Copies the types of the agent kit to dist/types: the package ships them, and none of tsc's other output. */
export const copyAgentTypes = () => {
  rmSync(types, { recursive: true, force: true });
  for (const file of withImports(join(compiled, 'bootstrap', 'agent', 'agent.d.ts'))) {
    const target = join(types, relative(compiled, file));
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(file, target);
  }
};
