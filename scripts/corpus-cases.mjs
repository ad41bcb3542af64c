import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const keys = ['policies', 'entities', 'requests'];

/** Of a link, whether it leads to one. @param {string} path */
const isFile = (path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true;

/** @param {string} text */
const isCase = (text) => !text.trimStart().startsWith('[') && keys.every((key) => text.includes(`"${key}"`));

/**
 * The names of all cases of a folder, found apart from the command. As there, no link to a folder is followed.
 * @param {string} folder
 * @param {string} [below] where in the folder, with `/` at its end
 * @returns {string[]}
 */
export const namesOfCases = (folder, below = '') =>
  readdirSync(join(folder, below), { withFileTypes: true }).flatMap((entry) => {
    const path = `${below}${entry.name}`;
    if (entry.isDirectory()) return namesOfCases(folder, `${path}/`);
    if (!path.endsWith('.json') || !isFile(join(folder, path)) || !isCase(readFileSync(join(folder, path), 'utf8')))
      return [];
    return [path.slice(0, -'.json'.length)];
  });
