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
import { boundLateness } from '../../event-loop-batching/bound-lateness.js';
import { legacyFrame } from '../../wire/agent-legacy-frames/legacy-frame.js';
import { LegacyFrameDecoder } from '../../wire/agent-legacy-frames/legacy-frame-decoder.js';
import {
  legacyConfigureJson,
  legacyEventJson,
  readLegacyAnswer,
  readLegacyConfigureAnswer,
} from '../../wire/agent-legacy-frames/legacy-messages.js';
import type { LegacyAgentConnectorOptions, LegacyAgentConnectorSettings } from './legacy-connector-settings.js';
import { checkLegacySocket } from './legacy-socket-check.js';

/**
 * What holds for an agent that says nothing of itself. That a connection carries one call at a time is for the
 * connection to say: a limit here would be one for all connections together.
 */
const assumedCapabilities = ({ name, events }: LegacyAgentConnectorSettings): AgentCapabilities => ({
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

/** Characters of an agent's own words that go into the log. */
const maximumReasonLength = 500;

/** What the agent has to send next: its word on the configuration, an answer for a request, or nothing at all. */
type Expected =
  | { readonly kind: 'configured' }
  | { readonly kind: 'answer'; readonly correlationId: string }
  | { readonly kind: 'nothing' };

const nothing: Expected = { kind: 'nothing' };

/**
 * One connection to an agent in the older framing. An answer belongs to the event before it and to nothing else, so
 * that there is one call at a time, and none after one that was given up: what came next would be another one's
 * answer.
 */
export class LegacyAgentConnection implements AgentConnection {
  readonly #settings: LegacyAgentConnectorSettings;
  readonly #options: LegacyAgentConnectorOptions;
  readonly #listener: AgentConnectionListener;
  readonly #socket: Socket;
  readonly #decoder = new LegacyFrameDecoder();
  readonly #deadline: ScheduledTask;
  /** Requests whose body the agent waits for. */
  readonly #dialogues = new TransientMap<true>();
  #expected: Expected = nothing;
  /** The agent waits for a body that will not come: it hears of that by the end of the connection alone. */
  #isSpent = false;
  #isOver = false;

  constructor(
    settings: LegacyAgentConnectorSettings,
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
    this.#socket.once('connect', () => void this.#begin(config));
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

  /** True while a call is open by it, and once it is about to end. */
  get isBusy(): boolean {
    return this.#isOver || this.#expected !== nothing || this.#isDone;
  }

  /**
   * Whether it ends as soon as no call is open. Until the other bodies have come it goes on: they are others'
   * requests.
   */
  get #isDone(): boolean {
    return this.#isSpent && this.#dialogues.size === 0;
  }

  sendEvent(event: AgentEvent): boolean {
    const frame = legacyFrame(legacyEventJson(event));
    // INVARIANT: nobody sends by a busy connection; one that did would be given the answer to another call.
    if (frame === null || this.isBusy) return false;
    this.#expected = { kind: 'answer', correlationId: event.correlationId };
    this.#socket.write(frame);
    return true;
  }

  /** There is no such message: what the agent still answers is for nobody, so the connection is closed. */
  sendCancel(correlationId: string): void {
    const isAsked = this.#expected.kind === 'answer' && this.#expected.correlationId === correlationId;
    if (this.#dialogues.delete(correlationId)) this.#isSpent = true;
    // Not at once: whoever cancels is still at work with the call. Until then it stays busy.
    if (isAsked || (this.#isDone && this.#expected === nothing)) queueMicrotask(() => this.#giveUp());
  }

  /** A connection has one configuration, which it begins with. */
  async configure(): Promise<ConfigureOutcome> {
    return err({
      kind: 'no_answer',
      reason: 'the older framing hands a configuration over with a new connection alone',
    });
  }

  close(detail: string): void {
    this.#finish({ kind: 'ended', detail });
  }

  async #begin(config: JsonObject | null): Promise<void> {
    const { name, path, owner } = this.#settings;
    // The configuration holds secrets, and the file may have been replaced since it was looked at first.
    const check = await checkLegacySocket(path, owner);
    if (this.#isOver) return;
    if (check.kind !== 'ready') {
      this.#finish({ kind: check.kind === 'refused' ? 'refused' : 'ended', detail: check.detail });
      return;
    }
    const frame = legacyFrame(legacyConfigureJson(name, config));
    if (frame === null) {
      this.#finish({ kind: 'refused', detail: 'the configuration is larger than a frame can be' });
      return;
    }
    this.#expected = { kind: 'configured' };
    this.#socket.write(frame);
  }

  #onData(chunk: Uint8Array): void {
    if (this.#isOver) return;
    if (this.#expected === nothing) {
      this.#fail('it sent what nothing was asked for');
      return;
    }
    this.#decoder.push(chunk);
    const payload = this.#decoder.next();
    if (payload === null) {
      if (this.#decoder.failure !== null) this.#fail(this.#decoder.failure);
      return;
    }
    // Looked at before the answer is given out: what follows it must not become the answer to the next event.
    if (this.#decoder.hasBegun) this.#fail('it answered more than it was asked');
    else if (this.#expected.kind === 'configured') this.#takeConfigured(payload);
    else if (this.#expected.kind === 'answer') this.#takeAnswer(payload, this.#expected.correlationId);
  }

  #takeConfigured(payload: Uint8Array): void {
    const configured = readLegacyConfigureAnswer(payload);
    if (!configured.ok) {
      this.#fail(`the answer to the configuration cannot be read: ${configured.error}`);
    } else if (!configured.value.success) {
      this.#finish({ kind: 'refused', detail: configured.value.error.slice(0, maximumReasonLength) });
    } else {
      this.#deadline.cancel();
      this.#expected = nothing;
      this.#listener.onReady(assumedCapabilities(this.#settings));
    }
  }

  #takeAnswer(payload: Uint8Array, correlationId: string): void {
    const read = readLegacyAnswer(payload);
    if (!read.ok) {
      this.#fail(`an answer cannot be read: ${read.error}`);
    } else if (read.value.correlationId !== null && read.value.correlationId !== correlationId) {
      this.#fail('an answer for another request than the one that was asked about');
    } else {
      const { answer } = read.value;
      this.#expected = nothing;
      if (answer.ok && opensDialogue(answer.value)) this.#dialogues.set(correlationId, true);
      else if (answer.ok) this.#dialogues.delete(correlationId);
      this.#listener.onAnswer(correlationId, answer);
      if (this.#isDone && this.#expected === nothing) this.#giveUp();
      else if (!this.isBusy) this.#listener.onRoom();
    }
  }

  #giveUp(): void {
    this.#finish({ kind: 'given_up', detail: 'a call by it was given up' });
  }

  /** What cannot be read is the answer to the call that is open, if one is: there is nothing else that it could be. */
  #fail(detail: string): void {
    if (this.#expected.kind === 'answer') this.#listener.onAnswer(this.#expected.correlationId, err(detail));
    this.#finish({ kind: 'malformed', detail });
  }

  #finish(end: ConnectionEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#deadline.cancel();
    // Lets a last write leave; nothing is waited for, because a peer that does not read would hold the descriptor.
    this.#socket.destroySoon();
    this.#socket.setTimeout(this.#options.handshakeTimeoutMs, () => this.#socket.destroy());
    this.#listener.onEnd(end);
  }
}
