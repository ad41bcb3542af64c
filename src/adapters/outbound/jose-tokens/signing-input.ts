const encoded = (text: string): string => Buffer.from(text, 'utf8').toString('base64url');

/** What a JWS signs (RFC 7515, section 5.1). */
export const signingInput = (header: { alg: string; typ: string; kid: string }, payload: string): string =>
  `${encoded(JSON.stringify(header))}.${encoded(payload)}`;
