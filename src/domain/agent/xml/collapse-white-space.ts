const whiteSpace = /[ \t\n\r]+/;

/**
 * The value of a text whose type collapses white space, as xs:anyURI does (XML Schema part 2, section 4.3.6): none around it, one
 * space for each run within. Only the four characters that XML counts as white space.
 */
export const collapseWhiteSpace = (text: string): string =>
  text
    .split(whiteSpace)
    .filter((word) => word !== '')
    .join(' ');
