/** Whether a response of this status never has content (RFC 9110, sections 15.3.5, 15.3.6 and 15.4.5). */
export const isBodyless = (status: number): boolean => status === 204 || status === 205 || status === 304;

/** Whether a response of this status says no length either (RFC 9110, section 8.6; a 304 would tell that of the 200). */
export const isUnframed = (status: number): boolean => status === 204 || status === 304;
