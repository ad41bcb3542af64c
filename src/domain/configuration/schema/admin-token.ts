import { err, type Result } from '../../shared/result.js';
import type { Secret } from '../../shared/secret.js';
import { type ScalarFault, type ScalarKind, secret } from './scalar-kind.js';

/** The token of admin endpoints, with the syntax of a bearer token: b64token (RFC 6750, section 2.1). */
export const adminToken: ScalarKind<Secret> = {
  ...secret,
  read: (scalar): Result<Secret, ScalarFault> => {
    const read = secret.read(scalar);
    if (!read.ok || /^[A-Za-z0-9._~+/-]+=*$/.test(read.value.reveal())) return read;
    return err({ message: 'must contain only letters, digits and - . _ ~ + / (= only at the end)' });
  },
};
