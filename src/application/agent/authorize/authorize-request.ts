import type { Identity } from '../../../domain/agent/identity/identity.js';
import type { AuthorizationRequest } from '../../../domain/agent/policy/evaluate/authorization-request.js';
import type { CompiledPolicies } from '../../../domain/agent/policy/evaluate/compile-policies.js';
import { decide } from '../../../domain/agent/policy/evaluate/decide.js';
import type { PolicyError } from '../../../domain/agent/policy/evaluate/decision.js';
import {
  type GatewayPrincipal,
  gatewayPrincipal,
  type PrincipalOptions,
  type PrincipalRefusal,
} from '../../../domain/agent/policy/gateway-model/gateway-principal.js';
import { gatewayRequest, splitUri } from '../../../domain/agent/policy/gateway-model/gateway-request.js';
import { type PolicyVerdict, type VerdictRules, verdict } from '../../../domain/agent/policy/policy-verdict.js';
import { formatEntityUid } from '../../../domain/agent/policy/values/entity-uid.js';
import { eventTraceId } from '../../../domain/agent-protocol/event-trace-id.js';
import type { RequestHeadersEvent } from '../../../domain/agent-protocol/messages.js';
import { firstHeader } from '../../../domain/http/header-list.js';
import { mergeObjects } from '../../../domain/shared/merge-objects.js';
import type { Result } from '../../../domain/shared/result.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { LogFields, Logger } from '../../ports/shared/logger.js';
import { OncePerPeriod } from '../../shared/once-per-period.js';
import { type AuthorizationOutcome, type DenialReason, namedPolicies } from './authorization-outcome.js';

const maximumNamedErrors = 5;
/** Maximum length of a request's text in a log line. */
const maximumShown = 1_024;

/** A decision to log. */
interface LoggedDecision {
  readonly decision: 'allow' | 'deny';
  readonly because: string;
  readonly policies: readonly string[];
  readonly errors: readonly PolicyError[];
}

/** Truncates a text of the request for the log. Never pass the query: it may contain secrets. */
const shown = (text: string): string => (text.length > maximumShown ? `${text.slice(0, maximumShown)}...` : text);

/**
 * The principal, action and resource of a request, for the log. Contains no claims, no query, and no value of the
 * request except its path.
 * @param principal in policy syntax; null if the identity yields none
 */
const shownRequest = (
  event: RequestHeadersEvent,
  principal: string | null,
): { readonly principal: string | null; readonly action: string; readonly resource: string } => ({
  principal: principal === null ? null : shown(principal),
  action: shown(event.method),
  resource: shown(splitUri(event.uri).path),
});

const shownError = ({ policyId, error }: PolicyError): string => `${policyId}: ${error.code}: ${error.message}`;

/** Logs one decision. `principal` as for `shownRequest`. */
const logDecision = (
  logger: Logger,
  event: RequestHeadersEvent,
  identity: Identity | null,
  principal: string | null,
  { decision, because, policies, errors }: LoggedDecision,
): void => {
  const fields: LogFields = {
    decision,
    because,
    policies: namedPolicies(policies),
    ...shownRequest(event, principal),
    method: identity?.method ?? 'none',
    trace_id: eventTraceId(event),
    correlation_id: event.correlationId,
    client_ip: event.metadata.clientIp,
    route: event.metadata.routeId,
  };
  const failed = errors.length > 0 ? { errors: errors.slice(0, maximumNamedErrors).map(shownError) } : null;
  logger.info('authorization decided', failed === null ? fields : mergeObjects(fields, failed));
};

/** Minimum interval between log lines about differences of one kind. */
export const shadowLineMs = 60_000;

/** Policies that are evaluated but not enforced. Reports differences; errors in them have no effect. */
class ShadowPolicies {
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
   * The decision of the shadow policies if it differs from the enforced one; otherwise null.
   * @param principal in policy syntax
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
      this.#logger.warn('the shadow policies decide differently', {
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

  /** Null on an error: shadow policies must not refuse a request. */
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

export interface AuthorizationOptions {
  readonly policies: CompiledPolicies;
  /** Number of enforced policies, for the log. */
  readonly policyCount: number;
  /** Evaluated but not enforced; null: none. */
  readonly shadow: CompiledPolicies | null;
  readonly rules: VerdictRules;
  readonly principal: PrincipalOptions;
  readonly logger: Logger;
  readonly clock: Clock;
}

interface Principal {
  readonly principal: Result<GatewayPrincipal, PrincipalRefusal>;
  /** In policy syntax, for the log. */
  readonly text: string | null;
}

const denialReasons: Readonly<Record<PolicyVerdict['because'], DenialReason>> = {
  policies: 'denied_by_policy',
  default: 'default_deny',
  error: 'policy_error',
};

/** Decides requests with the policies. Does not cache decisions. */
export class AuthorizeRequest {
  readonly policyCount: number;
  readonly #policies: CompiledPolicies;
  readonly #shadow: ShadowPolicies | null;
  readonly #rules: VerdictRules;
  readonly #options: PrincipalOptions;
  readonly #logger: Logger;
  readonly #anonymous: Principal;
  /** The principal of an identity, cached for as long as the identity. */
  readonly #principals = new WeakMap<Identity, Principal>();

  constructor({ policies, policyCount, shadow, rules, principal, logger, clock }: AuthorizationOptions) {
    this.policyCount = policyCount;
    this.#policies = policies;
    this.#shadow = shadow === null ? null : new ShadowPolicies(shadow, rules, logger, clock);
    this.#rules = rules;
    this.#options = principal;
    this.#logger = logger;
    this.#anonymous = this.#prepare(null);
  }

  /** A null identity is judged as the anonymous principal. */
  authorize(event: RequestHeadersEvent, identity: Identity | null): AuthorizationOutcome {
    const { principal, text } = this.#principalOf(identity);
    if (!principal.ok) {
      const because = principal.error;
      logDecision(this.#logger, event, identity, null, { decision: 'deny', because, policies: [], errors: [] });
      return { decision: 'deny', reason: because, policies: [], shadow: null };
    }
    const request = gatewayRequest(principal.value, {
      method: event.method,
      uri: event.uri,
      host: firstHeader(event.headers, 'host') ?? null,
      clientIp: event.metadata.clientIp,
      correlationId: event.correlationId,
    });
    const decided = verdict(decide(this.#policies, request), this.#rules);
    logDecision(this.#logger, event, identity, text, decided);
    return {
      decision: decided.decision,
      reason: decided.decision === 'allow' ? null : denialReasons[decided.because],
      policies: namedPolicies(decided.policies),
      shadow: this.#shadow?.difference(request, decided, event, text) ?? null,
    };
  }

  #principalOf(identity: Identity | null): Principal {
    if (identity === null) return this.#anonymous;
    const known = this.#principals.get(identity);
    if (known !== undefined) return known;
    const prepared = this.#prepare(identity);
    this.#principals.set(identity, prepared);
    return prepared;
  }

  #prepare(identity: Identity | null): Principal {
    const principal = gatewayPrincipal(identity, this.#options);
    return { principal, text: principal.ok ? formatEntityUid(principal.value.entity.uid) : null };
  }
}
