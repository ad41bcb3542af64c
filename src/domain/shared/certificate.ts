/** One attribute of a name, such as `CN=api`. */
export interface NameAttribute {
  /** Object identifier in dotted form, as in `2.5.4.3` for CN. */
  readonly type: string;
  /** Whether the value is a string. A string may look like the hexadecimal form of another value. */
  readonly isText: boolean;
  /** The text; for other types the DER in lower-case hexadecimal, with tag and length. */
  readonly value: string;
}

/**
 * A distinguished name (RFC 5280, section 4.1.2.4). Relative names are in the order of the certificate, the reverse of
 * the text form. Each is a set of attributes, usually of one.
 */
export type DistinguishedName = readonly (readonly NameAttribute[])[];

/** A subject alternative name (RFC 5280, section 4.2.1.6). */
export type SubjectAltName =
  | { readonly kind: 'dns' | 'uri' | 'email'; readonly value: string }
  /** In the text form that `formatIpAddress` gives. */
  | { readonly kind: 'ip'; readonly value: string };

export type KeyUsage = 'digital_signature' | 'key_agreement' | 'certificate_signing' | 'list_signing' | 'other';

/** The content of a certificate, parsed from DER and not verified. */
export interface Certificate {
  readonly subject: DistinguishedName;
  readonly issuer: DistinguishedName;
  /** In lower-case hexadecimal, as encoded. Unique per issuer. */
  readonly serialNumber: string;
  /** Milliseconds since the Unix epoch; the first moment of validity. */
  readonly notBeforeMs: number;
  /** The last moment of validity. */
  readonly notAfterMs: number;
  /** Its basic constraints allow it to sign certificates. */
  readonly isAuthority: boolean;
  /** Largest number of intermediate CAs below it; null: unlimited. */
  readonly pathLength: number | null;
  /** Null: the extension is absent, so all usages are allowed. */
  readonly keyUsage: readonly KeyUsage[] | null;
  /** Object identifiers; null: the extension is absent. */
  readonly extendedKeyUsage: readonly string[] | null;
  /** Names of the four kinds; other kinds are omitted. */
  readonly subjectAltNames: readonly SubjectAltName[];
  /** Object identifiers of unknown critical extensions. */
  readonly unknownCritical: readonly string[];
  /** It has name or policy constraints. They are not supported, so certificates that it signs are not trusted. */
  readonly isConstrained: boolean;
  /** Hexadecimal; null: the extension is absent. */
  readonly subjectKeyId: string | null;
  readonly authorityKeyId: string | null;
  /** Why its key is too weak, as a clause; null: it is strong enough. */
  readonly weakKey: string | null;
  /**
   * Why its signature is too weak, such as a broken digest; null: it is strong enough. Irrelevant for a trusted root.
   */
  readonly weakSignature: string | null;
  /** SHA-256 of the DER, in hexadecimal. */
  readonly fingerprint: string;
}

/** Octets and the signature on them. */
export interface SignedOctets {
  /** Object identifier of the signature algorithm. */
  readonly algorithm: string;
  /** DER of the algorithm's parameters; null: none, or NULL. */
  readonly parameters: Uint8Array | null;
  readonly octets: Uint8Array;
  readonly signature: Uint8Array;
}
