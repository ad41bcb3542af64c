import type { FormOwner } from '../../../../domain/agent/sign-on/kept-form.js';
import { ownerMarkText, ownerSaltText } from '../../../../domain/agent/sign-on/kept-form.js';
import type { KeptFormStore } from '../../../ports/agent/kept-form-store.js';
import type { SessionSecrets } from '../../../ports/agent/session-secrets.js';
import type { SessionStore } from '../../../ports/agent/session-store.js';
import type { Clock } from '../../../ports/shared/clock.js';
import type { Logger } from '../../../ports/shared/logger.js';
import type { Random } from '../../../ports/shared/random.js';
import type { SecretDigest } from '../../../ports/shared/secret-digest.js';
import type { SessionChecks } from '../../authenticate/session-check.js';
import type { SignOn } from '../shared/sign-on.js';
import type { SignOnCookies } from '../shared/sign-on-cookies.js';

/** What keeping forms needs. */
export interface KeptFormServices {
  readonly cookies: SignOnCookies;
  readonly sessions: SessionChecks;
  readonly store: Pick<SessionStore, 'find'>;
  readonly forms: Pick<KeptFormStore, 'insert' | 'find' | 'take'>;
  readonly secrets: SessionSecrets;
  readonly signOn: Pick<SignOn, 'begin' | 'returnsTo'>;
  /** The headers with credentials, other than Authorization. */
  readonly secretHeaders: readonly string[];
  readonly random: Pick<Random, 'token'>;
  readonly digest: Pick<SecretDigest, 'sha256Hex' | 'equal'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The use of the encryption of kept forms. */
export const keptFormUse = 'kept_form';

type Hashes = Pick<SecretDigest, 'sha256Hex'>;

/** The salt of the marks of a session. */
export const ownerSalt = (digest: Hashes, sessionId: string): string => digest.sha256Hex(ownerSaltText(sessionId));

/** The mark of a user under a salt. */
export const ownerMarkOf = (digest: Hashes, salt: string, owner: FormOwner): string =>
  digest.sha256Hex(ownerMarkText(salt, owner));
