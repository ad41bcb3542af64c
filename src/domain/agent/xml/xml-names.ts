/** Namespaces of the documents that are read and written here. */
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
  /** Exclusive XML Canonicalization: the namespace and the method without comments at once. */
  excC14n: 'http://www.w3.org/2001/10/xml-exc-c14n#',
  /** What the prefix `xml` stands for, always. */
  xml: 'http://www.w3.org/XML/1998/namespace',
  /** What the prefix `xmlns` stands for, always. */
  xmlns: 'http://www.w3.org/2000/xmlns/',
  xsi: 'http://www.w3.org/2001/XMLSchema-instance',
  xs: 'http://www.w3.org/2001/XMLSchema',
} as const;
