/** The tags of DER (X.690, section 8.1.2) that tell the files of certificates and keys apart. */
const sequence = 0x30;
const integer = 0x02;
const objectIdentifier = 0x06;
const explicitVersion = 0xa0;

/** Where the content of the value begins that stands at an offset; null where no length does (X.690, section 8.1.3). */
const contentStart = (octets: Uint8Array, offset: number): number | null => {
  const length = octets[offset + 1];
  if (length === undefined || length === 0x80 || length > 0x84) return null;
  return offset + 2 + (length < 0x80 ? 0 : length - 0x80);
};

/**
 * What to do with a file that is DER where text is expected, as far as its first octets tell what it is; null where it
 * does not look like a certificate or a key. Nothing of the file goes into it.
 */
export const derHint = (octets: Uint8Array): string | null => {
  const outer = octets[0] === sequence ? contentStart(octets, 0) : null;
  if (outer === null) return null;
  if (octets[outer] === integer) {
    // RFC 7292, section 4: version 3 of PFX; the versions of keys are 0 and 1 (RFC 5958, 5915 and 8017).
    const isPkcs12 = octets[outer + 2] === 3;
    return isPkcs12
      ? 'is PKCS #12; take it apart with openssl pkcs12'
      : 'is DER; convert it with openssl pkey -inform der';
  }
  // RFC 5652, section 3: certificates in a bag begin with what the bag holds.
  if (octets[outer] === objectIdentifier) return 'is PKCS #7; convert it with openssl pkcs7 -inform der -print_certs';
  const inner = octets[outer] === sequence ? contentStart(octets, outer) : null;
  if (inner === null) return null;
  const first = octets[inner];
  if (first === objectIdentifier) return 'is DER; convert it with openssl pkey -pubin -inform der';
  // RFC 5280, section 4.1: the version, which version 1 leaves out before its serial number.
  if (first === explicitVersion || first === integer) return 'is DER; convert it with openssl x509 -inform der';
  return null;
};
