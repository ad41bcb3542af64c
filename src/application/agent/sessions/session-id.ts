/** Whether the text can be the id of a session: 256 bits in base64url without padding. */
export const isSessionId = (text: string): boolean => text.length === 43 && /^[A-Za-z0-9_-]{43}$/.test(text);
