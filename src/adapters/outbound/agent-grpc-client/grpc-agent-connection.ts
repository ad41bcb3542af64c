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
import type { MessageLook } from '../../wire/agent-grpc/message-shape.js';
import { readOwnedHeaders } from '../../wire/agent-grpc/owned-headers-metadata.js';
import type { GrpcHandshakeResponse } from '../../wire/agent-messages/handshake-messages.js';
import type { AgentGrpcConnection, GrpcLineListener } from './agent-grpc-connection.js';
import type { GrpcConnectorOptions, GrpcConnectorSettings } from './grpc-client-options.js';

/** Characters of an agent's own words that go into the log. */
const maximumReasonLength = 500;

const notSent = (reason: string): ConfigureOutcome => err({ kind: 'no_answer', reason });

/** Makes the line that a connection goes by; what cannot be made is why the agent cannot be reached. */
export type LineOpener = (listener: GrpcLineListener) => Promise<Result<AgentGrpcConnection, ConnectionEnd>>;

/** One connection to an agent over gRPC, from the attempt to connect to its end; it is never used again after that. */
export class GrpcAgentConnection implements AgentConnection {
  readonly #settings: Pick<GrpcConnectorSettings, 'proxyId' | 'proxyVersion'>;
  readonly #clock: Clock;
  readonly #listener: AgentConnectionListener;
  readonly #deadline: ScheduledTask;
  readonly #keepalive: ScheduledTask;
  #line: AgentGrpcConnection | null = null;
  #ownedHeaders: Result<readonly string[], string> = ok([]);
  #capabilities: AgentCapabilities | null = null;
  /** Whether the agent has said that it takes no more; it cannot take that back. */
  #isDraining = false;
  #isOver = false;
  #pings = 0;
  #isSilentSincePing = false;

  constructor(
    settings: Pick<GrpcConnectorSettings, 'proxyId' | 'proxyVersion'>,
    options: GrpcConnectorOptions,
    config: JsonObject | null,
    clock: Clock,
    scheduler: Scheduler,
    openLine: LineOpener,
    listener: AgentConnectionListener,
  ) {
    this.#settings = settings;
    this.#clock = clock;
    this.#listener = listener;
    this.#deadline = scheduler.after(options.handshakeTimeoutMs, () => {
      this.#abort({ kind: 'ended', detail: 'the agent did not answer the handshake in time' });
    });
    this.#keepalive = scheduler.every(options.pingIntervalMs, () => this.#keepAlive());
    void this.#open(openLine, config);
  }

  get isBusy(): boolean {
    return this.#line?.isBusy ?? false;
  }

  sendEvent(event: AgentEvent): boolean {
    return this.#send(writeEvent(event, this.#clock.wallMs()));
  }

  sendCancel(correlationId: string, reason: CancelReason): void {
    if (this.#capabilities?.features.cancellation === true)
      this.#send(writeCancel(correlationId, reason, this.#clock.wallMs()));
  }

  /** There is no answer to it: a refusal comes as a ConfigUpdateRequest. */
  configure(config: JsonObject | null, _correlationId: string, version: string): Promise<ConfigureOutcome> {
    if (!this.#isReady) return Promise.resolve(notSent('there is no connection'));
    const isSent = this.#send(writeConfigure(config, version, this.#clock.wallMs()));
    return Promise.resolve(isSent ? ok('sent') : notSent('the configuration is larger than a message can be'));
  }

  close(detail: string): void {
    if (this.#isOver) return;
    // Before the handshake nothing has been said that would be worth waiting for.
    if (this.#isReady) this.#line?.close();
    else this.#line?.abort();
    this.#finish({ kind: 'ended', detail });
  }

  get #isReady(): boolean {
    return this.#capabilities !== null && !this.#isOver;
  }

  #send(message: GrpcProxyToAgent): boolean {
    return this.#isOver || this.#line === null || this.#line.send(message);
  }

  async #open(openLine: LineOpener, config: JsonObject | null): Promise<void> {
    const lineListener: GrpcLineListener = {
      onOwnedHeaders: (values) => {
        this.#ownedHeaders = readOwnedHeaders(values);
      },
      onMessage: (message, look) => this.#onMessage(message, look),
      onGoaway: () => this.#drain('the agent closes its connections'),
      onRoom: () => this.#listener.onRoom(),
      onEnd: (end) => this.#finish(end),
    };
    const line = await openLine(lineListener);
    if (!line.ok) {
      this.#finish(line.error);
      return;
    }
    this.#line = line.value;
    if (this.#isOver) {
      this.#line.abort();
      return;
    }
    const { proxyId, proxyVersion } = this.#settings;
    const supportedVersions = [agentProtocolVersion];
    const request = { supportedVersions, proxyId, proxyVersion, config, supportedEncodings: [] };
    if (this.#line.send(writeHandshakeRequest(request))) return;
    this.#abort({ kind: 'refused', detail: 'the configuration is larger than a message can be' });
  }

  #onMessage(message: GrpcAgentToProxy, look: MessageLook): void {
    this.#isSilentSincePing = false;
    const read = readGrpcAgentMessage(message, look);
    if (!read.ok) {
      this.#abort({ kind: 'malformed', detail: read.error });
      return;
    }
    const { value } = read;
    if (value.kind === 'handshake') {
      if (this.#capabilities === null) this.#takeHandshake(value.response);
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
        this.#takeHealth(value.health);
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

  #takeHandshake(message: GrpcHandshakeResponse): void {
    const response = this.#ownedHeaders.ok ? readHandshake(message, this.#ownedHeaders.value) : this.#ownedHeaders;
    if (!response.ok) {
      this.#abort({ kind: 'malformed', detail: response.error });
    } else if (!response.value.success) {
      this.#abort({ kind: 'refused', detail: response.value.error.slice(0, maximumReasonLength) });
    } else if (response.value.protocolVersion !== agentProtocolVersion) {
      const detail = `no common protocol version: the agent speaks ${response.value.protocolVersion}`;
      this.#abort({ kind: 'refused', detail });
    } else {
      this.#deadline.cancel();
      this.#capabilities = response.value.capabilities;
      this.#line?.openControl((control) => this.#onControl(control));
      this.#listener.onReady(this.#capabilities);
    }
  }

  #takeHealth(health: AgentHealth): void {
    const isLess = health.state === 'healthy' || health.state === 'degraded';
    this.#listener.onHealth(this.#isDraining && isLess ? { ...health, state: 'draining' } : health);
  }

  /** A configuration there is a sign of life, or nothing that a gateway takes. */
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

  /** Anything that comes counts as a sign of life; nothing at all after a ping ends the connection. */
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
    this.#line?.abort();
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
