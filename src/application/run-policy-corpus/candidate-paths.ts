/** How many folders above the given one are searched. */
const foldersAbove = 6;

const join = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join('/');

/** `a/b`, `a` and the empty text for the folder `a/b`: the innermost first. */
const withParents = (folder: string): readonly string[] => {
  const parts = folder.split('/').filter((part) => part !== '');
  return [...parts.map((_, index) => parts.slice(0, parts.length - index).join('/')), ''];
};

/**
 * Where a file that a case refers to can be, the most likely place first. A case names its files from the root of the
 * repository that it was made in, which can be the folder of the corpus, one above it or one in it; or its folder is gone, as
 * in an archive that was unpacked flat, and then the leading parts of the name count for nothing.
 * @param reference as the case has it, such as `tests/multi/policies_1.cedar`
 * @param caseFile of the case, relative to the folder of the corpus
 */
export const candidatePaths = (reference: string, caseFile: string): readonly string[] => {
  const parts = reference.split(/[/\\]/).filter((part) => part !== '' && part !== '.');
  // A name that climbs could lead anywhere: only the part after the last step up is of use.
  const named = parts.slice(parts.lastIndexOf('..') + 1);
  if (named.length === 0) return [];
  const inside = withParents(caseFile.split('/').slice(0, -1).join('/')).toReversed();
  const above = Array.from({ length: foldersAbove }, (_, index) => '../'.repeat(index + 1).slice(0, -1));
  const shortened = named.slice(1).flatMap((_, index) => {
    const rest = named.slice(index + 1).join('/');
    return inside.toReversed().map((base) => join(base, rest));
  });
  const whole = [...inside, ...above].map((base) => join(base, ...named));
  return [...new Set([...whole, ...shortened])];
};
