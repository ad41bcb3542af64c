import type { Identity } from '../../../domain/agent/identity/identity.js';
import type { CompiledPolicies } from '../../../domain/agent/policy/evaluate/compile-policies.js';
import { decide } from '../../../domain/agent/policy/evaluate/decide.js';
import {
  type GatewayPrincipal,
  gatewayPrincipal,
  type PrincipalOptions,
  type PrincipalRefusal,
} from '../../../domain/agent/policy/gateway-model/gateway-principal.js';
import { gatewayRequest } from '../../../domain/agent/policy/gateway-model/gateway-request.js';
import { type PolicyVerdict, type VerdictRules, verdict } from '../../../domain/agent/policy/policy-verdict.js';
import { formatEntityUid } from '../../../domain/agent/policy/values/entity-uid.js';
import type { RequestHeadersEvent } from '../../../domain/agent-protocol/messages.js';
import { firstHeader } from '../../../domain/http/header-list.js';
import type { Result } from '../../../domain/shared/result.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { Logger } from '../../ports/shared/logger.js';
import { type AuthorizationOutcome, type DenialReason, namedPolicies } from './authorization-outcome.js';
import { logDecision } from './decision-log.js';
import { ShadowPolicies } from './shadow-policies.js';

/** What requests are authorized by. */
export interface AuthorizationParts {
  readonly policies: CompiledPolicies;
  /** Policies of `policies`, for those who read the log. */
  readonly policyCount: number;
  /** Evaluated beside them, never enforced; null: none. */
  readonly shadow: CompiledPolicies | null;
  readonly rules: VerdictRules;
  readonly principal: PrincipalOptions;
  readonly logger: Logger;
  readonly clock: Clock;
}

interface Principal {
  readonly principal: Result<GatewayPrincipal, PrincipalRefusal>;
  /** As policies write it, for the log. */
  readonly text: string | null;
}

const denialReasons: Readonly<Record<PolicyVerdict['because'], DenialReason>> = {
  policies: 'denied_by_policy',
  default: 'default_deny',
  error: 'policy_error',
};

/** Lets the policies decide about requests. Every request is decided anew: no decision is remembered. */
export class AuthorizeRequest {
  readonly policyCount: number;
  readonly #policies: CompiledPolicies;
  readonly #shadow: ShadowPolicies | null;
  readonly #rules: VerdictRules;
  readonly #options: PrincipalOptions;
  readonly #logger: Logger;
  readonly #anonymous: Principal;
  /** What policies see of an identity, made once and for as long as the identity is remembered. */
  readonly #principals = new WeakMap<Identity, Principal>();

  constructor({ policies, policyCount, shadow, rules, principal, logger, clock }: AuthorizationParts) {
    this.policyCount = policyCount;
    this.#policies = policies;
    this.#shadow = shadow === null ? null : new ShadowPolicies(shadow, rules, logger, clock);
    this.#rules = rules;
    this.#options = principal;
    this.#logger = logger;
    this.#anonymous = this.#prepare(null);
  }

  /** Null stands for a request without an identity that may go on: it is judged as the anonymous principal. */
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
