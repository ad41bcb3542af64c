/** A connection whose TLS handshake did not end as it must. */
export class TlsPeerError extends Error {
  override readonly name = 'TlsPeerError';
  readonly code = 'ERR_TLS_PEER';
}

/** Codes of Node for certificates that do not verify, as texts for operators. */
const certificateTexts: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'the certificate has expired',
  CERT_NOT_YET_VALID: 'the certificate is not valid yet',
  ERROR_IN_CERT_NOT_AFTER_FIELD: 'the certificate has an invalid end date',
  ERROR_IN_CERT_NOT_BEFORE_FIELD: 'the certificate has an invalid start date',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'the authority of the certificate is unknown',
  UNABLE_TO_GET_ISSUER_CERT: 'the authority of the certificate is unknown',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the authority of the certificate is unknown, or an intermediate is missing',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the authority of the certificate is unknown, or an intermediate is missing',
  CERT_SIGNATURE_FAILURE: 'the signature of the certificate is wrong',
  CERT_CHAIN_TOO_LONG: 'the certificate chain is too long',
  CERT_UNTRUSTED: 'the certificate is not trusted for servers',
  CERT_REJECTED: 'the certificate is not trusted for servers',
  INVALID_PURPOSE: 'the certificate is not meant for servers (extended key usage)',
  INVALID_CA: 'the issuer of the certificate is no authority',
  PATH_LENGTH_EXCEEDED: 'the certificate chain is longer than its authority permits',
};

/** Errors of OpenSSL before the peer's certificate was checked, or alerts of the peer. */
const isHandshakeCode = (code: string): boolean => code.startsWith('ERR_SSL_') || code === 'EPROTO';

/** OpenSSL's reason without its source location. */
const reasonOf = (error: Error): string => {
  const { reason } = error as { readonly reason?: unknown };
  return typeof reason === 'string' && reason !== '' ? reason : error.message.slice(0, 200);
};

/**
 * Why a TLS connection could not be opened; null if the cause is not TLS.
 *
 * @param error of a TLSSocket before `secureConnect`
 */
export const tlsFailureText = (error: Error): string | null => {
  if (error instanceof TlsPeerError) return error.message;
  const code = (error as NodeJS.ErrnoException).code ?? '';
  const known = certificateTexts[code];
  if (known !== undefined) return `certificate refused: ${known}`;
  // Node names only some of OpenSSL's verification errors.
  if (code === 'UNSPECIFIED') return `certificate refused: ${error.message.toLowerCase().slice(0, 200)}`;
  return isHandshakeCode(code) ? `TLS handshake failed: ${reasonOf(error)}` : null;
};
