import type { ConfigureOutcome } from '../../../src/application/ports/gateway/agent-client.js';
import type {
  AgentConnection,
  AgentConnectionListener,
  AgentConnector,
  ConnectionEnd,
  ConnectorCheck,
} from '../../../src/application/ports/gateway/agent-connector.js';
import type { AgentCapabilities, AgentFeatures, AgentLimits } from '../../../src/domain/agent-protocol/capabilities.js';
import type { AgentHealth, AgentState } from '../../../src/domain/agent-protocol/health.js';
import { type AgentAnswer, type AgentEvent, allowAnswer } from '../../../src/domain/agent-protocol/messages.js';
import { agentSubscriptions } from '../../../src/domain/gateway/configuration/gateway-configuration.js';
import type { JsonObject } from '../../../src/domain/shared/json.js';
import { err, ok } from '../../../src/domain/shared/result.js';
import { fakeCapabilities } from '../agent/fake-agent-service.js';

export const capabilitiesWith = (
  features: Partial<AgentFeatures> = {},
  limits: Partial<AgentLimits> = {},
): AgentCapabilities => ({
  ...fakeCapabilities,
  supportedEvents: agentSubscriptions,
  features: { ...fakeCapabilities.features, ...features },
  limits: { ...fakeCapabilities.limits, ...limits },
});

export const healthOf = (state: AgentState, members: Partial<AgentHealth> = {}): AgentHealth => ({
  agentId: 'fake-1',
  state,
  message: null,
  load: null,
  resources: null,
  disabledFeatures: [],
  validForMs: null,
  timestampMs: 1,
  ...members,
});

/** A connection whose other end is the test. */
export class FakeAgentConnection implements AgentConnection {
  readonly config: JsonObject | null;
  readonly listener: AgentConnectionListener;
  readonly events: AgentEvent[] = [];
  readonly cancels: string[] = [];
  readonly configures: { readonly config: JsonObject | null; settle(outcome: ConfigureOutcome): void }[] = [];
  isBusy = false;
  isGathering = false;
  isOver = false;
  /** False: events are larger than a message can be. */
  fits = true;

  constructor(config: JsonObject | null, listener: AgentConnectionListener) {
    this.config = config;
    this.listener = listener;
  }

  get sentIds(): readonly string[] {
    return this.events.map(({ correlationId }) => correlationId);
  }

  sendEvent(event: AgentEvent): boolean {
    if (this.fits) this.events.push(event);
    return this.fits;
  }

  sendCancel(correlationId: string): void {
    this.cancels.push(correlationId);
  }

  configure(config: JsonObject | null): Promise<ConfigureOutcome> {
    if (this.isOver) return Promise.resolve(err({ kind: 'no_answer', reason: 'over' }));
    return new Promise((settle) => this.configures.push({ config, settle }));
  }

  close(detail: string): void {
    this.end({ kind: 'ended', detail });
  }

  ready(capabilities: AgentCapabilities = fakeCapabilities): void {
    this.listener.onReady(capabilities);
  }

  answer(correlationId: string, members: Partial<AgentAnswer> = {}): void {
    this.listener.onAnswer(correlationId, ok({ ...allowAnswer, ...members }));
  }

  end(end: ConnectionEnd = { kind: 'ended', detail: 'gone' }): void {
    if (this.isOver) return;
    this.isOver = true;
    for (const { settle } of this.configures) settle(err({ kind: 'no_answer', reason: end.detail }));
    this.listener.onEnd(end);
  }
}

/** Makes connections that the test answers for. */
export class FakeAgentConnector implements AgentConnector {
  readonly connections: FakeAgentConnection[] = [];
  /** What the next checks say. */
  outcome: ConnectorCheck = { kind: 'ready' };

  async check(): Promise<ConnectorCheck> {
    return this.outcome;
  }

  connect(config: JsonObject | null, listener: AgentConnectionListener): AgentConnection {
    const connection = new FakeAgentConnection(config, listener);
    this.connections.push(connection);
    return connection;
  }

  /** Those that have not ended, in the order in which they were made. */
  get standing(): readonly FakeAgentConnection[] {
    return this.connections.filter(({ isOver }) => !isOver);
  }
}
