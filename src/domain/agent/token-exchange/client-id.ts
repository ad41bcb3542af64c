/** Characters of a client id, at the most. */
export const maximumClientIdLength = 256;

/** Printable ASCII (RFC 6749, appendix A.1). */
const printable = /^[\x20-\x7e]+$/;

/** Whether a text can be the id of a client. */
export const isClientId = (text: string): boolean => text.length <= maximumClientIdLength && printable.test(text);
