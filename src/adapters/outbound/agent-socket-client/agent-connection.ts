import { connect, type Socket } from 'node:net';
import type { ConfigureOutcome } from '../../../application/ports/agent-client.js';
import type { Clock } from '../../../application/ports/clock.js';
import type { ScheduledTask, Scheduler } from '../../../application/ports/scheduler.js';
import type { AgentCapabilities } from '../../../domain/agent-protocol/capabilities.js';
import { agentProtocolVersion, type HandshakeResponse } from '../../../domain/agent-protocol/handshake.js';
import type { AgentHealth, AgentState } from '../../../domain/agent-protocol/health.js';
import type { AgentAnswer, AgentEvent, CancelReason } from '../../../domain/agent-protocol/messages.js';
import type { MetricsReport } from '../../../domain/agent-protocol/metrics-report.js';
import type { JsonObject } from '../../../domain/shared/json.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { type AgentMessage, readAgentMessage } from '../../wire/agent-frames/agent-message.js';
import { cancelJson, configureJson, pingJson } from '../../wire/agent-frames/control-codec.js';
import { eventJson } from '../../wire/agent-frames/event-codec.js';
import { FrameDecoder } from '../../wire/agent-frames/frame-decoder.js';
import { FrameOutbox } from '../../wire/agent-frames/frame-outbox.js';
import { handshakeRequestJson } from '../../wire/agent-frames/handshake-codec.js';
import { agentMessageNames } from '../../wire/agent-frames/message-codes.js';
import type { AgentSocketClientOptions, AgentSocketClientSettings } from './socket-client-options.js';
import { checkSocketOwner } from './socket-owner.js';

/** Why a connection is over. */
export interface ConnectionEnd {
  /** `refused`: the agent does not want this gateway, or its configuration. */
  readonly kind: 'ended' | 'malformed' | 'refused';
  readonly detail: string;
}

/** Who is told what happens on a connection. */
export interface ConnectionListener {
  /** The handshake has succeeded. */
  onReady(connection: AgentConnection): void;
  onAnswer(connection: AgentConnection, correlationId: string, answer: Result<AgentAnswer, string>): void;
  onHealth(connection: AgentConnection, health: AgentHealth): void;
  onMetrics(connection: AgentConnection, report: MetricsReport): void;
  onUnreadableReport(problem: string): void;
  /** Output that waited has left. */
  onRoom(connection: AgentConnection): void;
  /** Called once, whatever happened before. */
  onEnd(connection: AgentConnection, end: ConnectionEnd): void;
}

const rejectionPrefix = 'Configuration rejected: ';
/** Characters of an agent's own words that go into the log. */
const maximumReasonLength = 500;
/** How long a call that timed out tells against a connection, in milliseconds. */
const silenceMemoryMs = 5_000;

const rejectionReason = (answer: AgentAnswer): string => {
  const body = answer.decision.kind === 'block' ? answer.decision.body : null;
  const reason = body?.startsWith(rejectionPrefix) ? body.slice(rejectionPrefix.length) : body;
  return (reason ?? 'no reason given').slice(0, maximumReasonLength);
};

/** One connection to an agent, from the attempt to connect to its end; it is never used again after that. */
export class AgentConnection {
  readonly #settings: AgentSocketClientSettings;
  readonly #options: AgentSocketClientOptions;
  readonly #clock: Clock;
  readonly #listener: ConnectionListener;
  readonly #socket: Socket;
  readonly #decoder = new FrameDecoder(agentMessageNames);
  readonly #outbox: FrameOutbox;
  readonly #configures = new Map<string, (outcome: ConfigureOutcome) => void>();
  readonly #deadline: ScheduledTask;
  readonly #keepalive: ScheduledTask;
  #capabilities: AgentCapabilities | null = null;
  #maxInFlight = 0;
  #state: AgentState = 'healthy';
  #isOver = false;
  #pings = 0;
  #isSilentSincePing = false;
  /** When a call timed out that no answer has followed; null where there is none. */
  #timedOutAtMs: number | null = null;
  /** The configuration of its handshake. */
  readonly config: JsonObject | null;
  /** Calls that have been sent and have no outcome; kept by the owner of the calls. */
  inFlight = 0;
  /** When the handshake succeeded, on the monotonic clock; null before. */
  readySinceMs: number | null = null;

  constructor(
    settings: AgentSocketClientSettings,
    options: AgentSocketClientOptions,
    config: JsonObject | null,
    clock: Clock,
    scheduler: Scheduler,
    listener: ConnectionListener,
  ) {
    this.#settings = settings;
    this.#options = options;
    this.config = config;
    this.#clock = clock;
    this.#listener = listener;
    this.#socket = connect({ path: settings.path });
    this.#outbox = new FrameOutbox((octets) => {
      if (this.#socket.writable) this.#socket.write(octets);
    }, process.nextTick);
    this.#deadline = scheduler.after(options.handshakeTimeoutMs, () => {
      this.#finish({ kind: 'ended', detail: 'the agent did not answer the handshake in time' });
    });
    this.#keepalive = scheduler.every(options.pingIntervalMs, () => this.#keepAlive());
    this.#socket.once('connect', () => void this.#shakeHands());
    this.#socket.on('data', (chunk) => this.#onData(chunk));
    this.#socket.on('drain', () => this.#listener.onRoom(this));
    this.#socket.on('error', (error) => this.#finish({ kind: 'ended', detail: error.message }));
    this.#socket.on('close', () => {
      const detail = this.#decoder.isInsideFrame ? 'the connection ended within a frame' : 'the agent closed it';
      this.#finish({ kind: 'ended', detail });
    });
  }

  /** What the agent said in the handshake; null before. */
  get capabilities(): AgentCapabilities | null {
    return this.#capabilities;
  }

  /** The state it last reported by this connection. */
  get state(): AgentState {
    return this.#state;
  }

  /** Whether calls can be sent on it, be there a free place or not. */
  get isReady(): boolean {
    return this.#capabilities !== null && !this.#isOver;
  }

  /** Whether it can carry another call now. */
  get hasRoom(): boolean {
    return (
      this.isReady &&
      this.inFlight < this.#maxInFlight &&
      this.#socket.writableLength + this.#outbox.pendingBytes < this.#options.busyOutputBytes
    );
  }

  /** Whether calls timed out of late, and no answer at all has come since. */
  get isSilent(): boolean {
    return this.#timedOutAtMs !== null && this.#clock.monotonicMs() - this.#timedOutAtMs < silenceMemoryMs;
  }

  noteTimeOut(): void {
    this.#timedOutAtMs = this.#clock.monotonicMs();
  }

  /** False where the event is larger than a frame can be. */
  sendEvent(event: AgentEvent): boolean {
    return this.#outbox.send(event.kind, eventJson(event));
  }

  sendCancel(correlationId: string, reason: CancelReason): void {
    if (this.isReady) this.#outbox.send('cancel', cancelJson({ correlationId, reason }, this.#clock.wallMs()));
  }

  /** Hands over a configuration. Resolves in every case; `correlationId` must be unique. */
  configure(config: JsonObject | null, correlationId: string, scheduler: Scheduler): Promise<ConfigureOutcome> {
    return new Promise((resolve) => {
      const timer = scheduler.after(this.#options.configureTimeoutMs, () => {
        this.#settleConfigure(correlationId, err({ kind: 'no_answer', reason: 'the agent did not answer in time' }));
      });
      this.#configures.set(correlationId, (outcome) => {
        timer.cancel();
        resolve(outcome);
      });
      if (this.isReady && this.#outbox.send('configure', configureJson({ correlationId, config }))) return;
      this.#settleConfigure(correlationId, err({ kind: 'no_answer', reason: 'the configuration could not be sent' }));
    });
  }

  /** Closes after what is written has left. */
  close(detail: string): void {
    this.#outbox.flush();
    this.#finish({ kind: 'ended', detail });
  }

  async #shakeHands(): Promise<void> {
    const { path, owner, proxyId, proxyVersion } = this.#settings;
    // The handshake carries secrets, and the file may have been replaced since it was looked at first.
    const check = await checkSocketOwner(path, owner);
    if (check.kind === 'refused') {
      this.#finish({ kind: 'refused', detail: `the socket ${path} is not trusted: ${check.reason}` });
      return;
    }
    const request = {
      supportedVersions: [agentProtocolVersion],
      proxyId,
      proxyVersion,
      config: this.config,
      supportedEncodings: ['json'],
    };
    if (this.#outbox.send('handshake_request', handshakeRequestJson(request))) return;
    this.#finish({ kind: 'refused', detail: 'the configuration is larger than a frame can be' });
  }

  #onData(chunk: Uint8Array): void {
    if (this.#isOver) return;
    this.#isSilentSincePing = false;
    this.#decoder.push(chunk);
    for (let frame = this.#decoder.next(); frame !== null; frame = this.#decoder.next()) {
      const message = readAgentMessage(frame);
      if (message.ok) this.#handle(message.value);
      else this.#finish({ kind: 'malformed', detail: message.error });
      if (this.#isOver) return;
    }
    if (this.#decoder.failure !== null) this.#finish({ kind: 'malformed', detail: this.#decoder.failure });
  }

  #handle(message: AgentMessage): void {
    if (message.kind === 'handshake_response') {
      if (this.#capabilities === null) this.#takeHandshake(message.response);
      else this.#finish({ kind: 'malformed', detail: 'a second answer to the handshake' });
      return;
    }
    if (this.#capabilities === null) {
      this.#finish({ kind: 'malformed', detail: 'a message before the answer to the handshake' });
      return;
    }
    switch (message.kind) {
      case 'answer':
        this.#timedOutAtMs = null;
        if (this.#configures.has(message.correlationId)) this.#takeConfigured(message.correlationId, message.answer);
        else this.#listener.onAnswer(this, message.correlationId, message.answer);
        return;
      case 'health':
        this.#state = message.health.state;
        this.#listener.onHealth(this, message.health);
        return;
      case 'metrics':
        this.#listener.onMetrics(this, message.report);
        return;
      case 'unreadable_report':
        this.#listener.onUnreadableReport(message.problem);
        return;
      case 'pong':
      case 'notice':
    }
  }

  #takeHandshake(response: HandshakeResponse): void {
    if (!response.success) {
      this.#finish({ kind: 'refused', detail: response.error.slice(0, maximumReasonLength) });
    } else if (response.protocolVersion !== agentProtocolVersion) {
      const detail = `no common protocol version: the agent speaks ${response.protocolVersion}`;
      this.#finish({ kind: 'refused', detail });
    } else {
      this.#deadline.cancel();
      this.#capabilities = response.capabilities;
      this.#maxInFlight = Math.max(1, response.capabilities.limits.maxConcurrency);
      this.readySinceMs = this.#clock.monotonicMs();
      this.#listener.onReady(this);
    }
  }

  #takeConfigured(correlationId: string, answer: Result<AgentAnswer, string>): void {
    if (!answer.ok) this.#settleConfigure(correlationId, err({ kind: 'no_answer', reason: answer.error }));
    else if (answer.value.decision.kind === 'allow') this.#settleConfigure(correlationId, ok(undefined));
    else this.#settleConfigure(correlationId, err({ kind: 'refused', reason: rejectionReason(answer.value) }));
  }

  #settleConfigure(correlationId: string, outcome: ConfigureOutcome): void {
    const settle = this.#configures.get(correlationId);
    this.#configures.delete(correlationId);
    settle?.(outcome);
  }

  /** Anything that comes counts as a sign of life; nothing at all after a ping ends the connection. */
  #keepAlive(): void {
    if (!this.isReady) return;
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
    // Lets a last write leave; nothing is waited for, because a peer that does not read would hold the descriptor.
    this.#socket.destroySoon();
    this.#socket.setTimeout(this.#options.handshakeTimeoutMs, () => this.#socket.destroy());
    for (const correlationId of [...this.#configures.keys()]) {
      this.#settleConfigure(correlationId, err({ kind: 'no_answer', reason: end.detail }));
    }
    this.#listener.onEnd(this, end);
  }
}
