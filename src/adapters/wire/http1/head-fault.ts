/** Parse errors: violations of RFC 9112, and heads that two parsers could read differently. */
export const headFaults = [
  'invalid_method',
  'invalid_target',
  'invalid_version',
  /** Well-formed, but neither HTTP/1.0 nor HTTP/1.1. */
  'unsupported_version',
  'invalid_status',
  'invalid_reason',
  /** A bare CR or LF. */
  'invalid_line_end',
  /** Empty, not a token, or followed by a space. */
  'invalid_field_name',
  /** A control character, for example NUL. */
  'invalid_field_value',
  /** A line that starts with a space: an obsolete continuation (RFC 9112, section 5.2). */
  'obsolete_fold',
  /** The method exceeds its limit. */
  'method_too_long',
  /** The first line exceeds the limit. */
  'first_line_too_long',
  'head_too_large',
  'repeated_host',
  /** Not a decimal number, too large to be exact, a list, or surrounded by a tab. */
  'invalid_content_length',
  'repeated_content_length',
  'repeated_transfer_encoding',
  /** Other than `chunked`, repeated, empty, or surrounded by a tab. */
  'unknown_transfer_coding',
  'length_and_coding',
  /**
   * A connection option that is no token: another parser could find `close` or a field name in it.
   */
  'invalid_connection',
  /** HTTP/1.0 has no transfer codings (RFC 9112, section 6.1). */
  'coding_in_http_1_0',
  /** A status without content has a transfer coding (RFC 9112, section 6.1). */
  'coding_without_content',
  /**
   * An interim response announces the end of the connection, although the final one must follow
   * (RFC 9112, section 9.6).
   */
  'closing_interim_response',
] as const;

export type HeadFault = (typeof headFaults)[number];

/** Parse result: octets of the head, 0 if incomplete, or a negative fault. */
export type HeadReading = number;

/** More input is needed. */
export const incompleteHead: HeadReading = 0;

const readings = new Map<HeadFault, HeadReading>(headFaults.map((fault, index) => [fault, -1 - index]));

export const faultyHead = (fault: HeadFault): HeadReading => readings.get(fault) as HeadReading;

/** The fault of a negative result. */
export const faultOf = (reading: HeadReading): HeadFault => headFaults[-1 - reading] as HeadFault;
