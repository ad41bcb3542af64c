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
 * The folders above that of the corpus in which its cases were made, as far as the references of a case show it: one of them
 * begins with the names that lead from there to the folder. The outermost first, which has the most names to show it.
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

/** A name without its leading parts, beside the case and in the folder of the corpus: as in an archive unpacked flat. */
export const shortenedPaths = (parts: readonly string[], caseFile: string): readonly string[] => {
  if (climbs(parts)) return [];
  const bases = new Set([folderOf(caseFile).join('/'), '']);
  return parts.slice(1).flatMap((_, index) => [...bases].map((base) => join(base, ...parts.slice(index + 1))));
};
