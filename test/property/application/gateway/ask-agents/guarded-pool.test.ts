import fc from 'fast-check';
import { expect, it } from 'vitest';
import { GuardedAgentClient } from '../../../../../src/application/gateway/ask-agents/guarded-agent-client.js';
import type { AgentOutcome } from '../../../../../src/application/ports/gateway/agent-client.js';
import type { ConnectionEnd } from '../../../../../src/application/ports/gateway/agent-connector.js';
import type { AgentFailureCode } from '../../../../../src/domain/agent-protocol/failure-rules.js';
import type { AgentState } from '../../../../../src/domain/agent-protocol/health.js';
import type { CircuitBreakerRules } from '../../../../../src/domain/gateway/circuit-breaking/circuit-breaker.js';
import { err } from '../../../../../src/domain/shared/result.js';
import {
  capabilitiesWith,
  type FakeAgentConnection,
  healthOf,
} from '../../../../support/gateway/fake-agent-connector.js';
import { type FakeAgentPool, fakePool } from '../../../../support/gateway/fake-agent-pool.js';
import { headersEvent } from '../../../../support/shared/agent-events.js';
import { settled } from '../../../../support/shared/manual-scheduler.js';

const openMs = 500;
const timeoutMs = 300;

type Command =
  | { readonly do: 'ask'; readonly isSupported: boolean }
  | { readonly do: 'answer' | 'answer badly' | 'answer at length'; readonly which: number }
  | { readonly do: 'cancel'; readonly which: number }
  | { readonly do: 'greet' }
  | { readonly do: 'pass time'; readonly ms: number }
  | { readonly do: 'end'; readonly which: number; readonly kind: ConnectionEnd['kind'] }
  | { readonly do: 'report'; readonly which: number; readonly state: AgentState };

const which = fc.nat({ max: 20 });
const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constant('ask' as const), isSupported: fc.integer({ max: 9, min: 0 }).map(Boolean) }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('answer' as const), which }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom('answer badly' as const, 'answer at length' as const), which }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('cancel' as const), which }) },
  { weight: 2, arbitrary: fc.constant({ do: 'greet' as const }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('pass time' as const), ms: fc.nat({ max: 400 }) }) },
  fc.record({
    do: fc.constant('end' as const),
    which,
    kind: fc.constantFrom<ConnectionEnd['kind']>('ended', 'malformed', 'refused', 'given_up'),
  }),
  fc.record({
    do: fc.constant('report' as const),
    which,
    state: fc.constantFrom<AgentState>('healthy', 'healthy', 'unhealthy', 'draining'),
  }),
);

const capabilities = capabilitiesWith();
/** All events except the completion event. */
const supported = {
  ...capabilities,
  supportedEvents: capabilities.supportedEvents.filter((name) => name !== 'request_complete'),
};

/** The model of an agent that fails at random, and of the calls to it. */
class Scene {
  readonly #pool: FakeAgentPool = fakePool({ connections: 2, timeoutMs, maxQueueDepth: 3 });
  readonly #rules: CircuitBreakerRules;
  readonly #client: GuardedAgentClient;
  readonly #outcomes = new Map<string, AgentFailureCode | 'answered'>();
  readonly #answered = new Set<string>();
  readonly #greeted = new Set<FakeAgentConnection>();
  /** Calls that were admitted since the breaker last became half-open. */
  readonly #probes = new Set<string>();
  #asked = 0;

  constructor(rules: CircuitBreakerRules) {
    this.#rules = rules;
    const { clock, logger, client } = this.#pool;
    const events = supported.supportedEvents.flatMap((name) => (name === 'request_headers' ? [name] : []));
    this.#client = new GuardedAgentClient(
      client,
      { breaker: rules, maxResponseBytes: 1_000, events },
      { clock, logger },
    );
    this.#client.start();
  }

  get #openIds(): readonly string[] {
    return Array.from({ length: this.#asked }, (_, index) => `r${index}`).filter((id) => !this.#outcomes.has(id));
  }

  async run(step: Command): Promise<void> {
    switch (step.do) {
      case 'ask':
        await this.ask(step.isSupported);
        break;
      case 'cancel': {
        const id = this.#openIds[step.which % Math.max(1, this.#openIds.length)];
        if (id !== undefined) this.#client.cancel(id, 'client_disconnect');
        break;
      }
      case 'greet':
        this.greet();
        break;
      case 'pass time':
        await this.#pool.scheduler.advance(step.ms);
        break;
      case 'end':
        this.#standing(step.which)?.end({ kind: step.kind, detail: 'gone' });
        break;
      case 'report': {
        const connection = this.#standing(step.which);
        if (connection !== undefined && this.#greeted.has(connection)) {
          connection.listener.onHealth(healthOf(step.state));
        }
        break;
      }
      default:
        this.answer(step.do, step.which);
    }
    await settled();
    this.#check();
  }

  /** The immediate outcome; null: the call is admitted and pending. */
  async ask(isSupported: boolean): Promise<AgentFailureCode | 'answered' | null> {
    const id = `r${this.#asked}`;
    this.#asked += 1;
    const state = this.#client.status().breaker;
    const event = isSupported
      ? headersEvent(id)
      : ({
          kind: 'request_complete',
          correlationId: id,
          status: 200,
          durationMs: 1,
          requestBodySize: 0,
          responseBodySize: 0,
          upstreamAttempts: 1,
          upstream: null,
          error: null,
        } as const);
    void Promise.resolve(this.#client.ask(event)).then((outcome: AgentOutcome) => {
      expect(this.#outcomes.has(id)).toBe(false);
      this.#outcomes.set(id, outcome.ok ? 'answered' : outcome.error.code);
    });
    await settled();
    const outcome = this.#outcomes.get(id) ?? null;
    if (!isSupported) {
      // The completion event is sent in every state, and is no probe.
      expect(outcome).not.toBe('circuit_open');
      return outcome;
    }
    if (state === 'open') expect(outcome).toBe('circuit_open');
    if (state === 'closed') expect(outcome).not.toBe('circuit_open');
    if (state === 'half_open' && outcome === null) this.#probes.add(id);
    return outcome;
  }

  answer(how: 'answer' | 'answer badly' | 'answer at length', number: number): void {
    const pending = this.#pool.connector.standing.flatMap((connection) =>
      connection.sentIds.filter((id) => !this.#answered.has(id)).map((id) => ({ connection, id })),
    );
    const chosen = pending[number % Math.max(1, pending.length)];
    if (chosen === undefined) return;
    const { connection, id } = chosen;
    this.#answered.add(id);
    if (how === 'answer badly') connection.listener.onAnswer(id, err('no answer at all'));
    else if (how === 'answer') connection.answer(id);
    else connection.answer(id, { decision: { kind: 'block', status: 403, body: 'x'.repeat(2_000), headers: [] } });
  }

  greet(): void {
    for (const connection of this.#pool.connector.standing) {
      if (this.#greeted.has(connection)) continue;
      this.#greeted.add(connection);
      connection.ready(supported);
    }
  }

  /** After the agent recovers, the breaker closes after its open time and one call, and no state is left. */
  async expectRecovery(): Promise<void> {
    const { connector, scheduler } = this.#pool;
    for (const connection of [...connector.standing]) connection.end();
    // Longer than the longest backoff.
    await scheduler.advance(6_000);
    this.greet();
    await scheduler.advance(timeoutMs);
    expect(this.#openIds).toEqual([]);
    await scheduler.advance(openMs);
    expect(this.#client.status()).toMatchObject({ connections: 2, inFlight: 0, queueDepth: 0 });
    for (let time = 0; time < 3; time += 1) {
      expect(await this.ask(true)).toBeNull();
      this.answer('answer', 0);
      await settled();
      expect(this.#outcomes.get(`r${this.#asked - 1}`)).toBe('answered');
      expect(this.#client.status().breaker).toBe('closed');
    }
    await this.#client.stop(0);
    expect(scheduler.waiting).toBe(0);
  }

  #check(): void {
    if (this.#client.status().breaker !== 'half_open') this.#probes.clear();
    for (const id of this.#probes) if (this.#outcomes.has(id)) this.#probes.delete(id);
    expect(this.#probes.size).toBeLessThanOrEqual(this.#rules.probes);
  }

  #standing(number: number): FakeAgentConnection | undefined {
    const { standing } = this.#pool.connector;
    return standing[number % Math.max(1, standing.length)];
  }
}

it('a half-open breaker admits only its probes, and closes when the agent has recovered, after any history', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(command, { minLength: 20, maxLength: 100, size: 'max' }),
      fc.record({ failureThreshold: fc.integer({ min: 1, max: 3 }), probes: fc.integer({ min: 1, max: 3 }) }),
      async (commands, rules) => {
        const scene = new Scene({ ...rules, openMs });
        await settled();
        for (const step of commands) await scene.run(step);
        await scene.expectRecovery();
      },
    ),
    { numRuns: 60 },
  );
});
