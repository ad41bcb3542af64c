import type { SamlOptions } from '../../../../domain/agent/configuration/saml-options.js';
import type { Session } from '../../../../domain/agent/sessions/session.js';
import type { ReplayStore } from '../../../ports/agent/replay-store.js';
import type { SamlDocumentVerifier } from '../../../ports/agent/saml-document-verifier.js';
import type { SamlKeys, ServiceProviderKey } from '../../../ports/agent/saml-keys.js';
import type { Stored, SubjectSessions } from '../../../ports/agent/session-store.js';
import type { SignOnRequestStore } from '../../../ports/agent/sign-on-request-store.js';
import type { Clock } from '../../../ports/shared/clock.js';
import type { Logger } from '../../../ports/shared/logger.js';
import type { Random } from '../../../ports/shared/random.js';
import type { SecretDigest } from '../../../ports/shared/secret-digest.js';
import type { SignOnRefusal } from './sign-on-refusal.js';
import type { IdentityProviderTrust } from './trust/identity-provider-trust.js';
import type { VerificationShares } from './verification-shares.js';

/**
 * What single sign-on does with sessions: whoever remembers them is behind it, so that one that has ended counts
 * nowhere.
 */
export interface SignOnSessions {
  /** Succeeds once the store has it. */
  open(session: Session): Stored<void>;
  /** Whether the session of this hash counts. Asking is no use of it: it does not count as seen. */
  isActive(idHash: string): Stored<boolean>;
  /** By the id in the cookie; null: there was none. */
  end(sessionId: string): Stored<Session | null>;
  /** The result are the hashes of their ids. */
  endOfSubject(subject: SubjectSessions): Stored<readonly string[]>;
}

/** Counts what sign-ons come to. */
export interface SignOnOutcomes {
  completed(): void;
  refused(reason: SignOnRefusal): void;
}

/** What single sign-on is made with. */
export interface SingleSignOnParts {
  readonly options: SamlOptions;
  /** Name of the header that brings API keys; null: no method reads one. */
  readonly apiKeyHeader: string | null;
  /** Null: requests are not signed, and nothing can be encrypted for us. */
  readonly key: ServiceProviderKey | null;
  readonly keys: Pick<SamlKeys, 'deflate' | 'encode' | 'digest'>;
  /** What is known of the identity provider. */
  readonly trust: Pick<IdentityProviderTrust, 'current' | 'hurry'>;
  readonly verifier: Pick<SamlDocumentVerifier, 'verifyResponse' | 'verifyLogoutRequest' | 'verifyLogoutResponse'>;
  /** Whatever else has documents verified for clients uses the same. */
  readonly shares: VerificationShares;
  readonly sessions: SignOnSessions;
  readonly requests: Pick<SignOnRequestStore, 'insert' | 'find' | 'take'>;
  readonly replays: Pick<ReplayStore, 'remember'>;
  readonly random: Pick<Random, 'uuid' | 'token'>;
  readonly digest: Pick<SecretDigest, 'sha256Hex' | 'equal'>;
  readonly clock: Pick<Clock, 'wallMs' | 'monotonicMs'>;
  readonly logger: Logger;
  readonly outcomes: SignOnOutcomes;
}
