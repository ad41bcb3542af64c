/**
 * User names and passwords as they are compared: in Unicode's normal form C (RFC 7617, section 2.1, by RFC 8265). One
 * keyboard sends `ö` as one code point and another one as two; who types it does not see which.
 */
export const normalForm = (text: string): string => text.normalize('NFC');
