import { type ExactJson, kindOfJson } from '../../../domain/agent/policy/json/exact-json.js';
import { shownName } from '../../../domain/agent/policy/shortened-text.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { CorpusFiles } from '../../ports/agent/corpus-files.js';
import { insidePaths, partsOfReference, pathFrom, shortenedPaths, shownRoots } from './candidate-paths.js';

export interface ReferredFile {
  /** Where it was found. */
  readonly path: string;
  readonly text: string;
  /** What has to be said of the place; null: nothing. */
  readonly remark: string | null;
}

/** The keys of a case that name files. */
export type ReferringKey = 'policies' | 'entities' | 'schema';

/** What a file is looked for with. */
export interface ReferringCase {
  /** Relative to the folder of the corpus. */
  readonly path: string;
  readonly references: Readonly<Record<ReferringKey, ExactJson | undefined>>;
}

/** Nothing else is opened: what is wrong with a file is told with pieces of its text. */
const endings: Readonly<Record<ReferringKey, readonly string[]>> = {
  policies: ['.cedar'],
  entities: ['.json'],
  schema: ['.cedarschema', '.json'],
};

/** Whether a file of that name may be opened for the key. */
export const isNameFor = (key: ReferringKey, reference: string): boolean =>
  endings[key].some((ending) => reference.endsWith(ending));

/** Characters of a reference; no file system takes longer ones. */
const longestReference = 4096;
/** The last resort, nearest first. */
const foldersOutside = ['..', '../..'];

const readFirst = async (
  paths: readonly string[],
  files: CorpusFiles,
): Promise<Result<Omit<ReferredFile, 'remark'> | null, string>> => {
  for (const path of paths) {
    const text = await files.read(path);
    if (!text.ok) return err(`${path} ${text.error}`);
    if (text.value !== null) return ok({ path, text: text.value });
  }
  return ok(null);
};

const someFolder = async (paths: readonly string[], files: CorpusFiles): Promise<boolean> => {
  for (const path of paths) if (await files.hasFolder(path)) return true;
  return false;
};

const partsOf = (reference: ExactJson | undefined): readonly string[] =>
  typeof reference === 'string' && reference.length <= longestReference ? partsOfReference(reference) : [];

/** Under its whole name where the case shows that it is meant; in an archive without folders, under the rest of its name. */
const readMeant = async (
  parts: readonly string[],
  { path, references }: ReferringCase,
  files: CorpusFiles,
): Promise<Result<Omit<ReferredFile, 'remark'> | null, string>> => {
  const roots = shownRoots(Object.values(references).map(partsOf), files.folderNames);
  const whole = await readFirst(
    [...insidePaths(parts, path), ...roots.flatMap((root) => pathFrom(root, parts))],
    files,
  );
  if (!whole.ok || whole.value !== null) return whole;
  // Where the folder is there and the file is not, another file of that name is another file.
  const leading = ['', ...roots].flatMap((base) => pathFrom(base, parts.slice(0, 1)));
  return (await someFolder(leading, files)) ? ok(null) : readFirst(shortenedPaths(parts, path), files);
};

const readOutside = async (
  parts: readonly string[],
  files: CorpusFiles,
): Promise<Result<Omit<ReferredFile, 'remark'> | null, string>> => {
  if (parts.length < 2) return ok(null);
  for (const folder of foldersOutside) {
    const found = (await someFolder(pathFrom(folder, parts.slice(0, 1)), files))
      ? await readFirst(pathFrom(folder, parts), files)
      : ok(null);
    if (!found.ok || found.value !== null) return found;
  }
  return ok(null);
};

/** Reads a file that a case refers to. `key`: the key of the case that names it. */
export const readReferredFile = async (
  key: ReferringKey,
  referring: ReferringCase,
  files: CorpusFiles,
): Promise<Result<ReferredFile, string>> => {
  const reference = referring.references[key];
  if (typeof reference !== 'string') return err(`"${key}" is the path of a file, not ${kindOfJson(reference)}`);
  const shown = shownName(reference);
  if (!isNameFor(key, reference)) {
    return err(`"${key}" is the path of a file *${endings[key].join(' or *')}, not ${shown}`);
  }
  const parts = partsOf(reference);
  const meant = await readMeant(parts, referring, files);
  if (!meant.ok) return meant;
  if (meant.value !== null) return ok({ ...meant.value, remark: null });
  const outside = await readOutside(parts, files);
  if (!outside.ok) return outside;
  if (outside.value === null) return err(`${shown} (${key}) was found nowhere`);
  return ok({ ...outside.value, remark: `${outside.value.path} (${key}) is used, from outside of the folder` });
};
