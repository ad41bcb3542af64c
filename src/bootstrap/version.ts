import { readFileSync } from 'node:fs';

interface PackageFile {
  readonly version: string;
}

/** The version of both programs, from the package itself; the file lies two folders up, from the sources and from dist. */
export const programVersion = (
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as PackageFile
).version;

/** The commit that the programs were built from, as the build wrote it down; null where it did not know. */
export const programBuildCommit = ((): string | null => {
  try {
    return readFileSync(new URL('../build-commit', import.meta.url), 'utf8').trim() || null;
  } catch {
    return null;
  }
})();
