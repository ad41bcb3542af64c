/**
 * Why a document of an identity provider is refused. Stable: logs and metric labels contain these values. The client
 * never learns them, because they would help a forger.
 */
export const documentRejections = [
  // The text, before parsing.
  'document_encoding',
  'document_too_large',
  'document_markup',
  'document_not_well_formed',
  'document_too_deep',
  // The structure.
  'unexpected_root',
  'unsupported_version',
  'duplicate_id',
  'misplaced_assertion',
  'several_assertions',
  'no_assertion',
  'misplaced_signature',
  'several_signatures',
  'malformed_element',
  // The signatures.
  'unsigned',
  'weak_algorithm',
  'signature_transform',
  'signature_reference',
  'wrong_signature',
  // The encryption.
  'encrypted_without_key',
  'weak_encryption',
  'undecipherable',
  // The content.
  'failed_status',
  'wrong_issuer',
  'wrong_destination',
  'wrong_audience',
  'wrong_recipient',
  'wrong_in_response_to',
  'unsolicited',
  'no_conditions',
  'unknown_condition',
  'not_yet_valid',
  'expired',
  'issued_in_future',
  'issued_too_long_ago',
  'no_subject_confirmation',
  'no_subject',
  'wrong_name_id_format',
  'unusable_user_id',
  'no_authentication_statement',
  'wrong_authentication_context',
  'authentication_not_fresh',
  'session_over',
  'replayed',
] as const;
export type DocumentRejection = (typeof documentRejections)[number];
