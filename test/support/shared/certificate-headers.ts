/** Writers of the encodings in which certificates travel in header fields. */

const base64 = (der: Uint8Array): string => Buffer.from(der).toString('base64');

/** PEM with lines of 64 characters and `lineEnd` after each, the last included. */
export const pemOf = (ders: readonly Uint8Array[], lineEnd = '\n'): string =>
  ders
    .map((der) => {
      const lines = base64(der).match(/.{1,64}/g) ?? [];
      return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join(lineEnd);
    })
    .join('');

export const urlEncodedPem = (ders: readonly Uint8Array[]): string => encodeURIComponent(pemOf(ders));

/** As Go's QueryEscape and HTML forms encode it: a plus for each space. */
export const formEncodedPem = (ders: readonly Uint8Array[]): string => urlEncodedPem(ders).replaceAll('%20', '+');

export const base64Der = base64;

/** One member of Client-Cert or Client-Cert-Chain (RFC 9440). */
export const byteSequence = (der: Uint8Array): string => `:${base64(der)}:`;

/** X-Forwarded-Client-Cert with one element; a value that needs quotes gets them. */
export const xfccOf = (pairs: readonly (readonly [key: string, value: string])[]): string =>
  pairs.map(([key, value]) => `${key}=${/[",;=]/.test(value) ? `"${value.replaceAll('"', '\\"')}"` : value}`).join(';');
