import type { AgentService, ConfigurationGiver } from '../../../src/application/ports/agent/agent-service.js';
import type { MaybePromise } from '../../../src/application/ports/shared/maybe-promise.js';
import {
  type AgentCapabilities,
  type AgentEventName,
  defaultAgentLimits,
} from '../../../src/domain/agent-protocol/capabilities.js';
import type { AgentHealth, AgentState } from '../../../src/domain/agent-protocol/health.js';
import {
  type AgentAnswer,
  type AgentEvent,
  allowAnswer,
  type CancelReason,
} from '../../../src/domain/agent-protocol/messages.js';
import type { MetricsReport } from '../../../src/domain/agent-protocol/metrics-report.js';
import type { JsonObject } from '../../../src/domain/shared/json.js';
import { err, ok, type Result } from '../../../src/domain/shared/result.js';
import { eventually } from '../shared/eventually.js';

export const fakeCapabilities: AgentCapabilities = {
  agentId: 'fake-1',
  name: 'fake',
  version: '1.2.3',
  supportedEvents: ['request_headers', 'request_body_chunk', 'configure'],
  features: {
    streamingBody: true,
    websocket: false,
    guardrails: false,
    configPush: true,
    metricsExport: true,
    cancellation: true,
    flowControl: false,
    healthReporting: true,
    concurrentRequests: 100,
  },
  limits: defaultAgentLimits,
  ownedHeaders: ['X-User-Id', 'X-Auth-Claim-*'],
};

/** An agent that does what the test says. A configuration with a member `refuse` is refused for that reason. */
export class FakeAgentService implements AgentService {
  readonly events: AgentEvent[] = [];
  /** The connection that each of them came by. */
  readonly origins: symbol[] = [];
  readonly cancels: { readonly correlationId: string; readonly reason: CancelReason }[] = [];
  readonly configs: (JsonObject | null)[] = [];
  readonly givers: ConfigurationGiver[] = [];
  readonly connections = new Set<symbol>();
  disconnects = 0;
  stops = 0;
  maxConcurrency = defaultAgentLimits.maxConcurrency;
  supportedEvents: readonly AgentEventName[] = fakeCapabilities.supportedEvents;
  state: AgentState = 'healthy';
  report: MetricsReport = {
    agentId: 'fake-1',
    timestampMs: 5,
    intervalMs: 10_000,
    counters: [],
    gauges: [],
    histograms: [],
  };
  /** What each event is answered. */
  answer: (event: AgentEvent) => AgentAnswer | Promise<AgentAnswer> = () => allowAnswer;
  /** What can be answered at once is. */
  isPrompt = false;
  readonly #listeners = new Set<(health: AgentHealth) => void>();

  capabilities(): AgentCapabilities {
    return {
      ...fakeCapabilities,
      supportedEvents: this.supportedEvents,
      limits: { ...defaultAgentLimits, maxConcurrency: this.maxConcurrency },
    };
  }

  async configure(config: JsonObject | null, giver: ConfigurationGiver): Promise<Result<void, string>> {
    const reason = config?.['refuse'];
    if (typeof reason === 'string') return err(reason);
    this.configs.push(config);
    this.givers.push(giver);
    return ok(undefined);
  }

  decide(event: AgentEvent, connection: symbol): MaybePromise<AgentAnswer> {
    this.events.push(event);
    this.origins.push(connection);
    this.connections.add(connection);
    return this.isPrompt ? this.answer(event) : this.#answerLater(event);
  }

  cancel(correlationId: string, reason: CancelReason): void {
    this.cancels.push({ correlationId, reason });
  }

  disconnected(): void {
    this.disconnects += 1;
  }

  async stop(): Promise<void> {
    this.stops += 1;
  }

  health(): AgentHealth {
    return {
      agentId: 'fake-1',
      state: this.state,
      message: null,
      load: null,
      resources: null,
      disabledFeatures: [],
      validForMs: 15_000,
      timestampMs: 5,
    };
  }

  metrics(): MetricsReport {
    return this.report;
  }

  onHealthChange(listener: (health: AgentHealth) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  changeState(state: AgentState): void {
    this.state = state;
    for (const listener of this.#listeners) listener(this.health());
  }

  async #answerLater(event: AgentEvent): Promise<AgentAnswer> {
    return this.answer(event);
  }

  /** Resolves once so many events have come in all. */
  async received(count: number): Promise<void> {
    await eventually(() => this.events.length >= count);
  }
}

/** A promise that the test settles. */
export class Deferred<Value> {
  readonly promise: Promise<Value>;
  resolve: (value: Value) => void = () => {};

  constructor() {
    this.promise = new Promise((resolve) => {
      this.resolve = resolve;
    });
  }
}
