import { isBodyChunk } from '../../../domain/agent-protocol/answer-rules.js';
import type { AgentFailureCode } from '../../../domain/agent-protocol/failure-rules.js';
import type { AgentEvent } from '../../../domain/agent-protocol/messages.js';
import {
  type CircuitBreaker,
  type CircuitBreakerRules,
  type CircuitState,
  circuitStateOf,
  closedBreaker,
  mayCall,
  noteAbandoned,
  noteFailure,
  noteSuccess,
} from '../../../domain/gateway/circuit-breaking/circuit-breaker.js';
import type { AgentOutcome } from '../../ports/gateway/agent-client.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { Logger } from '../../ports/shared/logger.js';

/** Which failures say that an agent does not work. The others are the gateway's own doing, or say nothing of the agent. */
const isAgentsFault: Readonly<Record<AgentFailureCode, boolean>> = {
  unreachable: true,
  disconnected: true,
  timed_out: true,
  malformed_answer: true,
  refused: true,
  unhealthy: true,
  response_too_large: true,
  cancelled: false,
  queue_full: false,
  unsupported_event: false,
  circuit_open: false,
};

/** What a call was let through as: in a period of the breaker, or beside it, so that its outcome is not noted. */
export type BreakerAdmission = { readonly period: number | null };

const uncounted: BreakerAdmission = { period: null };

/** The circuit breaker of one agent: decides which calls are made, by what came of those before. */
export class AgentBreaker {
  readonly #agent: string;
  readonly #rules: CircuitBreakerRules;
  readonly #clock: Clock;
  readonly #logger: Logger;
  #breaker: CircuitBreaker = closedBreaker;
  #admission: BreakerAdmission = { period: closedBreaker.period };

  constructor(agent: string, rules: CircuitBreakerRules, clock: Clock, logger: Logger) {
    this.#agent = agent;
    this.#rules = rules;
    this.#clock = clock;
    this.#logger = logger;
  }

  get state(): CircuitState {
    return circuitStateOf(this.#breaker, this.#clock.monotonicMs());
  }

  /**
   * Null where the call must not be made. A piece of a body always may: its head was let through, and the message is
   * held meanwhile. It is never a probe; a probe that opens a dialogue has come to something with its first answer. Nor
   * is the end of a request held back, which nobody waits for: the agent may keep something until then.
   */
  admit(event: AgentEvent): BreakerAdmission | null {
    if (event.kind === 'request_complete') return uncounted;
    if (this.#breaker.state === 'closed') return this.#admission;
    if (isBodyChunk(event)) return uncounted;
    const { state, allowed } = mayCall(this.#breaker, this.#rules, this.#clock.monotonicMs());
    this.#become(state, null);
    return allowed ? this.#admission : null;
  }

  /** The call that was admitted is over. Has to be told once of each. */
  note(admission: BreakerAdmission, outcome: AgentOutcome): void {
    // The breaker has changed its mind since: this outcome belongs to the time before.
    if (admission.period !== this.#breaker.period) return;
    if (outcome.ok) this.#become(noteSuccess(this.#breaker), null);
    else if (!isAgentsFault[outcome.error.code]) this.#become(noteAbandoned(this.#breaker), null);
    else {
      const nowMs = this.#clock.monotonicMs();
      this.#become(noteFailure(this.#breaker, this.#rules, nowMs), outcome.error.code);
    }
  }

  #become(breaker: CircuitBreaker, failure: AgentFailureCode | null): void {
    const isChange = breaker.period !== this.#breaker.period;
    this.#breaker = breaker;
    if (!isChange) return;
    this.#admission = { period: breaker.period };
    const fields = { agent: this.#agent };
    switch (breaker.state) {
      case 'open':
        this.#logger.warn('Agent circuit breaker open', {
          ...fields,
          last_failure: failure,
          open_ms: this.#rules.openMs,
        });
        return;
      case 'half_open':
        this.#logger.info('Agent circuit breaker half-open', fields);
        return;
      case 'closed':
        this.#logger.info('Agent circuit breaker closed', fields);
    }
  }
}
