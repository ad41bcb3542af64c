/** Why a client certificate does not authenticate. Stable: the reasons are metric labels. */
export type CertificateRejection =
  /** Nothing that could be read as a certificate, in none of the encodings. */
  | 'certificate_malformed'
  /** No chain leads from it to a configured authority. */
  | 'certificate_untrusted'
  | 'certificate_expired'
  | 'certificate_not_yet_valid'
  /** Its key usage, or that of an authority above it, does not allow the authentication of a client. */
  | 'certificate_wrong_usage'
  /** A key that is too short, or a signature with a broken digest, in the chain. */
  | 'certificate_weak'
  /** An extension in the chain has to be understood, and is not. */
  | 'certificate_unsupported'
  /** Its subject or its alternative names are in no allow-list. */
  | 'certificate_not_allowed'
  /** No common name, or no e-mail, that could be a user id; or several. */
  | 'certificate_unusable_subject';
