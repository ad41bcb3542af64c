import { connect, type Socket } from 'node:net';
import type { ConfigureOutcome } from '../../../application/ports/gateway/agent-client.js';
import type {
  AgentConnection,
  AgentConnectionListener,
  ConnectionEnd,
} from '../../../application/ports/gateway/agent-connector.js';
import type { ScheduledTask, Scheduler } from '../../../application/ports/shared/scheduler.js';
import { opensDialogue } from '../../../domain/agent-protocol/answer-rules.js';
import { type AgentCapabilities, defaultAgentLimits } from '../../../domain/agent-protocol/capabilities.js';
import type { AgentEvent } from '../../../domain/agent-protocol/messages.js';
import type { JsonObject } from '../../../domain/shared/json.js';
import { err } from '../../../domain/shared/result.js';
import { TransientMap } from '../../../domain/shared/transient-map.js';
import { boundLateness } from '../../event-loop-batching/event-loop-turn.js';
import { legacyFrame } from '../../wire/agent-legacy-frames/legacy-frame.js';
import { LegacyFrameDecoder } from '../../wire/agent-legacy-frames/legacy-frame-decoder.js';
import {
  legacyConfigureJson,
  legacyEventJson,
  readLegacyAnswer,
  readLegacyConfigureAnswer,
} from '../../wire/agent-legacy-frames/legacy-messages.js';
import type { LegacyAgentConnectorConfiguration, LegacyAgentConnectorOptions } from './legacy-connector-options.js';
import { checkLegacySocket } from './legacy-socket-check.js';

/**
 * Capabilities of a legacy agent, which announces none. The connection limits itself to one call at
 * a time; a limit here would apply to all connections together.
 */
const assumedCapabilities = ({ name, events }: LegacyAgentConnectorConfiguration): AgentCapabilities => ({
  agentId: name,
  name,
  version: '',
  supportedEvents: events,
  features: {
    streamingBody: true,
    websocket: false,
    guardrails: false,
    configPush: false,
    metricsExport: false,
    cancellation: false,
    flowControl: false,
    healthReporting: false,
    concurrentRequests: 0,
  },
  limits: defaultAgentLimits,
  ownedHeaders: [],
});

/** Maximum characters of the agent's text in the log. */
const maxReasonLength = 500;

/** The next expected message: the answer to the configuration, the answer to an event, or none. */
type Expected =
  | { readonly kind: 'configured' }
  | { readonly kind: 'answer'; readonly correlationId: string }
  | { readonly kind: 'nothing' };

const nothing: Expected = { kind: 'nothing' };

/**
 * One connection to an agent in the legacy framing. An answer belongs to the preceding event, so
 * there is one call at a time. After an abandoned call the connection closes: the next answer would
 * belong to another request.
 */
export class LegacyAgentConnection implements AgentConnection {
  readonly #settings: LegacyAgentConnectorConfiguration;
  readonly #options: LegacyAgentConnectorOptions;
  readonly #listener: AgentConnectionListener;
  readonly #socket: Socket;
  readonly #decoder = new LegacyFrameDecoder();
  readonly #deadline: ScheduledTask;
  /** Requests for which the agent waits for body chunks. */
  readonly #dialogues = new TransientMap<true>();
  #expected: Expected = nothing;
  /** The agent waits for a body that will not arrive; only the end of the connection tells it. */
  #isSpent = false;
  #isOver = false;

  constructor(
    settings: LegacyAgentConnectorConfiguration,
    options: LegacyAgentConnectorOptions,
    config: JsonObject | null,
    scheduler: Scheduler,
    listener: AgentConnectionListener,
  ) {
    this.#settings = settings;
    this.#options = options;
    this.#listener = listener;
    this.#socket = connect({ path: settings.path });
    this.#deadline = scheduler.after(options.handshakeTimeoutMs, () => {
      this.#finish({ kind: 'ended', detail: 'the agent did not answer its configuration in time' });
    });
    this.#socket.once('connect', () => void this.#start(config));
    this.#socket.on('data', (chunk) => {
      boundLateness();
      this.#onData(chunk);
    });
    this.#socket.on('error', (error) => this.#finish({ kind: 'ended', detail: error.message }));
    this.#socket.on('close', () => {
      const detail = this.#decoder.isInsideFrame ? 'the connection ended within a frame' : 'the agent closed it';
      this.#finish({ kind: 'ended', detail });
    });
  }

  /** True during a call and when the connection is about to end. */
  get isBusy(): boolean {
    return this.#isOver || this.#expected !== nothing || this.#isDone;
  }

  /**
   * Whether the connection ends after the current call. It first completes the bodies of other
   * requests.
   */
  get #isDone(): boolean {
    return this.#isSpent && this.#dialogues.size === 0;
  }

  sendEvent(event: AgentEvent): boolean {
    const frame = legacyFrame(legacyEventJson(event));
    // INVARIANT: callers do not use a busy connection; the answer would belong to another call.
    if (frame === null || this.isBusy) return false;
    this.#expected = { kind: 'answer', correlationId: event.correlationId };
    this.#socket.write(frame);
    return true;
  }

  /**
   * Closes the connection: the framing has no cancel message, and a late answer would be ambiguous.
   */
  sendCancel(correlationId: string): void {
    const isAsked = this.#expected.kind === 'answer' && this.#expected.correlationId === correlationId;
    if (this.#dialogues.delete(correlationId)) this.#isSpent = true;
    // Deferred, because the caller still works with the call. Until then the connection stays busy.
    if (isAsked || (this.#isDone && this.#expected === nothing)) queueMicrotask(() => this.#abandon());
  }

  /** Fails: a connection receives its configuration only at its start. */
  async configure(): Promise<ConfigureOutcome> {
    return err({
      kind: 'no_answer',
      reason: 'the legacy framing sends a configuration only on a new connection',
    });
  }

  close(detail: string): void {
    this.#finish({ kind: 'ended', detail });
  }

  async #start(config: JsonObject | null): Promise<void> {
    const { name, path, owner } = this.#settings;
    // The configuration contains secrets, and the file may have been replaced since the first
    // check.
    const check = await checkLegacySocket(path, owner);
    if (this.#isOver) return;
    if (check.kind !== 'ready') {
      this.#finish({ kind: check.kind === 'refused' ? 'refused' : 'ended', detail: check.detail });
      return;
    }
    const frame = legacyFrame(legacyConfigureJson(name, config));
    if (frame === null) {
      this.#finish({ kind: 'refused', detail: 'the configuration exceeds the maximum frame size' });
      return;
    }
    this.#expected = { kind: 'configured' };
    this.#socket.write(frame);
  }

  #onData(chunk: Uint8Array): void {
    if (this.#isOver) return;
    if (this.#expected === nothing) {
      this.#fail('the agent sent an unexpected message');
      return;
    }
    this.#decoder.push(chunk);
    const payload = this.#decoder.next();
    if (payload === null) {
      if (this.#decoder.failure !== null) this.#fail(this.#decoder.failure);
      return;
    }
    // Checked before the answer is used: further data must not become the next answer.
    if (this.#decoder.hasBegun) this.#fail('the agent sent more than one answer');
    else if (this.#expected.kind === 'configured') this.#onConfigured(payload);
    else if (this.#expected.kind === 'answer') this.#onAnswer(payload, this.#expected.correlationId);
  }

  #onConfigured(payload: Uint8Array): void {
    const configured = readLegacyConfigureAnswer(payload);
    if (!configured.ok) {
      this.#fail(`the answer to the configuration is malformed: ${configured.error}`);
    } else if (!configured.value.success) {
      this.#finish({ kind: 'refused', detail: configured.value.error.slice(0, maxReasonLength) });
    } else {
      this.#deadline.cancel();
      this.#expected = nothing;
      this.#listener.onReady(assumedCapabilities(this.#settings));
    }
  }

  #onAnswer(payload: Uint8Array, correlationId: string): void {
    const read = readLegacyAnswer(payload);
    if (!read.ok) {
      this.#fail(`an answer is malformed: ${read.error}`);
    } else if (read.value.correlationId !== null && read.value.correlationId !== correlationId) {
      this.#fail('an answer for another request');
    } else {
      const { answer } = read.value;
      this.#expected = nothing;
      if (answer.ok && opensDialogue(answer.value)) this.#dialogues.set(correlationId, true);
      else if (answer.ok) this.#dialogues.delete(correlationId);
      this.#listener.onAnswer(correlationId, answer);
      if (this.#isDone && this.#expected === nothing) this.#abandon();
      else if (!this.isBusy) this.#listener.onRoom();
    }
  }

  #abandon(): void {
    this.#finish({ kind: 'given_up', detail: 'a call was abandoned' });
  }

  /** Fails the open call, if any: the malformed message can only be its answer. */
  #fail(detail: string): void {
    if (this.#expected.kind === 'answer') this.#listener.onAnswer(this.#expected.correlationId, err(detail));
    this.#finish({ kind: 'malformed', detail });
  }

  #finish(end: ConnectionEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#deadline.cancel();
    // Flushes the last write without waiting: a peer that does not read would hold the descriptor.
    this.#socket.destroySoon();
    this.#socket.setTimeout(this.#options.handshakeTimeoutMs, () => this.#socket.destroy());
    this.#listener.onEnd(end);
  }
}
