import type {
  AgentCallListener,
  AgentClient,
  AgentOutcome,
  AgentStatus,
  ConfigureOutcome,
} from '../../../src/application/ports/gateway/agent-client.js';
import type { AgentCapabilities } from '../../../src/domain/agent-protocol/capabilities.js';
import { type AgentEvent, allowAnswer, type CancelReason } from '../../../src/domain/agent-protocol/messages.js';
import { ok } from '../../../src/domain/shared/result.js';

/** A client whose agent answers what the test says. */
export class ScriptedAgent implements AgentClient {
  readonly events: AgentEvent[] = [];
  readonly cancels: CancelReason[] = [];
  said: AgentCapabilities | null = null;
  answer: (event: AgentEvent) => AgentOutcome = () => ok(allowAnswer);
  /** The outcome is there at once. */
  isPrompt = false;

  constructor(readonly name = 'auth') {}

  async ask(event: AgentEvent): Promise<AgentOutcome> {
    this.events.push(event);
    return this.answer(event);
  }

  askFor(event: AgentEvent, listener: AgentCallListener): AgentOutcome | null {
    if (this.isPrompt) {
      this.events.push(event);
      return this.answer(event);
    }
    void this.ask(event).then((outcome) => listener.answered(outcome));
    return null;
  }

  cancel(_correlationId: string, reason: CancelReason): void {
    this.cancels.push(reason);
  }

  async configure(): Promise<ConfigureOutcome> {
    return ok(undefined);
  }

  capabilities(): AgentCapabilities | null {
    return this.said;
  }

  onCapabilities(): void {}

  status(): AgentStatus {
    const counts = { connections: 1, inFlight: 0, queueDepth: 0 };
    const nothing = { health: null, breaker: null, refusal: null, unsupportedEvents: [] };
    return { name: this.name, state: 'healthy', ...counts, ...nothing };
  }

  conclude(): void {}
  reportTo(): void {}
  reportNow(): void {}
  start(): void {}
  retire(): void {}
  async stop(): Promise<void> {}
}
