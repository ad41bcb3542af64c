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

export interface ProcessStreamParts {
  readonly method: GrpcServiceDefinition['processStream'];
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly options: GrpcServerOptions;
  /** What the agent says of itself before a gateway has said anything. */
  readonly capabilities: () => AgentCapabilities;
  readonly onClosed: () => void;
}

/** One call of ProcessStream: its messages, and when to stop reading them. */
export class ProcessStream implements GatewayConnection, CallListener<GrpcGatewayMessage> {
  readonly #call: GrpcCall<GrpcGatewayMessage>;
  readonly #parts: ProcessStreamParts;
  readonly #sessions: GatewaySessions;
  readonly #session: GatewaySession;
  readonly #metadataDelay: ScheduledTask;
  #refusals = 0;

  constructor(call: GrpcCall<GrpcGatewayMessage>, sessions: GatewaySessions, parts: ProcessStreamParts) {
    this.#call = call;
    this.#parts = parts;
    this.#sessions = sessions;
    this.#session = sessions.open(this);
    // The answer to the handshake knows the names best, but a caller may send nothing before it has seen the metadata.
    this.#metadataDelay = parts.scheduler.after(parts.options.metadataDelayMs, () => {
      this.#sendMetadata(parts.capabilities());
    });
    call.listen(this);
  }

  /** Ends it where a message has been coming for too long. */
  checkMessage(): void {
    if (this.#call.arrivingForMs >= this.#parts.options.messageTimeoutMs) {
      this.#session.fail('a message did not come to its end in time');
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
    // Nothing more will be asked: what is in flight is still answered.
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
    this.#parts.onClosed();
  }

  sendHandshake(response: HandshakeResponse, capabilities: AgentCapabilities): void {
    this.#sendMetadata(response.success ? response.capabilities : capabilities);
    this.#send(handshakeMessage(response, capabilities, this.#parts.options.healthIntervalMs));
  }

  sendAnswer(answer: AgentAnswer, correlationId: string): string | null {
    if (changesBody(answer)) return 'it changes a body, for which gRPC has no message';
    return this.#send(agentResponseMessage(answer, correlationId)) ? null : 'it is larger than a message can be';
  }

  /** This transport has an answer to what is refused alone. */
  sendConfigured(_correlationId: string, outcome: Result<void, string>): void {
    if (outcome.ok) return;
    this.#refusals += 1;
    this.#send(configErrorMessage(`refusal-${this.#refusals}`, outcome.error, this.#parts.clock.wallMs()));
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
      case 'unasked_event':
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
    this.#send(pongMessage(sequence, timestampMs, this.#parts.clock.wallMs()));
  }

  #sendMetadata(capabilities: AgentCapabilities): void {
    this.#call.sendMetadata({ [ownedHeadersKey]: ownedHeadersText(capabilities) });
  }

  /** False where the message is too large. What can no longer be sent is dropped. */
  #send(message: GrpcAgentToProxy): boolean {
    const octets = this.#parts.method.responseSerialize(message);
    if (octets.length > maximumMessageBytes) return false;
    this.#call.send(octets);
    const { pausingOutputBytes, maxOutputBytes } = this.#parts.options;
    const waiting = this.#call.waitingBytes;
    if (waiting > maxOutputBytes) this.#session.fail('the gateway does not read');
    else if (waiting > pausingOutputBytes) this.#session.stalled();
    return true;
  }
}
