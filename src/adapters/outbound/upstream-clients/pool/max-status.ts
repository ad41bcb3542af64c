/** Highest valid status (RFC 9110, section 15). */
export const maxStatus = 599;
