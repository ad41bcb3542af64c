import { existsSync, readFileSync } from 'node:fs';

/** URL of the package folder: the nearest ancestor with a package.json. */
export const packageRoot = ((): URL => {
  let folder = new URL('./', import.meta.url);
  while (!existsSync(new URL('package.json', folder)) && folder.pathname !== '/') folder = new URL('../', folder);
  return folder;
})();

interface PackageFile {
  readonly version: string;
}

/** The version of both programs, from package.json. */
export const programVersion = (JSON.parse(readFileSync(new URL('package.json', packageRoot), 'utf8')) as PackageFile)
  .version;

/** The commit of the build, from dist/build-commit; null if the file is missing. */
export const programBuildCommit = ((): string | null => {
  try {
    return readFileSync(new URL('dist/build-commit', packageRoot), 'utf8').trim() || null;
  } catch {
    return null;
  }
})();
