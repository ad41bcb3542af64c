import type { GatewayConnection } from '../../../application/agent/serve-gateways/gateway-connection.js';
import type { GatewaySession } from '../../../application/agent/serve-gateways/gateway-session.js';
import type { GatewaySessions } from '../../../application/agent/serve-gateways/gateway-sessions.js';
import type { Clock } from '../../../application/ports/shared/clock.js';
import type { ScheduledTask, Scheduler } from '../../../application/ports/shared/scheduler.js';
import type { AgentCapabilities } from '../../../domain/agent-protocol/capabilities.js';
import type { HandshakeResponse } from '../../../domain/agent-protocol/handshake.js';
import type { AgentHealth } from '../../../domain/agent-protocol/health.js';
import { type AgentAnswer, allowAnswer } from '../../../domain/agent-protocol/messages.js';
import type { MetricsReport } from '../../../domain/agent-protocol/metrics-report.js';
import type { Result } from '../../../domain/shared/result.js';
import {
  agentResponseMessage,
  configErrorMessage,
  handshakeMessage,
  healthMessage,
  metricsMessage,
  pongMessage,
} from '../../wire/agent-grpc/agent-message.js';
import type { GrpcServiceDefinition } from '../../wire/agent-grpc/agent-service-definition.js';
import type { GrpcGatewayMessage } from '../../wire/agent-grpc/gateway-message.js';
import type { GrpcAgentToProxy } from '../../wire/agent-grpc/grpc-messages.js';
import { ownedHeadersKey, ownedHeadersText } from '../../wire/agent-grpc/owned-headers-metadata.js';
import { changesBody } from '../../wire/agent-messages/answer-messages.js';
import type { CallListener, GrpcCall } from './grpc-call.js';
import { type GrpcServerOptions, maximumMessageBytes } from './grpc-server-options.js';
import { grpcStatus } from './grpc-status.js';
import type { IncomingMessage } from './incoming-message.js';

export interface ProcessStreamOptions {
  readonly method: GrpcServiceDefinition['processStream'];
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly options: GrpcServerOptions;
  /** The agent's capabilities before a handshake. */
  readonly capabilities: () => AgentCapabilities;
  readonly onClosed: () => void;
}

/** One ProcessStream call. Reads messages and pauses under back-pressure. */
export class ProcessStream implements GatewayConnection, CallListener<GrpcGatewayMessage> {
  readonly #call: GrpcCall<GrpcGatewayMessage>;
  readonly #settings: ProcessStreamOptions;
  readonly #sessions: GatewaySessions;
  readonly #session: GatewaySession;
  readonly #metadataDelay: ScheduledTask;
  #refusals = 0;

  constructor(call: GrpcCall<GrpcGatewayMessage>, sessions: GatewaySessions, settings: ProcessStreamOptions) {
    this.#call = call;
    this.#settings = settings;
    this.#sessions = sessions;
    this.#session = sessions.open(this);
    // The handshake answer knows the owned headers best, but some callers wait for metadata before
    // they send.
    this.#metadataDelay = settings.scheduler.after(settings.options.metadataDelayMs, () => {
      this.#sendMetadata(settings.capabilities());
    });
    call.listen(this);
  }

  /** Ends the session if a message exceeds its timeout. */
  checkMessage(): void {
    if (this.#call.arrivingForMs >= this.#settings.options.messageTimeoutMs) {
      this.#session.fail('a message was not complete in time');
    }
  }

  message({ size, message }: IncomingMessage<GrpcGatewayMessage>): void {
    const session = this.#session;
    if (session.isOver) return;
    this.#metadataDelay.cancel();
    if (message.ok) this.#handle(message.value, size);
    else session.fail(message.error);
    if (!session.isOver && !session.canTake) this.#call.pause();
  }

  ended(): void {
    if (this.#call.isWithinMessage) this.#session.fail('the call ended within a message');
    // The gateway sends no more events; those in flight are still answered.
    else this.#session.drain();
  }

  flowing(): void {
    this.#session.flowing();
    this.resume();
  }

  holds(octets: number): void {
    this.#session.holds(octets);
  }

  closed(): void {
    this.#metadataDelay.cancel();
    this.#sessions.close(this.#session);
    this.#settings.onClosed();
  }

  sendHandshake(response: HandshakeResponse, capabilities: AgentCapabilities): void {
    this.#sendMetadata(response.success ? response.capabilities : capabilities);
    this.#send(handshakeMessage(response, capabilities, this.#settings.options.healthIntervalMs));
  }

  sendAnswer(answer: AgentAnswer, correlationId: string): string | null {
    if (changesBody(answer)) return 'it changes a body, for which gRPC has no message';
    return this.#send(agentResponseMessage(answer, correlationId)) ? null : 'it exceeds the maximum message size';
  }

  /** Reports only refusals: gRPC has no message for an accepted configuration. */
  sendConfigured(_correlationId: string, outcome: Result<void, string>): void {
    if (outcome.ok) return;
    this.#refusals += 1;
    this.#send(configErrorMessage(`refusal-${this.#refusals}`, outcome.error, this.#settings.clock.wallMs()));
  }

  sendHealth(health: AgentHealth): void {
    this.#send(healthMessage(health));
  }

  sendMetrics(report: MetricsReport): void {
    this.#send(metricsMessage(report));
  }

  resume(): void {
    if (this.#session.canTake) this.#call.resume();
  }

  end(): void {
    this.#call.end();
  }

  cutOff(reason: string): void {
    this.#call.cutOff(grpcStatus.aborted, reason);
  }

  #handle(message: GrpcGatewayMessage, size: number): void {
    const session = this.#session;
    switch (message.kind) {
      case 'handshake':
        session.handshake(message.request);
        return;
      case 'event':
        session.event(message.event, size);
        return;
      case 'unsupported_event':
        if (session.admits(message.correlationId)) this.sendAnswer(allowAnswer, message.correlationId);
        return;
      case 'configure':
        session.configure({ correlationId: '', config: message.config, version: message.version });
        return;
      case 'heartbeat':
        session.admits(null);
        return;
      case 'cancel':
        session.cancel(message.correlationId, message.reason);
        return;
      case 'ping':
        if (session.admits(null)) this.#pong(message.sequence, message.timestampMs);
    }
  }

  #pong(sequence: number, timestampMs: number): void {
    this.#send(pongMessage(sequence, timestampMs, this.#settings.clock.wallMs()));
  }

  #sendMetadata(capabilities: AgentCapabilities): void {
    this.#call.sendMetadata({ [ownedHeadersKey]: ownedHeadersText(capabilities) });
  }

  /** Returns false if the message is too large. Drops it after the end of the call. */
  #send(message: GrpcAgentToProxy): boolean {
    const octets = this.#settings.method.responseSerialize(message);
    if (octets.length > maximumMessageBytes) return false;
    this.#call.send(octets);
    const { pausingOutputBytes, maxOutputBytes } = this.#settings.options;
    const waiting = this.#call.pendingBytes;
    if (waiting > maxOutputBytes) this.#session.fail('the gateway does not read');
    else if (waiting > pausingOutputBytes) this.#session.stalled();
    return true;
  }
}
