const start =
  'A-Z_a-z\\xc0-\\xd6\\xd8-\\xf6\\xf8-\\u02ff\\u0370-\\u037d\\u037f-\\u1fff\\u200c-\\u200d\\u2070-\\u218f' +
  '\\u2c00-\\u2fef\\u3001-\\ud7ff\\uf900-\\ufdcf\\ufdf0-\\ufffd\\u{10000}-\\u{effff}';
const following = `${start}\\-.0-9\\xb7\\u0300-\\u036f\\u203f-\\u2040`;
// Nothing that comes after can begin a name again: neither expression goes back.
const nameWithoutColon = new RegExp(`^[${start}][${following}]*$`, 'u');
const qualifiedName = new RegExp(`[${start}][${following}]*(?::[${start}][${following}]*)?`, 'uy');

/** Whether it is a name without a colon (Namespaces in XML 1.0, section 3), as an xs:ID is. */
export const isNameWithoutColon = (text: string): boolean => nameWithoutColon.test(text);

/** The qualified name, such as `ds:Signature`, that begins at that place of the text; null: there is none. */
export const qualifiedNameAt = (text: string, index: number): string | null => {
  qualifiedName.lastIndex = index;
  return qualifiedName.exec(text)?.[0] ?? null;
};

/** The prefix of a qualified name, empty where it has none, and its local name. */
export const splitName = (name: string): { readonly prefix: string; readonly local: string } => {
  const colon = name.indexOf(':');
  return { prefix: name.slice(0, Math.max(colon, 0)), local: name.slice(colon + 1) };
};
