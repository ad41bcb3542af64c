import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AgentOutcome } from '../../../../../src/application/ports/gateway/agent-client.js';
import type { ConnectionEnd } from '../../../../../src/application/ports/gateway/agent-connector.js';
import type { AgentState } from '../../../../../src/domain/agent-protocol/health.js';
import { type AgentEvent, allowAnswer, emptyAudit } from '../../../../../src/domain/agent-protocol/messages.js';
import { err } from '../../../../../src/domain/shared/result.js';
import {
  capabilitiesWith,
  type FakeAgentConnection,
  healthOf,
} from '../../../../support/gateway/fake-agent-connector.js';
import { type FakeAgentPool, startFakePool } from '../../../../support/gateway/fake-agent-pool.js';
import { chunkEvent, headersEvent } from '../../../../support/shared/agent-events.js';
import { settled } from '../../../../support/shared/manual-scheduler.js';

const ids = ['r0', 'r1', 'r2', 'r3', 'r4', 'r5'] as const;
const concurrency = 4;
const queue = 5;
const capabilities = capabilitiesWith({ concurrentRequests: concurrency });

type EventKind = 'head' | 'chunk' | 'last' | 'response' | 'response chunk';

type Command =
  | { readonly do: 'ask'; readonly id: string; readonly kind: EventKind }
  | { readonly do: 'answer'; readonly which: number; readonly needsMore: boolean }
  | { readonly do: 'answer badly'; readonly which: number }
  | { readonly do: 'answer for another'; readonly which: number; readonly id: string }
  | { readonly do: 'cancel'; readonly id: string }
  | { readonly do: 'pass time'; readonly ms: number }
  | { readonly do: 'end'; readonly which: number; readonly kind: ConnectionEnd['kind'] }
  | { readonly do: 'pause' | 'resume'; readonly which: number; readonly id: string | null }
  | { readonly do: 'report'; readonly which: number; readonly state: AgentState }
  | { readonly do: 'be busy' | 'have room'; readonly which: number };

const which = fc.nat({ max: 20 });
const id = fc.constantFrom(...ids);
const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('ask' as const),
      id,
      kind: fc.constantFrom<EventKind>('head', 'head', 'chunk', 'last', 'response', 'response chunk'),
    }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('answer' as const), which, needsMore: fc.boolean() }) },
  fc.record({ do: fc.constant('answer badly' as const), which }),
  { weight: 2, arbitrary: fc.record({ do: fc.constant('answer for another' as const), which, id }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('cancel' as const), id }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('pass time' as const), ms: fc.nat({ max: 900 }) }) },
  fc.record({
    do: fc.constant('end' as const),
    which,
    kind: fc.constantFrom<ConnectionEnd['kind']>('ended', 'malformed', 'given_up'),
  }),
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom('pause' as const, 'resume' as const), which, id: fc.option(id) }),
  },
  fc.record({
    do: fc.constant('report' as const),
    which,
    state: fc.constantFrom<AgentState>('healthy', 'healthy', 'degraded', 'draining', 'unhealthy'),
  }),
  fc.record({ do: fc.constantFrom('be busy' as const, 'have room' as const), which }),
);

/** Numbers each event in a field that nothing depends on. */
const eventOf = (kind: EventKind, correlationId: string, serial: number): AgentEvent => {
  switch (kind) {
    case 'head':
      return headersEvent(correlationId, { uri: `/${serial}` });
    case 'chunk':
    case 'last':
      return chunkEvent(correlationId, { totalSize: serial, isLast: kind === 'last' });
    case 'response':
      return { kind: 'response_headers', correlationId, status: 200, headers: ['x-serial', `${serial}`] };
    case 'response chunk': {
      const body = { data: new Uint8Array(0), isLast: false, chunkIndex: 0, bytesSent: 0 };
      return { kind: 'response_body_chunk', correlationId, totalSize: serial, ...body };
    }
  }
};

const serialOf = (event: AgentEvent): number => {
  switch (event.kind) {
    case 'request_headers':
      return Number(event.uri.slice(1));
    case 'response_headers':
      return Number(event.headers[1]);
    case 'request_complete':
      return -1;
    default:
      return event.totalSize ?? -1;
  }
};

/** The model of a pool and its calls. */
class Scene {
  readonly #pool: FakeAgentPool;
  readonly #outcomes = new Map<number, AgentOutcome>();
  readonly #answered = new Set<number>();
  /** The number of events that each connection had sent when it was paused. */
  readonly #paused = new Map<FakeAgentConnection, number>();
  /** Connections after their handshake. */
  readonly #greeted: Set<FakeAgentConnection>;
  #asked = 0;

  constructor(pool: FakeAgentPool) {
    this.#pool = pool;
    this.#greeted = new Set(pool.connector.standing);
  }

  ask(kind: EventKind, correlationId: string): void {
    this.#asked += 1;
    const serial = this.#asked;
    void this.#pool.client.ask(eventOf(kind, correlationId, serial)).then((outcome) => {
      expect(this.#outcomes.has(serial)).toBe(false);
      this.#outcomes.set(serial, outcome);
    });
  }

  async run(step: Command): Promise<void> {
    const { client, scheduler } = this.#pool;
    switch (step.do) {
      case 'ask':
        this.ask(step.kind, step.id);
        break;
      case 'answer':
        this.answer(step.which, step.needsMore);
        break;
      case 'answer badly': {
        const pending = this.#pending(step.which);
        if (pending === null) break;
        this.#answered.add(serialOf(pending.event));
        pending.connection.listener.onAnswer(pending.event.correlationId, err('no answer at all'));
        break;
      }
      case 'answer for another': {
        // An id that is unknown on this connection.
        const connection = this.#standing(step.which);
        const isItsOwn = connection?.events.some(
          (event) => event.correlationId === step.id && !this.#answered.has(serialOf(event)),
        );
        if (isItsOwn === false) connection?.answer(step.id, { audit: { ...emptyAudit, tags: ['forged'] } });
        break;
      }
      case 'cancel':
        client.cancel(step.id, 'client_disconnect');
        break;
      case 'pass time':
        await scheduler.advance(step.ms);
        this.#greet();
        break;
      case 'end':
        this.#standing(step.which)?.end({ kind: step.kind, detail: 'gone' });
        break;
      case 'pause':
      case 'resume':
        this.#setPace(step.do, this.#standing(step.which), step.id);
        break;
      case 'report':
        this.#standing(step.which)?.listener.onHealth(healthOf(step.state));
        break;
      case 'be busy':
      case 'have room': {
        const connection = this.#standing(step.which);
        if (connection === undefined) break;
        connection.isBusy = step.do === 'be busy';
        if (!connection.isBusy) connection.listener.onRoom();
      }
    }
    await settled();
    this.#check();
  }

  /** Whether a call was pending. */
  answer(number: number, needsMore: boolean): boolean {
    const pending = this.#pending(number);
    if (pending === null) return false;
    const serial = serialOf(pending.event);
    this.#answered.add(serial);
    pending.connection.answer(pending.event.correlationId, {
      ...allowAnswer,
      needsMore,
      audit: { ...emptyAudit, tags: [`${serial}`] },
    });
    return true;
  }

  /** After any history, each id can be used again and gets its own answer. */
  async expectEnd(): Promise<void> {
    const { client, connector, scheduler } = this.#pool;
    for (const connection of [...connector.standing]) connection.end();
    await scheduler.advance(20_000);
    this.#greet();
    expect(this.#outcomes.size).toBe(this.#asked);
    for (const each of ids) this.ask('head', each);
    expect(client.status()).toMatchObject({ connections: 3, inFlight: concurrency, queueDepth: 2 });
    while (this.answer(0, false));
    await settled();
    this.#check();
    for (let index = 0; index < ids.length; index += 1) {
      expect(this.#outcomes.get(this.#asked - index)).toMatchObject({ ok: true });
    }
    await client.stop(0);
    expect(client.status()).toMatchObject({ connections: 0, inFlight: 0, queueDepth: 0 });
    expect(scheduler.waiting).toBe(0);
    expect(connector.standing).toHaveLength(0);
  }

  #check(): void {
    const sent = this.#pool.connector.connections.flatMap(({ events }) => events.map(serialOf));
    expect(new Set(sent).size).toBe(sent.length);
    const inFlight = sent.filter((serial) => !this.#outcomes.has(serial)).length;
    const status = this.#pool.client.status();
    expect(status).toMatchObject({ inFlight, queueDepth: this.#asked - this.#outcomes.size - inFlight });
    expect(status.inFlight).toBeLessThanOrEqual(concurrency);
    expect(status.queueDepth).toBeLessThanOrEqual(queue);
    for (const [serial, outcome] of this.#outcomes) {
      if (outcome.ok) expect(outcome.value.audit.tags).toEqual([`${serial}`]);
    }
    for (const [connection, count] of this.#paused) expect(connection.events).toHaveLength(count);
  }

  #setPace(pace: 'pause' | 'resume', connection: FakeAgentConnection | undefined, correlationId: string | null): void {
    if (connection === undefined) return;
    if (correlationId === null && pace === 'pause') this.#paused.set(connection, connection.events.length);
    if (correlationId === null && pace === 'resume') this.#paused.delete(connection);
    connection.listener.onFlowControl({ action: pace, correlationId, bufferAvailable: null });
  }

  /** Connections that were opened since. */
  #greet(): void {
    for (const connection of this.#pool.connector.standing) {
      if (this.#greeted.has(connection)) continue;
      this.#greeted.add(connection);
      connection.ready(capabilities);
    }
  }

  #standing(number: number): FakeAgentConnection | undefined {
    const standing = this.#pool.connector.standing.filter((connection) => this.#greeted.has(connection));
    return standing[number % Math.max(1, standing.length)];
  }

  /** An event without an answer, with or without a pending call. */
  #pending(number: number): { readonly connection: FakeAgentConnection; readonly event: AgentEvent } | null {
    const pending = this.#pool.connector.standing.flatMap((connection) =>
      connection.events.filter((event) => !this.#answered.has(serialOf(event))).map((event) => ({ connection, event })),
    );
    return pending[number % Math.max(1, pending.length)] ?? null;
  }
}

describe('a PooledAgentClient', () => {
  it('gives each call its own answer or a failure, once, and leaks nothing, for any behaviour of the agent', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 20, maxLength: 120, size: 'max' }), async (commands) => {
        const pool = await startFakePool({ connections: 3, maxQueueDepth: queue, timeoutMs: 1_000, capabilities });
        const scene = new Scene(pool);
        for (const step of commands) await scene.run(step);
        await scene.expectEnd();
      }),
      { numRuns: 60 },
    );
  });
});
