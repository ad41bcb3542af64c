/** A signature algorithm that is believed: PKCS #1 v1.5 for RSA, r and s side by side for ECDSA (RFC 9231, section 2.3). */
export interface XmlSignatureAlgorithm {
  /** What the key has to be. */
  readonly keyType: 'rsa' | 'ec';
  readonly hash: 'sha256' | 'sha384' | 'sha512';
}

const more = 'http://www.w3.org/2001/04/xmldsig-more#';

/** Signature algorithms that are accepted, by URI (RFC 9231). None with SHA-1, and none with a shared key. */
export const signatureAlgorithms: ReadonlyMap<string, XmlSignatureAlgorithm> = new Map([
  [`${more}rsa-sha256`, { keyType: 'rsa', hash: 'sha256' }],
  [`${more}rsa-sha384`, { keyType: 'rsa', hash: 'sha384' }],
  [`${more}rsa-sha512`, { keyType: 'rsa', hash: 'sha512' }],
  [`${more}ecdsa-sha256`, { keyType: 'ec', hash: 'sha256' }],
  [`${more}ecdsa-sha384`, { keyType: 'ec', hash: 'sha384' }],
  [`${more}ecdsa-sha512`, { keyType: 'ec', hash: 'sha512' }],
]);

/** Digest algorithms that are accepted, by URI (XML Encryption, section 5.7; RFC 9231, section 2.1). */
export const digestAlgorithms: ReadonlyMap<string, XmlSignatureAlgorithm['hash']> = new Map([
  ['http://www.w3.org/2001/04/xmlenc#sha256', 'sha256'],
  [`${more}sha384`, 'sha384'],
  ['http://www.w3.org/2001/04/xmlenc#sha512', 'sha512'],
]);
