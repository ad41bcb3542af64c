import type { AuthorizationRequest } from '../../../domain/agent/policy/evaluate/authorization-request.js';
import type { CompiledPolicies } from '../../../domain/agent/policy/evaluate/compile-policies.js';
import { decide } from '../../../domain/agent/policy/evaluate/decide.js';
import { type PolicyVerdict, type VerdictRules, verdict } from '../../../domain/agent/policy/policy-verdict.js';
import { eventTraceId } from '../../../domain/agent-protocol/event-trace-id.js';
import type { RequestHeadersEvent } from '../../../domain/agent-protocol/messages.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { Logger } from '../../ports/shared/logger.js';
import { OncePerPeriod } from '../../shared/once-per-period.js';
import { namedPolicies } from './authorization-outcome.js';
import { shownRequest } from './decision-log.js';

/** Between two lines on differences of one kind, at the least. */
export const shadowLineMs = 60_000;

/** Policies that are evaluated and never enforced: a difference is told, and nothing that goes wrong in them matters. */
export class ShadowPolicies {
  readonly #policies: CompiledPolicies;
  readonly #rules: VerdictRules;
  readonly #logger: Logger;
  readonly #lines: Readonly<Record<'allow' | 'deny', OncePerPeriod>>;
  readonly #failureLines: OncePerPeriod;

  constructor(policies: CompiledPolicies, rules: VerdictRules, logger: Logger, clock: Clock) {
    this.#policies = policies;
    this.#rules = rules;
    this.#logger = logger;
    this.#lines = { allow: new OncePerPeriod(clock, shadowLineMs), deny: new OncePerPeriod(clock, shadowLineMs) };
    this.#failureLines = new OncePerPeriod(clock, shadowLineMs);
  }

  /**
   * What these policies would decide, where that is not what was decided; else null.
   *
   * @param principal as policies write it
   */
  difference(
    request: AuthorizationRequest,
    enforced: PolicyVerdict,
    event: RequestHeadersEvent,
    principal: string | null,
  ): 'allow' | 'deny' | null {
    const shadow = this.#verdict(request, event);
    if (shadow === null || shadow.decision === enforced.decision) return null;
    const untold = this.#lines[shadow.decision].take();
    if (untold !== null) {
      this.#logger.warn('the shadow policies would decide otherwise', {
        enforced: enforced.decision,
        enforced_because: enforced.because,
        enforced_policies: namedPolicies(enforced.policies),
        shadow: shadow.decision,
        shadow_because: shadow.because,
        shadow_policies: namedPolicies(shadow.policies),
        ...shownRequest(event, principal),
        trace_id: eventTraceId(event),
        correlation_id: event.correlationId,
        route: event.metadata.routeId,
        untold,
      });
    }
    return shadow.decision;
  }

  /** Null where it failed: policies that are on trial must not refuse a request. */
  #verdict(request: AuthorizationRequest, event: RequestHeadersEvent): PolicyVerdict | null {
    try {
      return verdict(decide(this.#policies, request), this.#rules);
    } catch (error) {
      const untold = this.#failureLines.take();
      if (untold === null) return null;
      this.#logger.error('the shadow policies could not be evaluated', {
        trace_id: eventTraceId(event),
        correlation_id: event.correlationId,
        error: error instanceof Error ? error.message : String(error),
        untold,
      });
      return null;
    }
  }
}
