import type { ExchangeReason } from '../../../domain/agent/token-exchange/exchange-refusal.js';
import type { ExchangeRequest, PresentedToken } from '../../../domain/agent/token-exchange/exchange-request.js';
import type { SecurityToken } from '../../../domain/agent/token-exchange/security-token.js';
import type { RequestHeadersEvent } from '../../../domain/agent-protocol/messages.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { Cancellation } from '../../ports/shared/cancellation.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { Scheduler } from '../../ports/shared/scheduler.js';
import { CancellationSource } from '../../shared/cancellation/cancellation-source.js';
import { isCancelled } from '../../shared/cancellation/is-cancelled.js';
import { keyPatienceMs } from '../verify-tokens/provider-tokens.js';
import type { ExchangeFacts } from './exchange-facts.js';
import { type ExchangeStep, type Party, refusedFor } from './exchange-step.js';
import type { SecurityTokens } from './security-tokens.js';
import type { TokenFault } from './token-fault.js';

export interface VerifyPartiesParts {
  readonly tokens: Pick<SecurityTokens, 'verify'>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly scheduler: Pick<Scheduler, 'after'>;
}

/** The tokens of an exchange, verified. */
export interface VerifiedParties {
  readonly subject: SecurityToken;
  readonly actor: SecurityToken | null;
}

const invalidReasons: Readonly<Record<Party, ExchangeReason>> = {
  subject: 'invalid_subject_token',
  actor: 'invalid_actor_token',
};

/** Verifies the tokens of an exchange: the subject's, then the actor's. */
export class VerifyParties {
  readonly #parts: VerifyPartiesParts;

  constructor(parts: VerifyPartiesParts) {
    this.#parts = parts;
  }

  /** Keys are waited for as long as for one token, of both together: whoever waits for the answer waits no longer. */
  async verify(
    event: RequestHeadersEvent,
    { subject, actor }: ExchangeRequest,
    facts: ExchangeFacts,
    cancellation: Cancellation,
  ): Promise<ExchangeStep<VerifiedParties>> {
    const { tokens, clock } = this.#parts;
    const sinceMs = clock.monotonicMs();
    const ofSubject = await tokens.verify(subject, event, cancellation);
    const subjectToken = this.#judged(ofSubject, 'subject', cancellation);
    if (!subjectToken.ok) return subjectToken;
    facts.subject = subjectToken.value;
    if (actor === null) return ok({ subject: subjectToken.value, actor: null });
    // A document takes its time without any wait for keys.
    const waitedMs = subject.kind === 'saml2' ? 0 : clock.monotonicMs() - sinceMs;
    const ofActor =
      actor.kind === 'saml2'
        ? await tokens.verify(actor, event, cancellation)
        : await this.#verifyWithin(Math.max(0, keyPatienceMs - waitedMs), actor, event, cancellation);
    const actorToken = this.#judged(ofActor, 'actor', cancellation);
    if (!actorToken.ok) return actorToken;
    facts.actor = actorToken.value;
    return ok({ subject: subjectToken.value, actor: actorToken.value });
  }

  /** A token whose key is at hand is verified even where there is no time left. */
  async #verifyWithin(
    patienceMs: number,
    presented: PresentedToken,
    event: RequestHeadersEvent,
    cancellation: Cancellation,
  ): Promise<Result<SecurityToken, TokenFault>> {
    const { tokens, scheduler } = this.#parts;
    const source = new CancellationSource();
    const end = cancellation.onCancel(() => source.cancel());
    const deadline = scheduler.after(patienceMs, () => source.cancel());
    const verified = await tokens.verify(presented, event, source);
    deadline.cancel();
    end();
    // Where it is the client that has gone away its own cancellation says so.
    const ranOut = !verified.ok && verified.error.kind === 'cancelled';
    return ranOut ? err({ kind: 'keys_unavailable', detail: 'there is no time left to wait for keys' }) : verified;
  }

  #judged(
    verified: Result<SecurityToken, TokenFault>,
    party: Party,
    cancellation: Cancellation,
  ): ExchangeStep<SecurityToken> {
    if (isCancelled(cancellation)) return refusedFor('cancelled');
    if (verified.ok) return verified;
    const { kind, detail } = verified.error;
    return refusedFor(kind === 'invalid' ? invalidReasons[party] : kind, detail);
  }
}
