import type {
  AgentCallListener,
  AgentClient,
  AgentOutcome,
  AgentStatus,
  AgentSuccession,
  ConfigureOutcome,
} from '../../../src/application/ports/gateway/agent-client.js';
import type { AgentCapabilities } from '../../../src/domain/agent-protocol/capabilities.js';
import { type AgentEvent, allowAnswer, type CancelReason } from '../../../src/domain/agent-protocol/messages.js';
import { ok } from '../../../src/domain/shared/result.js';
import { fakeCapabilities } from '../agent/fake-agent-service.js';

/** A client that answers as the test says, and keeps what it was asked and told. */
export class ScriptedAgentClient implements AgentClient {
  readonly name: string;
  readonly events: AgentEvent[] = [];
  readonly cancels: { readonly correlationId: string; readonly reason: CancelReason }[] = [];
  /** Everything else that was called. */
  readonly calls: string[] = [];
  said: AgentCapabilities | null = fakeCapabilities;
  /** What each event comes to. */
  answer: (event: AgentEvent) => AgentOutcome | Promise<AgentOutcome> = () => ok(allowAnswer);

  constructor(name = 'auth') {
    this.name = name;
  }

  async ask(event: AgentEvent): Promise<AgentOutcome> {
    this.events.push(event);
    return this.answer(event);
  }

  askFor(event: AgentEvent, listener: AgentCallListener): null {
    void this.ask(event).then((outcome) => listener.answered(outcome));
    return null;
  }

  cancel(correlationId: string, reason: CancelReason): void {
    this.cancels.push({ correlationId, reason });
  }

  conclude(correlationId: string): void {
    this.calls.push(`conclude ${correlationId}`);
  }

  async configure(): Promise<ConfigureOutcome> {
    this.calls.push('configure');
    return ok(undefined);
  }

  capabilities(): AgentCapabilities | null {
    return this.said;
  }

  onCapabilities(): void {}

  status(): AgentStatus {
    return {
      name: this.name,
      state: 'degraded',
      connections: 3,
      inFlight: 2,
      queueDepth: 1,
      health: null,
      breaker: null,
      refusal: 'no',
      unsupportedEvents: [],
    };
  }

  reportTo(): void {
    this.calls.push('reportTo');
  }

  reportNow(): void {
    this.calls.push('reportNow');
  }

  start(): void {
    this.calls.push('start');
  }

  retire({ sameConfig, hasSuccessor }: AgentSuccession): void {
    this.calls.push(`retire ${sameConfig} ${hasSuccessor}`);
  }

  async stop(graceMs: number): Promise<void> {
    this.calls.push(`stop ${graceMs}`);
  }
}
