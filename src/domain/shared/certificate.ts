/** One attribute of a name: `CN=api`, say. */
export interface NameAttribute {
  /** Object identifier in dotted form, as in `2.5.4.3` for CN. */
  readonly type: string;
  /**
   * Whether the value is a string; kept apart, because a string may look like the hexadecimal digits of something else.
   */
  readonly isText: boolean;
  /** The text; where it is none, its DER in lower-case hexadecimal, tag and length included. */
  readonly value: string;
}

/**
 * A distinguished name: its relative names in the order of the certificate, which is the reverse of the order in text;
 * each is a set of attributes, mostly of one (RFC 5280, section 4.1.2.4).
 */
export type DistinguishedName = readonly (readonly NameAttribute[])[];

/** Who else a certificate speaks for (RFC 5280, section 4.2.1.6). */
export type SubjectAltName =
  | { readonly kind: 'dns' | 'uri' | 'email'; readonly value: string }
  /** In the text form that `formatIpAddress` gives. */
  | { readonly kind: 'ip'; readonly value: string };

export type KeyUsage = 'digital_signature' | 'key_agreement' | 'certificate_signing' | 'other';

/** What a certificate says, read from its DER and not yet believed. */
export interface Certificate {
  readonly subject: DistinguishedName;
  readonly issuer: DistinguishedName;
  /** Milliseconds since the Unix epoch; the first moment of validity. */
  readonly notBeforeMs: number;
  /** The last moment of validity. */
  readonly notAfterMs: number;
  /** It may sign certificates, by its basic constraints. */
  readonly isAuthority: boolean;
  /** Certificates of authorities that may follow; null: any number. */
  readonly pathLength: number | null;
  /** Null: the extension is absent, and nothing is excluded. */
  readonly keyUsage: readonly KeyUsage[] | null;
  /** Object identifiers; null: the extension is absent. */
  readonly extendedKeyUsage: readonly string[] | null;
  /** Names of the four kinds; others are left out. */
  readonly subjectAltNames: readonly SubjectAltName[];
  /** Object identifiers of extensions that have to be understood, and are not. */
  readonly unknownCritical: readonly string[];
  /** It limits the names that it may vouch for, or the policies: not understood, so nothing it signs is believed. */
  readonly isConstrained: boolean;
  /** Hexadecimal; null where the extension is absent. */
  readonly subjectKeyId: string | null;
  readonly authorityKeyId: string | null;
  /** Why its key is too weak to be believed, in one clause; null where it is not. */
  readonly weakKey: string | null;
  /**
   * Why the signature on it is, a broken digest say; null where it is not. Of an authority that is trusted as such it
   * does not matter.
   */
  readonly weakSignature: string | null;
  /** SHA-256 of the DER, in hexadecimal. */
  readonly fingerprint: string;
}
