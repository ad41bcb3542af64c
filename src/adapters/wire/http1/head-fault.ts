/** Why a head cannot be read: what RFC 9112 forbids, and what two readers could take for two things. */
export const headFaults = [
  'invalid_method',
  'invalid_target',
  'invalid_version',
  /** Well-formed, and neither HTTP/1.0 nor 1.1. */
  'unsupported_version',
  'invalid_status',
  'invalid_reason',
  /** A bare CR or LF. */
  'invalid_line_end',
  /** Empty, no token, or followed by a space. */
  'invalid_field_name',
  /** A control in it, NUL among them. */
  'invalid_field_value',
  /** A line that begins with a space: it would go on with the one before (RFC 9112, section 5.2). */
  'obsolete_fold',
  /** What would be a method is over the limit. */
  'method_too_long',
  /** The first line alone is over the limit. */
  'first_line_too_long',
  'head_too_large',
  'repeated_host',
  /** No decimal number, one that cannot be counted exactly, a list, or one with a tab around it. */
  'invalid_content_length',
  'repeated_content_length',
  'repeated_transfer_encoding',
  /** Another than `chunked`, several, none, or with a tab around it. */
  'unknown_transfer_coding',
  'length_and_coding',
  /** A connection option that is no token: readers that split lists otherwise could find `close` or a field's name in it. */
  'invalid_connection',
  /** HTTP/1.0 has no transfer codings (RFC 9112, section 6.1). */
  'coding_in_http_1_0',
  /** A status that has no content comes with a transfer coding (RFC 9112, section 6.1). */
  'coding_without_content',
  /** An interim response says that nothing comes behind it, where the response itself has to (RFC 9112, section 9.6). */
  'closing_interim_response',
] as const;

export type HeadFault = (typeof headFaults)[number];

/** What a reader of heads gives: octets of the head, 0 where it has not all come, or a fault as a negative number. */
export type HeadReading = number;

/** More octets have to come. */
export const incompleteHead: HeadReading = 0;

const readings = new Map<HeadFault, HeadReading>(headFaults.map((fault, index) => [fault, -1 - index]));

export const faultyHead = (fault: HeadFault): HeadReading => readings.get(fault) as HeadReading;

/** The fault of a reading below 0. */
export const faultOf = (reading: HeadReading): HeadFault => headFaults[-1 - reading] as HeadFault;
