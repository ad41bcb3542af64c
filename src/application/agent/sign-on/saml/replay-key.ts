import type { SecretDigest } from '../../../ports/shared/secret-digest.js';

/** What an assertion of an identity provider is remembered by, at sign-on and at the token endpoint alike. */
export const replayKey = (digest: Pick<SecretDigest, 'sha256Hex'>, idpEntityId: string, assertionId: string): string =>
  digest.sha256Hex(`${idpEntityId}\n${assertionId}`);
