import type { Session } from '../../../domain/agent/sessions/session.js';
import {
  isOfThisRound,
  sessionAuthentication,
  type UnmetRequirement,
  unmetRequirement,
} from '../../../domain/agent/sessions/session-authentication.js';
import {
  type CombinedRequirement,
  combineRequirements,
  compileRequirements,
  pathOfReturn,
  type RequiredPath,
  requirementOf,
  type SessionRequirement,
  type SessionRequirements,
} from '../../../domain/agent/sessions/session-requirements.js';
import { returnTarget } from '../../../domain/agent/sign-on/return-target.js';
import { requestPath } from '../../../domain/http/path-normalisation.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { SecretDigest } from '../../ports/shared/secret-digest.js';

/** An active session that does not meet the requirement of a page. */
export interface InsufficientSession {
  readonly session: Session;
  readonly unmet: UnmetRequirement | 'impossible';
  /** What the page requires; null: no session can meet it. */
  readonly required: SessionRequirement | null;
  /** Whether another sign-on can help. False right after one for this page (ADR 0052). */
  readonly maySignOn: boolean;
}

/** What a sign-on requires of the provider. */
export interface SignOnRequirement extends Pick<SessionRequirement, 'acrValues' | 'maxAgeSecs'> {
  /** Whether it includes a `require` block: that of the page to which the sign-on returns. */
  readonly isForPage: boolean;
  /** Whether the way can meet the requirement of the page. */
  readonly canOpenPage: boolean;
}

export interface StepUpOptions {
  readonly required: readonly RequiredPath[];
  /** The tolerance for the clock of each provider, by the name of the way to sign on. */
  readonly clockSkewsMs: ReadonlyMap<string, number>;
  readonly digest: Pick<SecretDigest, 'sha256Hex'>;
  readonly clock: Pick<Clock, 'wallMs'>;
}

/** What the `require` blocks of one configuration require of sessions. */
export class StepUpRules {
  readonly #parts: StepUpOptions;
  readonly #requirements: SessionRequirements;

  constructor(parts: StepUpOptions) {
    this.#parts = parts;
    this.#requirements = compileRequirements(parts.required);
  }

  /** What a sign-on through one way requires of the provider, for the page to which it returns. */
  requirementFor(own: SessionRequirement, returnTo: string): SignOnRequirement {
    const required = this.#ofReturn(returnTo);
    const both = required === null || required === 'impossible' ? required : combineRequirements(required, own);
    return both === null || both === 'impossible'
      ? { ...own, isForPage: false, canOpenPage: both === null }
      : { ...both, isForPage: true, canOpenPage: true };
  }

  /** Names a page in its session: SHA-256 of the path. */
  pageHash(returnTo: string): string {
    return this.#parts.digest.sha256Hex(`page\n${pathOfReturn(returnTo) ?? '/'}`);
  }

  /** What the session lacks for the page at this URI; null: it suffices. */
  insufficiency(session: Session, uri: string): InsufficientSession | null {
    const path = requestPath(uri);
    const required = requirementOf(this.#requirements, path);
    if (required === null) return null;
    if (required === 'impossible') return { session, unmet: required, required: null, maySignOn: false };
    const authentication = sessionAuthentication(session);
    const nowMs = this.#parts.clock.wallMs();
    const clockSkewMs = this.#parts.clockSkewsMs.get(authentication.providerName ?? '') ?? 0;
    const unmet = unmetRequirement(authentication, required, { nowMs, clockSkewMs });
    if (unmet === null) return null;
    // No sign-on returns to a path without a normal form.
    const maySignOn = path !== null && !isOfThisRound(session, this.pageHash(returnTarget(uri)), nowMs);
    return { session, unmet, required, maySignOn };
  }

  #ofReturn(returnTo: string): CombinedRequirement | null {
    return requirementOf(this.#requirements, pathOfReturn(returnTo));
  }
}
