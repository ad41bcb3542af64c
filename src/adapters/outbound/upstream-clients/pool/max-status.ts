/** The highest status that a response may have (RFC 9110, section 15: what is beyond is invalid, and none of ours to pass on). */
export const maxStatus = 599;
