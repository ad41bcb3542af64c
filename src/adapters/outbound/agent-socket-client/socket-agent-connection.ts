import type { ConfigureOutcome } from '../../../application/ports/gateway/agent-client.js';
import type {
  AgentConnection,
  AgentConnectionListener,
  ConnectionEnd,
} from '../../../application/ports/gateway/agent-connector.js';
import type { Clock } from '../../../application/ports/shared/clock.js';
import type { ScheduledTask, Scheduler } from '../../../application/ports/shared/scheduler.js';
import type { AgentCapabilities } from '../../../domain/agent-protocol/capabilities.js';
import { agentProtocolVersion, type HandshakeResponse } from '../../../domain/agent-protocol/handshake.js';
import type { AgentAnswer, AgentEvent, CancelReason } from '../../../domain/agent-protocol/messages.js';
import type { JsonObject } from '../../../domain/shared/json.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { boundLateness, boundLateWrites, deferWrite } from '../../event-loop-batching/event-loop-turn.js';
import type { SocketLayerSelector } from '../../stream-sockets/socket-layer-selector.js';
import { type StreamSocket, writeProgressToken } from '../../stream-sockets/stream-socket.js';
import { type AgentFrameMessage, readAgentFrame } from '../../wire/agent-frames/agent-message.js';
import type { AnswerCache } from '../../wire/agent-frames/answer-cache/answer-cache.js';
import { FrameDecoder } from '../../wire/agent-frames/frame-decoder.js';
import { FrameOutbox } from '../../wire/agent-frames/frame-outbox.js';
import {
  cancelJson,
  configureJson,
  eventJson,
  handshakeRequestJson,
  pingJson,
} from '../../wire/agent-frames/gateway-message.js';
import type { HeadWriter } from '../../wire/agent-frames/head-writer.js';
import { agentMessageNames } from '../../wire/agent-frames/message-codes.js';
import type { SocketAgentConnectorConfiguration, SocketAgentConnectorOptions } from './socket-connector-options.js';
import { checkSocketOwner } from './socket-owner.js';

const rejectionPrefix = 'Configuration rejected: ';
/** Maximum characters of the agent's text in the log. */
const maxReasonLength = 500;
/** A batch of this many octets is full: it no longer attracts the next event. */
const fullBatchBytes = 32_768;

export interface SocketAgentConnectionContext {
  readonly settings: SocketAgentConnectorConfiguration;
  readonly options: SocketAgentConnectorOptions;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly layers: SocketLayerSelector;
  /** Answers of the agent, shared by its connections. */
  readonly known: AnswerCache;
  /** Encodes events, shared by the connections. */
  readonly heads: HeadWriter;
}

const rejectionReason = (answer: AgentAnswer): string => {
  const body = answer.decision.kind === 'block' ? answer.decision.body : null;
  const reason = body?.startsWith(rejectionPrefix) ? body.slice(rejectionPrefix.length) : body;
  return (reason ?? 'no reason given').slice(0, maxReasonLength);
};

/** One connection to an agent over its Unix socket, from the connection attempt to its end. */
export class SocketAgentConnection implements AgentConnection {
  readonly #settings: SocketAgentConnectorConfiguration;
  readonly #options: SocketAgentConnectorOptions;
  readonly #clock: Clock;
  readonly #scheduler: Scheduler;
  readonly #config: JsonObject | null;
  readonly #listener: AgentConnectionListener;
  readonly #known: AnswerCache;
  readonly #heads: HeadWriter;
  readonly #socket: StreamSocket;
  readonly #decoder = new FrameDecoder(agentMessageNames);
  readonly #outbox: FrameOutbox;
  readonly #configures = new Map<string, (outcome: ConfigureOutcome) => void>();
  readonly #deadline: ScheduledTask;
  readonly #keepalive: ScheduledTask;
  /** Closes a socket whose peer does not read; null while the connection is in use. */
  #closing: ScheduledTask | null = null;
  #capabilities: AgentCapabilities | null = null;
  #isOver = false;
  #pings = 0;
  #isSilentSincePing = false;

  /** @param config sent in the handshake */
  constructor(context: SocketAgentConnectionContext, config: JsonObject | null, listener: AgentConnectionListener) {
    const { settings, options, clock, scheduler, layers, known, heads } = context;
    this.#settings = settings;
    this.#options = options;
    this.#clock = clock;
    this.#scheduler = scheduler;
    this.#config = config;
    this.#listener = listener;
    this.#known = known;
    this.#heads = heads;
    const socket = layers.current.connectPath(settings.path, (octets, end) => {
      this.#onData(octets.subarray(0, end));
      return true;
    });
    this.#socket = socket;
    // Requests arrive on many sockets. One write sends the events of a turn of the event loop.
    this.#outbox = new FrameOutbox(
      (octets) => this.#write(octets),
      (flush) => deferWrite({ writeNow: flush }),
    );
    this.#deadline = scheduler.after(options.handshakeTimeoutMs, () => {
      this.#finish({ kind: 'ended', detail: 'the agent did not answer the handshake in time' });
    });
    this.#keepalive = scheduler.every(options.pingIntervalMs, () => this.#keepAlive());
    socket.once('connect', () => void this.#sendHandshake());
    socket.on('drain', () => {
      if (!this.#isOver) this.#listener.onRoom();
    });
    socket.on('error', (error) => this.#finish({ kind: 'ended', detail: error.message }));
    // An agent that ends its side gets no more questions.
    socket.on('end', () => socket.end());
    socket.on('close', () => {
      this.#closing?.cancel();
      const detail = this.#decoder.isInsideFrame ? 'the connection ended within a frame' : 'the agent closed it';
      this.#finish({ kind: 'ended', detail });
    });
  }

  get isBusy(): boolean {
    return this.#socket.writableLength + this.#outbox.pendingBytes >= this.#options.busyOutputBytes;
  }

  get isGathering(): boolean {
    const { pendingBytes } = this.#outbox;
    return pendingBytes > 0 && pendingBytes < fullBatchBytes;
  }

  sendEvent(event: AgentEvent): boolean {
    switch (event.kind) {
      case 'request_headers':
        return this.#outbox.sendWritten(event.kind, this.#heads.addRequest, event);
      case 'response_headers':
        return this.#outbox.sendWritten(event.kind, this.#heads.addResponse, event);
      default:
        return this.#outbox.send(event.kind, eventJson(event));
    }
  }

  sendCancel(correlationId: string, reason: CancelReason): void {
    // Agents without this feature may treat the message as an error.
    if (this.#capabilities?.features.cancellation !== true || this.#isOver) return;
    this.#outbox.send('cancel', cancelJson({ correlationId, reason }, this.#clock.wallMs()));
  }

  configure(config: JsonObject | null, correlationId: string, version: string): Promise<ConfigureOutcome> {
    return new Promise((resolve) => {
      const timer = this.#scheduler.after(this.#options.configureTimeoutMs, () => {
        this.#settleConfigure(correlationId, err({ kind: 'no_answer', reason: 'the agent did not answer in time' }));
      });
      this.#configures.set(correlationId, (outcome) => {
        timer.cancel();
        resolve(outcome);
      });
      if (this.#isReady && this.#outbox.send('configure', configureJson({ correlationId, config, version }))) return;
      this.#settleConfigure(correlationId, err({ kind: 'no_answer', reason: 'the configuration could not be sent' }));
    });
  }

  close(detail: string): void {
    this.#outbox.flush();
    this.#finish({ kind: 'ended', detail });
  }

  /** Whether the handshake succeeded and the connection is open. */
  get #isReady(): boolean {
    return this.#capabilities !== null && !this.#isOver;
  }

  async #sendHandshake(): Promise<void> {
    const { path, owner, proxyId, proxyVersion } = this.#settings;
    // The handshake contains secrets, and the file may have been replaced since the first check.
    const check = await checkSocketOwner(path, owner);
    if (check.kind === 'refused') {
      this.#finish({ kind: 'refused', detail: `the socket ${path} is not trusted: ${check.reason}` });
      return;
    }
    const request = {
      supportedVersions: [agentProtocolVersion],
      proxyId,
      proxyVersion,
      config: this.#config,
      supportedEncodings: ['json'],
    };
    if (this.#outbox.send('handshake_request', handshakeRequestJson(request))) return;
    this.#finish({ kind: 'refused', detail: 'the configuration exceeds the maximum frame size' });
  }

  /** Returns whether no output is pending; also true after the socket has closed. */
  #write(octets: Uint8Array): boolean {
    if (this.#socket.destroyed || this.#socket.writableEnded) return true;
    this.#socket.write(octets);
    return this.#socket.writableLength === 0;
  }

  #onData(chunk: Uint8Array): void {
    boundLateness();
    // Deferred work may have ended the connection.
    if (this.#isOver) return;
    this.#isSilentSincePing = false;
    this.#decoder.push(chunk);
    for (let frame = this.#decoder.next(); frame !== null; frame = this.#decoder.next()) {
      const message = readAgentFrame(frame, this.#known);
      if (message.ok) this.#handle(message.value);
      else this.#finish({ kind: 'malformed', detail: message.error });
      // Each message may cause a request to be sent.
      boundLateWrites();
      if (this.#isOver) return;
    }
    if (this.#decoder.failure !== null) this.#finish({ kind: 'malformed', detail: this.#decoder.failure });
  }

  #handle(message: AgentFrameMessage): void {
    if (message.kind === 'handshake_response') {
      if (this.#capabilities === null) this.#onHandshake(message.response);
      else this.#finish({ kind: 'malformed', detail: 'a second answer to the handshake' });
      return;
    }
    if (this.#capabilities === null) {
      this.#finish({ kind: 'malformed', detail: 'a message before the answer to the handshake' });
      return;
    }
    switch (message.kind) {
      case 'answer':
        if (this.#configures.size > 0 && this.#configures.has(message.correlationId)) {
          this.#onConfigured(message.correlationId, message.answer);
        } else this.#listener.onAnswer(message.correlationId, message.answer);
        return;
      case 'health':
        this.#listener.onHealth(message.health);
        return;
      case 'metrics':
        this.#listener.onMetrics(message.report);
        return;
      case 'unreadable_report':
        this.#listener.onUnreadableReport(message.problem);
        return;
      case 'config_update':
        this.#listener.onConfigUpdate(message.request);
        return;
      case 'flow_control':
        this.#listener.onFlowControl(message.signal);
        return;
      case 'pong':
    }
  }

  #onHandshake(response: HandshakeResponse): void {
    if (!response.success) {
      this.#finish({ kind: 'refused', detail: response.error.slice(0, maxReasonLength) });
    } else if (response.protocolVersion !== agentProtocolVersion) {
      const detail = `no common protocol version: the agent speaks ${response.protocolVersion}`;
      this.#finish({ kind: 'refused', detail });
    } else {
      this.#deadline.cancel();
      this.#capabilities = response.capabilities;
      this.#listener.onReady(response.capabilities);
    }
  }

  #onConfigured(correlationId: string, answer: Result<AgentAnswer, string>): void {
    if (!answer.ok) this.#settleConfigure(correlationId, err({ kind: 'no_answer', reason: answer.error }));
    else if (answer.value.decision.kind === 'allow') this.#settleConfigure(correlationId, ok(undefined));
    else this.#settleConfigure(correlationId, err({ kind: 'refused', reason: rejectionReason(answer.value) }));
  }

  #settleConfigure(correlationId: string, outcome: ConfigureOutcome): void {
    const settle = this.#configures.get(correlationId);
    this.#configures.delete(correlationId);
    settle?.(outcome);
  }

  /** Sends a ping. Ends the connection if nothing arrived since the last one. */
  #keepAlive(): void {
    if (!this.#isReady) return;
    if (this.#isSilentSincePing) {
      this.#finish({ kind: 'ended', detail: 'the agent does not answer a ping' });
      return;
    }
    this.#isSilentSincePing = true;
    this.#pings += 1;
    this.#outbox.send('ping', pingJson(this.#pings, this.#clock.wallMs()));
  }

  #finish(end: ConnectionEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#deadline.cancel();
    this.#keepalive.cancel();
    this.#socket.destroySoon();
    if (!this.#socket.destroyed) this.#closeUnread();
    for (const correlationId of [...this.#configures.keys()]) {
      this.#settleConfigure(correlationId, err({ kind: 'no_answer', reason: end.detail }));
    }
    this.#listener.onEnd(end);
  }

  /** Closes the socket if the agent accepts none of the last octets for the handshake's timeout. */
  #closeUnread(): void {
    const progress = writeProgressToken(this.#socket);
    this.#closing = this.#scheduler.after(this.#options.handshakeTimeoutMs, () => {
      if (writeProgressToken(this.#socket) === progress) this.#socket.destroy();
      else this.#closeUnread();
    });
  }
}
