/**
 * Why a document of an identity provider is refused. Stable: the reasons are in logs and metric labels. Which one it
 * was is never told to the client: a forger could learn by it.
 */
export const documentRejections = [
  // Of the text, before anything is made of it.
  'document_encoding',
  'document_too_large',
  'document_markup',
  'document_not_well_formed',
  'document_too_deep',
  // Of its structure.
  'unexpected_root',
  'unsupported_version',
  'duplicate_id',
  'misplaced_assertion',
  'several_assertions',
  'no_assertion',
  'misplaced_signature',
  'several_signatures',
  'malformed_element',
  // Of its signatures.
  'unsigned',
  'weak_algorithm',
  'signature_transform',
  'signature_reference',
  'wrong_signature',
  // Of what is encrypted.
  'encrypted_without_key',
  'weak_encryption',
  'undecipherable',
  // Of what it says.
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
