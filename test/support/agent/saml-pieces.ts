/**
 * Cutting and pasting in the texts of documents, as an attacker does it: the octets of what is not touched stay the
 * same.
 */

/** The first element of that qualified name, up to the last end tag of that name; throws where there is none. */
export const piece = (xml: string, name: string): string => {
  const begin = [`<${name} `, `<${name}>`].map((tag) => xml.indexOf(tag)).filter((index) => index >= 0);
  const end = xml.lastIndexOf(`</${name}>`);
  if (begin.length === 0 || end < 0) throw new Error(`no <${name}> in ${xml}`);
  return xml.slice(Math.min(...begin), end + `</${name}>`.length);
};

/** One occurrence put in place of another text; throws where the text is not there. */
export const swapped = (xml: string, from: string, to: string): string => {
  const index = xml.indexOf(from);
  if (index < 0) throw new Error(`no ${from} in ${xml}`);
  return xml.slice(0, index) + to + xml.slice(index + from.length);
};

export const without = (xml: string, part: string): string => swapped(xml, part, '');

const issuerEnd = '</saml:Issuer>';

/** With a text behind the first Issuer. */
export const afterIssuer = (xml: string, text: string): string => swapped(xml, issuerEnd, issuerEnd + text);

/** With a text before everything else in the element. */
export const atBegin = (xml: string, text: string): string => {
  const end = xml.indexOf('>') + 1;
  return xml.slice(0, end) + text + xml.slice(end);
};

/** With a text behind everything else in the element. */
export const atEnd = (xml: string, text: string): string => {
  const end = xml.lastIndexOf('</');
  return xml.slice(0, end) + text + xml.slice(end);
};
