import { opensDialogue } from '../../../domain/agent-protocol/answer-rules.js';
import {
  type AgentCapabilities,
  type AgentEventName,
  defaultAgentLimits,
} from '../../../domain/agent-protocol/capabilities.js';
import { type AgentHealth, agentStateCodes } from '../../../domain/agent-protocol/health.js';
import {
  type AgentAnswer,
  type AgentEvent,
  allowAnswer,
  type BodyMutation,
  type CancelReason,
} from '../../../domain/agent-protocol/messages.js';
import type { MetricsReport } from '../../../domain/agent-protocol/metrics-report.js';
import type { JsonObject } from '../../../domain/shared/json.js';
import type { Result } from '../../../domain/shared/result.js';
import type { AgentService, ConfigurationGiver, ConfigurationOccasion } from '../../ports/agent/agent-service.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { Logger } from '../../ports/shared/logger.js';
import { LatencyWindow } from '../agent-service/latency-window.js';
import { Answer } from './agent-answers.js';
import type { AgentDefinition, AgentTraits } from './agent-definition.js';
import { AgentBodyChunk, AgentRequest, AgentResponseHead } from './agent-request.js';
import { HandedConfiguration } from './handed-configuration.js';
import { KitCounters } from './kit-counters.js';
import { OpenRequests } from './open-requests.js';

/** The answer after a failure of the agent: never an allow. */
const failedAnswer: AgentAnswer = {
  ...allowAnswer,
  decision: { kind: 'block', status: 500, body: null, headers: [] },
};

const methods = {
  request_headers: 'requestHeaders',
  request_body_chunk: 'requestBodyChunk',
  response_headers: 'responseHeaders',
  response_body_chunk: 'responseBodyChunk',
  request_complete: 'requestComplete',
} as const satisfies Record<AgentEvent['kind'], keyof AgentDefinition>;

const capabilitiesOf = (definition: AgentDefinition, traits: AgentTraits): AgentCapabilities => {
  const asked = (Object.keys(methods) as AgentEvent['kind'][]).filter(
    (event) => definition[methods[event]] !== undefined,
  );
  const supportedEvents: AgentEventName[] = [...asked, 'configure'];
  return {
    agentId: traits.agentId,
    name: definition.name,
    version: definition.version,
    supportedEvents,
    features: {
      streamingBody: true,
      websocket: false,
      guardrails: false,
      configPush: true,
      metricsExport: true,
      cancellation: true,
      flowControl: false,
      healthReporting: true,
      concurrentRequests: traits.maxConcurrency,
    },
    limits: { ...defaultAgentLimits, maxConcurrency: traits.maxConcurrency, maxBodySize: traits.maxBodySize },
    ownedHeaders: traits.ownedHeaders,
  };
};

/** Puts the replacement of a chunk into the message. */
const messageOf = (answer: Answer, event: AgentEvent): AgentAnswer => {
  const { message, chunk } = answer;
  if (chunk === null) return message;
  if (event.kind !== 'request_body_chunk' && event.kind !== 'response_body_chunk') {
    throw new Error(`replaceChunk cannot answer ${event.kind}`);
  }
  const mutation: BodyMutation = { chunkIndex: event.chunkIndex, data: chunk };
  return event.kind === 'request_body_chunk'
    ? { ...message, requestBodyMutation: mutation }
    : { ...message, responseBodyMutation: mutation };
};

const noMetrics: Pick<MetricsReport, 'counters' | 'gauges'> = { counters: [], gauges: [] };

/** An agent made from its definition. */
export class DefinedAgent implements AgentService {
  readonly #definition: AgentDefinition;
  readonly #traits: AgentTraits;
  readonly #capabilities: AgentCapabilities;
  readonly #configuration: HandedConfiguration;
  readonly #counters = new KitCounters();
  readonly #latency = new LatencyWindow();
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #healthListeners = new Set<(health: AgentHealth) => void>();
  readonly #open = new OpenRequests();
  #inFlight = 0;
  #isDraining = false;

  constructor(definition: AgentDefinition, traits: AgentTraits, { clock, logger }: { clock: Clock; logger: Logger }) {
    this.#definition = definition;
    this.#traits = traits;
    this.#capabilities = capabilitiesOf(definition, traits);
    this.#configuration = new HandedConfiguration(definition, logger);
    this.#clock = clock;
    this.#logger = logger;
  }

  capabilities(): AgentCapabilities {
    return this.#capabilities;
  }

  configure(
    config: JsonObject | null,
    giver: ConfigurationGiver,
    occasion: ConfigurationOccasion,
  ): Promise<Result<void, string>> {
    return this.#configuration.take(config, giver, occasion);
  }

  async decide(event: AgentEvent, connection: symbol): Promise<AgentAnswer> {
    const startedMs = this.#clock.monotonicMs();
    this.#inFlight += 1;
    this.#open.add(event.correlationId, connection);
    let answer: AgentAnswer;
    try {
      const answered = await this.#ask(event);
      answer = answered === null ? allowAnswer : messageOf(answered, event);
    } catch (error) {
      this.#counters.failed(event.kind);
      this.#logger.error('an event could not be decided', {
        event: event.kind,
        correlation_id: event.correlationId,
        error: error instanceof Error ? error.message : String(error),
      });
      answer = failedAnswer;
    }
    this.#inFlight -= 1;
    if (!opensDialogue(answer)) this.#open.delete(event.correlationId, connection);
    const durationMs = this.#clock.monotonicMs() - startedMs;
    this.#latency.record(durationMs);
    this.#counters.decided(event.kind, answer.decision.kind, durationMs / 1000);
    return answer;
  }

  cancel(correlationId: string, reason: CancelReason, connection: symbol): void {
    this.#open.delete(correlationId, connection);
    this.#forget(correlationId, reason);
  }

  disconnected(connection: symbol): void {
    this.#configuration.disconnected(connection);
    for (const id of this.#open.take(connection)) this.#forget(id, 'client_disconnect');
  }

  /** Reports that the agent is draining. Events are still decided. */
  drain(): void {
    this.#isDraining = true;
    this.noteHealth();
  }

  stop(): Promise<void> {
    this.#healthListeners.clear();
    return Promise.resolve();
  }

  health(): AgentHealth {
    const latency = this.#latency.figures();
    const { state, message } = this.#condition();
    return {
      agentId: this.#traits.agentId,
      state,
      message,
      load: {
        inFlight: this.#inFlight,
        queueDepth: 0,
        avgLatencyMs: latency.avgMs,
        p50LatencyMs: latency.p50Ms,
        p95LatencyMs: latency.p95Ms,
        p99LatencyMs: latency.p99Ms,
        requestsProcessed: this.#counters.processed,
        requestsRejected: this.#counters.rejected,
        requestsTimedOut: 0,
      },
      resources: null,
      disabledFeatures: [],
      validForMs: this.#traits.healthIntervalMs * 2,
      timestampMs: this.#clock.wallMs(),
    };
  }

  metrics(): MetricsReport {
    const own = this.#ownMetrics();
    return {
      agentId: this.#traits.agentId,
      timestampMs: this.#clock.wallMs(),
      intervalMs: this.#traits.metricsIntervalMs,
      counters: [...this.#counters.counters(), ...own.counters],
      gauges: own.gauges,
      histograms: [this.#counters.duration()],
    };
  }

  onHealthChange(listener: (health: AgentHealth) => void): () => void {
    this.#healthListeners.add(listener);
    return () => this.#healthListeners.delete(listener);
  }

  /** Reports the health to the gateways immediately, without waiting for the next report. */
  noteHealth(): void {
    const health = this.health();
    for (const listener of this.#healthListeners) listener(health);
  }

  /** Discards the state of a cancelled request. */
  #forget(correlationId: string, reason: CancelReason): void {
    try {
      this.#definition.cancelled?.(correlationId, reason);
    } catch (error) {
      this.#logger.error('the cancelled method of the agent failed', {
        correlation_id: correlationId,
        error: error instanceof Error ? error.message : String(error),
      });
    }
  }

  /** Calls the method of the event. Null: there is no method, or it returned nothing. Validates what it returned. */
  async #ask(event: AgentEvent): Promise<Answer | null> {
    const definition = this.#definition;
    if (definition[methods[event.kind]] === undefined) return null;
    let answered: unknown;
    switch (event.kind) {
      case 'request_headers':
        answered = await definition.requestHeaders?.(new AgentRequest(event));
        break;
      case 'request_body_chunk':
        answered = await definition.requestBodyChunk?.(new AgentBodyChunk(event));
        break;
      case 'response_headers':
        answered = await definition.responseHeaders?.(new AgentResponseHead(event));
        break;
      case 'response_body_chunk':
        answered = await definition.responseBodyChunk?.(new AgentBodyChunk(event));
        break;
      case 'request_complete':
        await definition.requestComplete?.(event);
        return null;
    }
    if (!(answered instanceof Answer)) throw new Error(`${methods[event.kind]} did not return an Answer`);
    return answered;
  }

  /** The agent's own counters; none if they cannot be read. */
  #ownMetrics(): Pick<MetricsReport, 'counters' | 'gauges'> {
    try {
      const own = this.#definition.metrics?.() ?? noMetrics;
      if (!Array.isArray(own.counters) || !Array.isArray(own.gauges))
        throw new Error('metrics did not return two lists');
      return own;
    } catch (error) {
      this.#logger.error('the metrics method of the agent failed', {
        error: error instanceof Error ? error.message : String(error),
      });
      return noMetrics;
    }
  }

  #condition(): Pick<AgentHealth, 'state' | 'message'> {
    if (this.#isDraining) return { state: 'draining', message: null };
    try {
      const own = this.#definition.health?.() ?? { state: 'healthy', message: null };
      if (agentStateCodes[own.state] === undefined) throw new Error('health did not return a state');
      return own;
    } catch (error) {
      this.#logger.error('the health method of the agent failed', {
        error: error instanceof Error ? error.message : String(error),
      });
      return { state: 'unhealthy', message: 'the health method of the agent failed' };
    }
  }
}
