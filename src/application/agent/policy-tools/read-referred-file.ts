import { abbreviateName } from '../../../domain/agent/policy/abbreviate-text.js';
import { type ExactJson, kindOfJson } from '../../../domain/agent/policy/json/exact-json.js';
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

/** The path segments of a case's reference to a file, such as `tests/multi/policies_1.cedar`. */
export const segmentsOfReference = (reference: string): readonly string[] =>
  reference.split(/[/\\]/).filter((part) => part !== '' && part !== '.');

/** Whether a reference contains `..`, so that it is relative to the folder of its case. */
const climbs = (parts: readonly string[]): boolean => parts.includes('..');

/** Where a reference with `..` leads from the folder of its case; none if outside the corpus. */
const climbingPath = (parts: readonly string[], caseFile: string): readonly string[] => {
  const place = [...folderOf(caseFile)];
  for (const part of parts) {
    if (part !== '..') place.push(part);
    else if (place.pop() === undefined) return [];
  }
  return [place.join('/')];
};

/** Candidate paths of a reference in the corpus: relative to its folder, then to each folder down to the case. */
export const insidePaths = (parts: readonly string[], caseFile: string): readonly string[] =>
  climbs(parts)
    ? climbingPath(parts, caseFile)
    : withParents(folderOf(caseFile))
        .toReversed()
        .map((base) => join(base, ...parts));

/**
 * The ancestor folders in which the corpus was made, as its references show: a reference begins with the folder names
 * from there to the corpus. Outermost first, because it matches the most names.
 */
export const displayedRoots = (
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

/** A reference relative to an ancestor folder; none if it contains `..`. */
export const pathFrom = (folder: string, parts: readonly string[]): readonly string[] =>
  climbs(parts) ? [] : [join(folder, ...parts)];

/**
 * A reference without its leading segments, beside the case and in the folder of the corpus: for archives that were
 * unpacked flat.
 */
export const shortenedPaths = (parts: readonly string[], caseFile: string): readonly string[] => {
  if (climbs(parts)) return [];
  const bases = new Set([folderOf(caseFile).join('/'), '']);
  return parts.slice(1).flatMap((_, index) => [...bases].map((base) => join(base, ...parts.slice(index + 1))));
};

export interface ReferredFile {
  /** Where the file was found. */
  readonly path: string;
  readonly text: string;
  /** A remark about its place; null: none. */
  readonly remark: string | null;
}

/** The keys of a case that name files. */
export type ReferringKey = 'policies' | 'entities' | 'schema';

/** A case with its references to files. */
export interface ReferringCase {
  /** Relative to the folder of the corpus. */
  readonly path: string;
  readonly references: Readonly<Record<ReferringKey, ExactJson | undefined>>;
}

/** Only these files are opened, because messages quote their contents. */
const endings: Readonly<Record<ReferringKey, readonly string[]>> = {
  policies: ['.cedar'],
  entities: ['.json'],
  schema: ['.cedarschema', '.json'],
};

/** Whether the key may name a file with this ending. */
export const isNameFor = (key: ReferringKey, reference: string): boolean =>
  endings[key].some((ending) => reference.endsWith(ending));

/** Maximum characters of a reference; no file system allows longer ones. */
const longestReference = 4096;
/** The last candidates, nearest first. */
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
  typeof reference === 'string' && reference.length <= longestReference ? segmentsOfReference(reference) : [];

/** Finds the file by its whole reference, or in a flat archive by its last segments. */
const readMeant = async (
  parts: readonly string[],
  { path, references }: ReferringCase,
  files: CorpusFiles,
): Promise<Result<Omit<ReferredFile, 'remark'> | null, string>> => {
  const roots = displayedRoots(Object.values(references).map(partsOf), files.folderNames);
  const whole = await readFirst(
    [...insidePaths(parts, path), ...roots.flatMap((root) => pathFrom(root, parts))],
    files,
  );
  if (!whole.ok || whole.value !== null) return whole;
  // If the folder exists without the file, a file of the same name elsewhere is a different one.
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
  const shown = abbreviateName(reference);
  if (!isNameFor(key, reference)) {
    return err(`"${key}" is the path of a file *${endings[key].join(' or *')}, not ${shown}`);
  }
  const parts = partsOf(reference);
  const meant = await readMeant(parts, referring, files);
  if (!meant.ok) return meant;
  if (meant.value !== null) return ok({ ...meant.value, remark: null });
  const outside = await readOutside(parts, files);
  if (!outside.ok) return outside;
  if (outside.value === null) return err(`${shown} (${key}) was not found`);
  return ok({ ...outside.value, remark: `${outside.value.path} (${key}) is used, from outside the folder` });
};
