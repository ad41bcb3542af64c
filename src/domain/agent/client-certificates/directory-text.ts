const nonAscii = /[^\x00-\x7f]/;

/** The one character whose capital is that of another letter, while Unicode's case folding keeps the two apart. */
const dotlessI = '\u0131';

/**
 * Without case, by way of capitals, so that `ß` is `ss`; but `admın` is not `admin`. A capital sigma would become one of
 * two small ones by its place in the word, so it is made the usual one before.
 */
const foldCase = (text: string): string =>
  text
    .split(dotlessI)
    .map((part) => part.toUpperCase().replaceAll('Σ', 'σ').toLowerCase())
    .join(dotlessI);

/** Without spaces at the ends, and with one for each run of them. Split, because a pattern for the end could backtrack. */
const foldSpaces = (text: string): string => {
  if (!text.includes(' ')) return text;
  return text
    .split(' ')
    .filter((word) => word !== '')
    .join(' ');
};

/**
 * The form in which two texts are equal that caseIgnoreMatch calls so (RFC 4518; RFC 5280, section 7.1): NFKC, without
 * case, without regard to how many spaces there are and to those at the ends.
 *
 * It departs from RFC 4518 where following it would let two names meet that look alike or are read differently
 * elsewhere: control characters, soft hyphens, zero-width characters and variation selectors are not dropped, and tabs
 * and line ends are no spaces. They count as they are.
 */
export const foldDirectoryText = (text: string): string =>
  foldSpaces(nonAscii.test(text) ? foldCase(text.normalize('NFKC')).normalize('NFKC') : text.toLowerCase());
