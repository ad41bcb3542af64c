import type { ConfigureOutcome } from '../../../application/ports/gateway/agent-client.js';
import type {
  AgentConnection,
  AgentConnectionListener,
  ConnectionEnd,
} from '../../../application/ports/gateway/agent-connector.js';
import type { Clock } from '../../../application/ports/shared/clock.js';
import type { ScheduledTask, Scheduler } from '../../../application/ports/shared/scheduler.js';
import type { AgentCapabilities } from '../../../domain/agent-protocol/capabilities.js';
import { agentProtocolVersion } from '../../../domain/agent-protocol/handshake.js';
import type { AgentHealth } from '../../../domain/agent-protocol/health.js';
import type { AgentEvent, CancelReason } from '../../../domain/agent-protocol/messages.js';
import type { JsonObject } from '../../../domain/shared/json.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { readGrpcAgentMessage, readHandshake } from '../../wire/agent-grpc/agent-message.js';
import {
  writeCancel,
  writeConfigure,
  writeEvent,
  writeHandshakeRequest,
  writePing,
} from '../../wire/agent-grpc/gateway-message.js';
import type { GrpcAgentToProxy, GrpcProxyControl, GrpcProxyToAgent } from '../../wire/agent-grpc/grpc-messages.js';
import type { MessageCheck } from '../../wire/agent-grpc/message-shape.js';
import { readOwnedHeaders } from '../../wire/agent-grpc/owned-headers-metadata.js';
import type { GrpcHandshakeResponse } from '../../wire/agent-messages/handshake-messages.js';
import type { AgentStreams, AgentStreamsListener } from './agent-streams.js';
import type { GrpcConnectorConfiguration, GrpcConnectorOptions } from './grpc-client-options.js';

/** Maximum characters of the agent's text in the log. */
const maxReasonLength = 500;

const notSent = (reason: string): ConfigureOutcome => err({ kind: 'no_answer', reason });

/** Opens the streams of a connection, or returns why the agent is unreachable. */
export type StreamsOpener = (listener: AgentStreamsListener) => Promise<Result<AgentStreams, ConnectionEnd>>;

/** One connection to an agent over gRPC, from the connection attempt to its end. Not reusable. */
export class GrpcAgentConnection implements AgentConnection {
  readonly #settings: Pick<GrpcConnectorConfiguration, 'proxyId' | 'proxyVersion'>;
  readonly #clock: Clock;
  readonly #listener: AgentConnectionListener;
  readonly #deadline: ScheduledTask;
  readonly #keepalive: ScheduledTask;
  #streams: AgentStreams | null = null;
  #ownedHeaders: Result<readonly string[], string> = ok([]);
  #capabilities: AgentCapabilities | null = null;
  /** Whether the agent drains; this is final. */
  #isDraining = false;
  #isOver = false;
  #pings = 0;
  #isSilentSincePing = false;

  constructor(
    settings: Pick<GrpcConnectorConfiguration, 'proxyId' | 'proxyVersion'>,
    options: GrpcConnectorOptions,
    config: JsonObject | null,
    clock: Clock,
    scheduler: Scheduler,
    openStreams: StreamsOpener,
    listener: AgentConnectionListener,
  ) {
    this.#settings = settings;
    this.#clock = clock;
    this.#listener = listener;
    this.#deadline = scheduler.after(options.handshakeTimeoutMs, () => {
      this.#abort({ kind: 'ended', detail: 'the agent did not answer the handshake in time' });
    });
    this.#keepalive = scheduler.every(options.pingIntervalMs, () => this.#keepAlive());
    void this.#open(openStreams, config);
  }

  get isBusy(): boolean {
    return this.#streams?.isBusy ?? false;
  }

  sendEvent(event: AgentEvent): boolean {
    return this.#send(writeEvent(event, this.#clock.wallMs()));
  }

  sendCancel(correlationId: string, reason: CancelReason): void {
    if (this.#capabilities?.features.cancellation === true)
      this.#send(writeCancel(correlationId, reason, this.#clock.wallMs()));
  }

  /** Resolves when sent: an agent answers only refusals, with a ConfigUpdateRequest. */
  configure(config: JsonObject | null, _correlationId: string, version: string): Promise<ConfigureOutcome> {
    if (!this.#isReady) return Promise.resolve(notSent('there is no connection'));
    const isSent = this.#send(writeConfigure(config, version, this.#clock.wallMs()));
    return Promise.resolve(isSent ? ok('sent') : notSent('the configuration exceeds the maximum message size'));
  }

  close(detail: string): void {
    if (this.#isOver) return;
    // Before the handshake there is no output to wait for.
    if (this.#isReady) this.#streams?.close();
    else this.#streams?.abort();
    this.#finish({ kind: 'ended', detail });
  }

  get #isReady(): boolean {
    return this.#capabilities !== null && !this.#isOver;
  }

  #send(message: GrpcProxyToAgent): boolean {
    return this.#isOver || this.#streams === null || this.#streams.send(message);
  }

  async #open(openStreams: StreamsOpener, config: JsonObject | null): Promise<void> {
    const streamsListener: AgentStreamsListener = {
      onOwnedHeaders: (values) => {
        this.#ownedHeaders = readOwnedHeaders(values);
      },
      onMessage: (message, look) => this.#onMessage(message, look),
      onGoaway: () => this.#drain('the agent closes its connections'),
      onRoom: () => this.#listener.onRoom(),
      onEnd: (end) => this.#finish(end),
    };
    const streams = await openStreams(streamsListener);
    if (!streams.ok) {
      this.#finish(streams.error);
      return;
    }
    this.#streams = streams.value;
    if (this.#isOver) {
      this.#streams.abort();
      return;
    }
    const { proxyId, proxyVersion } = this.#settings;
    const supportedVersions = [agentProtocolVersion];
    const request = { supportedVersions, proxyId, proxyVersion, config, supportedEncodings: [] };
    if (this.#streams.send(writeHandshakeRequest(request))) return;
    this.#abort({ kind: 'refused', detail: 'the configuration exceeds the maximum message size' });
  }

  #onMessage(message: GrpcAgentToProxy, look: MessageCheck): void {
    this.#isSilentSincePing = false;
    const read = readGrpcAgentMessage(message, look);
    if (!read.ok) {
      this.#abort({ kind: 'malformed', detail: read.error });
      return;
    }
    const { value } = read;
    if (value.kind === 'handshake') {
      if (this.#capabilities === null) this.#onHandshake(value.response);
      else this.#abort({ kind: 'malformed', detail: 'a second answer to the handshake' });
      return;
    }
    if (this.#capabilities === null) {
      this.#abort({ kind: 'malformed', detail: 'a message before the answer to the handshake' });
      return;
    }
    switch (value.kind) {
      case 'answer':
        this.#listener.onAnswer(value.correlationId, value.answer);
        return;
      case 'health':
        this.#onHealth(value.health);
        return;
      case 'metrics':
        this.#listener.onMetrics(value.report);
        return;
      case 'flow_control':
        this.#listener.onFlowControl(value.signal);
        return;
      case 'config_update':
        this.#listener.onConfigUpdate(value.request);
        return;
      case 'log':
        this.#listener.onLogLine(value.line);
        return;
      case 'unreadable_report':
        this.#listener.onUnreadableReport(value.problem);
        return;
      case 'pong':
    }
  }

  #onHandshake(message: GrpcHandshakeResponse): void {
    const response = this.#ownedHeaders.ok ? readHandshake(message, this.#ownedHeaders.value) : this.#ownedHeaders;
    if (!response.ok) {
      this.#abort({ kind: 'malformed', detail: response.error });
    } else if (!response.value.success) {
      this.#abort({ kind: 'refused', detail: response.value.error.slice(0, maxReasonLength) });
    } else if (response.value.protocolVersion !== agentProtocolVersion) {
      const detail = `no common protocol version: the agent speaks ${response.value.protocolVersion}`;
      this.#abort({ kind: 'refused', detail });
    } else {
      this.#deadline.cancel();
      this.#capabilities = response.value.capabilities;
      this.#streams?.openControl((control) => this.#onControl(control));
      this.#listener.onReady(this.#capabilities);
    }
  }

  #onHealth(health: AgentHealth): void {
    const isServing = health.state === 'healthy' || health.state === 'degraded';
    this.#listener.onHealth(this.#isDraining && isServing ? { ...health, state: 'draining' } : health);
  }

  /** Handles drain and shutdown; ignores configurations. */
  #onControl({ drain, shutdown }: GrpcProxyControl): void {
    if ((shutdown ?? null) !== null) this.#drain('the agent shuts down');
    else if ((drain ?? null) !== null) this.#drain('the agent drains');
  }

  #drain(message: string): void {
    if (this.#isDraining || this.#capabilities === null || this.#isOver) return;
    this.#isDraining = true;
    this.#listener.onHealth({
      agentId: this.#capabilities.agentId,
      state: 'draining',
      message,
      load: null,
      resources: null,
      disabledFeatures: [],
      validForMs: null,
      timestampMs: this.#clock.wallMs(),
    });
  }

  /** Sends a ping. Ends the connection if nothing arrived since the last one. */
  #keepAlive(): void {
    if (!this.#isReady) return;
    if (this.#isSilentSincePing) {
      this.#abort({ kind: 'ended', detail: 'the agent does not answer a ping' });
      return;
    }
    this.#isSilentSincePing = true;
    this.#pings += 1;
    this.#send(writePing(this.#pings, this.#clock.wallMs()));
  }

  #abort(end: ConnectionEnd): void {
    this.#streams?.abort();
    this.#finish(end);
  }

  #finish(end: ConnectionEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#deadline.cancel();
    this.#keepalive.cancel();
    this.#listener.onEnd(end);
  }
}
