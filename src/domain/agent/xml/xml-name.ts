/** Namespaces of the documents that are read and written. */
export const xmlNamespaces = {
  /** SAML core, section 1.1: protocol messages. */
  samlp: 'urn:oasis:names:tc:SAML:2.0:protocol',
  /** SAML core, section 1.1: assertions. */
  saml: 'urn:oasis:names:tc:SAML:2.0:assertion',
  /** SAML metadata, section 1.1. */
  md: 'urn:oasis:names:tc:SAML:2.0:metadata',
  /** XML Signature. */
  ds: 'http://www.w3.org/2000/09/xmldsig#',
  /** XML Encryption. */
  xenc: 'http://www.w3.org/2001/04/xmlenc#',
  /** XML Encryption 1.1. */
  xenc11: 'http://www.w3.org/2009/xmlenc11#',
  /** Exclusive XML Canonicalization: its namespace, and also its method without comments. */
  excC14n: 'http://www.w3.org/2001/10/xml-exc-c14n#',
  /** The fixed meaning of the prefix `xml`. */
  xml: 'http://www.w3.org/XML/1998/namespace',
  /** The fixed meaning of the prefix `xmlns`. */
  xmlns: 'http://www.w3.org/2000/xmlns/',
  xsi: 'http://www.w3.org/2001/XMLSchema-instance',
  xs: 'http://www.w3.org/2001/XMLSchema',
} as const;

const start =
  'A-Z_a-z\\xc0-\\xd6\\xd8-\\xf6\\xf8-\\u02ff\\u0370-\\u037d\\u037f-\\u1fff\\u200c-\\u200d\\u2070-\\u218f' +
  '\\u2c00-\\u2fef\\u3001-\\ud7ff\\uf900-\\ufdcf\\ufdf0-\\ufffd\\u{10000}-\\u{effff}';
const following = `${start}\\-.0-9\\xb7\\u0300-\\u036f\\u203f-\\u2040`;
// No character class overlaps with what follows it: neither expression backtracks.
const nameWithoutColon = new RegExp(`^[${start}][${following}]*$`, 'u');
const qualifiedName = new RegExp(`[${start}][${following}]*(?::[${start}][${following}]*)?`, 'uy');

/** Whether the text is a name without a colon (Namespaces in XML 1.0, section 3), as for xs:ID. */
export const isNameWithoutColon = (text: string): boolean => nameWithoutColon.test(text);

/** The qualified name at this position, such as `ds:Signature`; null if there is none. */
export const qualifiedNameAt = (text: string, index: number): string | null => {
  qualifiedName.lastIndex = index;
  return qualifiedName.exec(text)?.[0] ?? null;
};

/** Splits a qualified name into prefix (empty if there is none) and local name. */
export const splitName = (name: string): { readonly prefix: string; readonly local: string } => {
  const colon = name.indexOf(':');
  return { prefix: name.slice(0, Math.max(colon, 0)), local: name.slice(colon + 1) };
};
