import type {
  AgentCallListener,
  AgentClient,
  AgentOutcome,
  AgentReportReader,
  AgentStatus,
  AgentSuccession,
  ConfigureOutcome,
} from '../../../src/application/ports/gateway/agent-client.js';
import type { AgentCapabilities } from '../../../src/domain/agent-protocol/capabilities.js';
import type { AgentEvent } from '../../../src/domain/agent-protocol/messages.js';
import type { JsonObject } from '../../../src/domain/shared/json.js';
import { ok } from '../../../src/domain/shared/result.js';
import { fakeCapabilities } from '../agent/fake-agent-service.js';

/** A client that writes down what is done with it. */
export class FakeAgentClient implements AgentClient {
  readonly name: string;
  readonly calls: string[] = [];
  /** What the next configurations are answered. */
  outcome: ConfigureOutcome = ok(undefined);
  /** Who is told what it reports. */
  reader: AgentReportReader | null = null;
  #capabilities: AgentCapabilities | null = null;
  #onCapabilities: (() => void) | null = null;

  constructor(name: string) {
    this.name = name;
  }

  ask(): Promise<AgentOutcome> {
    return Promise.resolve({ ok: false, error: { code: 'unreachable', detail: 'a fake' } });
  }

  askFor(_event: AgentEvent, listener: AgentCallListener): null {
    void this.ask().then((outcome) => listener.answered(outcome));
    return null;
  }

  cancel(): void {}

  conclude(): void {}

  async configure(config: JsonObject | null): Promise<ConfigureOutcome> {
    this.calls.push(`configure ${JSON.stringify(config)}`);
    return this.outcome;
  }

  reportTo(reader: AgentReportReader): void {
    this.reader = reader;
  }

  reportNow(): void {}

  capabilities(): AgentCapabilities | null {
    return this.#capabilities;
  }

  onCapabilities(listener: () => void): void {
    this.#onCapabilities = listener;
  }

  /** As a handshake in which the agent declares these headers as its own. */
  declare(ownedHeaders: readonly string[]): void {
    this.#capabilities = { ...fakeCapabilities, ownedHeaders };
    this.#onCapabilities?.();
  }

  status(): AgentStatus {
    return {
      name: this.name,
      state: 'unreachable',
      connections: 0,
      inFlight: 0,
      queueDepth: 0,
      health: null,
      breaker: null,
      refusal: null,
      unsupportedEvents: [],
    };
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
