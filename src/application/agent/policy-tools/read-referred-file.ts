import { type ExactJson, kindOfJson } from '../../../domain/agent/policy/json/exact-json.js';
import { shownName } from '../../../domain/agent/policy/shortened-text.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { CorpusFiles } from '../../ports/agent/policy-files.js';

/** How many folders above the given one may be the root of the corpus. */
const foldersAbove = 6;

const join = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join('/');

const folderOf = (caseFile: string): readonly string[] => caseFile.split('/').slice(0, -1);

/** `a/b`, `a` and the empty text for the folder `a/b`: the innermost first. */
const withParents = (folders: readonly string[]): readonly string[] => [
  ...folders.map((_, index) => folders.slice(0, folders.length - index).join('/')),
  '',
];

/** The parts of the name by which a case refers to a file, such as `tests/multi/policies_1.cedar`. */
export const partsOfReference = (reference: string): readonly string[] =>
  reference.split(/[/\\]/).filter((part) => part !== '' && part !== '.');

/** Whether a name climbs, and so can be meant from the folder of its case only. */
const climbs = (parts: readonly string[]): boolean => parts.includes('..');

/** Where a name that climbs leads from the folder of its case; none where that is out of the corpus. */
const climbingPath = (parts: readonly string[], caseFile: string): readonly string[] => {
  const place = [...folderOf(caseFile)];
  for (const part of parts) {
    if (part !== '..') place.push(part);
    else if (place.pop() === undefined) return [];
  }
  return [place.join('/')];
};

/** The places of the corpus that a name can be meant from: its folder, then those between it and the case. */
export const insidePaths = (parts: readonly string[], caseFile: string): readonly string[] =>
  climbs(parts)
    ? climbingPath(parts, caseFile)
    : withParents(folderOf(caseFile))
        .toReversed()
        .map((base) => join(base, ...parts));

/**
 * The folders above that of the corpus in which its cases were made, as far as the references of a case show it: one
 * of them begins with the names that lead from there to the folder. The outermost first, which has the most names to
 * show it.
 */
export const shownRoots = (
  references: readonly (readonly string[])[],
  folderNames: readonly string[],
): readonly string[] =>
  Array.from({ length: Math.min(foldersAbove, folderNames.length) }, (_, index) => index + 1)
    .filter((count) => {
      const names = folderNames.slice(-count);
      return references.some((parts) => parts.length > count && names.every((name, index) => parts[index] === name));
    })
    .map((count) => '../'.repeat(count).slice(0, -1))
    .toReversed();

/** A name as seen from a folder above that of the corpus; none where it climbs. */
export const pathFrom = (folder: string, parts: readonly string[]): readonly string[] =>
  climbs(parts) ? [] : [join(folder, ...parts)];

/**
 * A name without its leading parts, beside the case and in the folder of the corpus: as in an archive unpacked flat.
 */
export const shortenedPaths = (parts: readonly string[], caseFile: string): readonly string[] => {
  if (climbs(parts)) return [];
  const bases = new Set([folderOf(caseFile).join('/'), '']);
  return parts.slice(1).flatMap((_, index) => [...bases].map((base) => join(base, ...parts.slice(index + 1))));
};

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

/**
 * Under its whole name where the case shows that it is meant; in an archive without folders, under the rest of its
 * name.
 */
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
