import { existsSync } from 'node:fs';

/** The folder of the package, as a URL: the nearest folder above this file that holds a package.json. */
export const packageRoot = ((): URL => {
  let folder = new URL('./', import.meta.url);
  while (!existsSync(new URL('package.json', folder)) && folder.pathname !== '/') folder = new URL('../', folder);
  return folder;
})();
