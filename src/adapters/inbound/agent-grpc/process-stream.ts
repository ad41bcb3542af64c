import type { ServerHttp2Stream } from 'node:http2';
import type { Clock } from '../../../application/ports/clock.js';
import type { Logger } from '../../../application/ports/logger.js';
import type { ScheduledTask, Scheduler } from '../../../application/ports/scheduler.js';
import type { GatewayLine } from '../../../application/serve-gateways/gateway-line.js';
import type { GatewaySession } from '../../../application/serve-gateways/gateway-session.js';
import type { GatewaySessions } from '../../../application/serve-gateways/gateway-sessions.js';
import type { AgentCapabilities } from '../../../domain/agent-protocol/capabilities.js';
import type { HandshakeResponse } from '../../../domain/agent-protocol/handshake.js';
import type { AgentHealth } from '../../../domain/agent-protocol/health.js';
import { type AgentAnswer, allowAnswer } from '../../../domain/agent-protocol/messages.js';
import type { MetricsReport } from '../../../domain/agent-protocol/metrics-report.js';
import type { Result } from '../../../domain/shared/result.js';
import type { ServedAgentService } from '../../wire/agent-grpc/agent-service-definition.js';
import { agentResponseMessage, changesBody } from '../../wire/agent-grpc/answer-writer.js';
import type { GrpcGatewayMessage } from '../../wire/agent-grpc/gateway-message.js';
import type { GrpcAgentToProxy } from '../../wire/agent-grpc/grpc-reports.js';
import { handshakeAnswerMessage, ownedHeadersText } from '../../wire/agent-grpc/handshake-answer.js';
import { ownedHeadersKey } from '../../wire/agent-grpc/owned-headers-metadata.js';
import { maximumMessageBytes, PrefixedMessageDecoder } from '../../wire/agent-grpc/prefixed-message-decoder.js';
import { healthMessage, metricsMessage } from '../../wire/agent-grpc/report-writer.js';
import { decodeGatewayMessage } from './decode-gateway-message.js';
import { GrpcReply } from './grpc-reply.js';
import type { GrpcServerOptions } from './grpc-server-options.js';
import { grpcStatus } from './grpc-status.js';

export interface ProcessStreamParts {
  readonly method: ServedAgentService['processStream'];
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
  readonly options: GrpcServerOptions;
  /** What the agent says of itself before a gateway has said anything. */
  readonly capabilities: () => AgentCapabilities;
}

/** One call of ProcessStream: its messages, and when to stop reading them. */
export class ProcessStream implements GatewayLine {
  readonly #stream: ServerHttp2Stream;
  readonly #parts: ProcessStreamParts;
  readonly #reply: GrpcReply;
  readonly #decoder = new PrefixedMessageDecoder();
  readonly #session: GatewaySession;
  readonly #metadataDelay: ScheduledTask;
  #isReading = false;
  /** When the message that is being read began to come; null while there is none, or nothing is read. */
  #messageSinceMs: number | null = null;
  #refusals = 0;

  constructor(stream: ServerHttp2Stream, sessions: GatewaySessions, parts: ProcessStreamParts) {
    this.#stream = stream;
    this.#parts = parts;
    this.#reply = new GrpcReply(stream);
    const session = sessions.open(this);
    this.#session = session;
    // The answer to the handshake knows the names best, but a caller may send nothing before it has seen the metadata.
    this.#metadataDelay = parts.scheduler.after(parts.options.metadataDelayMs, () => {
      this.#sendMetadata(parts.capabilities());
    });
    stream.on('data', (chunk: Buffer) => {
      if (session.isOver) return;
      this.#decoder.push(chunk);
      this.#read();
    });
    stream.on('drain', () => {
      session.flowing();
      this.#read();
    });
    stream.on('end', () => {
      if (this.#decoder.hasBegun) session.fail('the call ended within a message');
      // Nothing more will be asked: what is in flight is still answered.
      else session.drain();
    });
    stream.on('close', () => {
      this.#metadataDelay.cancel();
      this.#messageSinceMs = null;
      sessions.close(session);
    });
  }

  /** Ends it where a message has been coming for too long. */
  checkMessage(): void {
    const since = this.#messageSinceMs;
    const { clock, options } = this.#parts;
    if (since === null || clock.monotonicMs() - since < options.messageTimeoutMs) return;
    this.#session.fail('a message did not come to its end in time');
  }

  sendHandshake(response: HandshakeResponse, capabilities: AgentCapabilities): void {
    this.#sendMetadata(response.success ? response.capabilities : capabilities);
    this.#send({ handshake: handshakeAnswerMessage(response, capabilities, this.#parts.options.healthIntervalMs) });
  }

  sendAnswer(answer: AgentAnswer, correlationId: string): string | null {
    if (changesBody(answer)) return 'it changes a body, for which gRPC has no message';
    return this.#send({ response: agentResponseMessage(answer, correlationId) })
      ? null
      : 'it is larger than a message can be';
  }

  /** This transport has an answer to what is refused alone. */
  sendConfigured(_correlationId: string, outcome: Result<void, string>): void {
    if (outcome.ok) return;
    this.#refusals += 1;
    this.#send({
      config_update: {
        request_id: `refusal-${this.#refusals}`,
        timestamp_ms: this.#parts.clock.wallMs(),
        config_error: { error: outcome.error, field: null },
      },
    });
  }

  sendHealth(health: AgentHealth): void {
    this.#send({ health: healthMessage(health) });
  }

  sendMetrics(report: MetricsReport): void {
    this.#send({ metrics: metricsMessage(report) });
  }

  resume(): void {
    // Within a read the loop itself goes on.
    if (this.#stream.isPaused() && !this.#isReading) this.#read();
  }

  end(): void {
    this.#reply.end(grpcStatus.ok);
  }

  cutOff(reason: string): void {
    this.#reply.cutOff(grpcStatus.aborted, reason);
  }

  #read(): void {
    const session = this.#session;
    this.#isReading = true;
    while (session.canTake) {
      const octets = this.#decoder.next();
      if (octets === null) break;
      this.#messageSinceMs = null;
      this.#metadataDelay.cancel();
      const message = decodeGatewayMessage(octets, this.#parts.method);
      if (message.ok) this.#handle(message.value, octets.length);
      else session.fail(message.error);
    }
    this.#isReading = false;
    if (this.#decoder.failure !== null) session.fail(this.#decoder.failure);
    if (session.isOver) return;
    if (session.canTake) {
      this.#stream.resume();
      if (this.#decoder.hasBegun) this.#messageSinceMs ??= this.#parts.clock.monotonicMs();
    } else {
      // It cannot go on while nothing is read, which is not its sender's doing.
      this.#messageSinceMs = null;
      this.#stream.pause();
    }
    session.holds(this.#decoder.heldBytes);
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
        session.configure('', message.config);
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
    this.#send({
      pong: { sequence, ping_timestamp_ms: timestampMs, timestamp_ms: this.#parts.clock.wallMs() },
    });
  }

  #sendMetadata(capabilities: AgentCapabilities): void {
    this.#reply.sendMetadata({ [ownedHeadersKey]: ownedHeadersText(capabilities) });
  }

  /** False where the message is too large. What can no longer be sent is dropped. */
  #send(message: GrpcAgentToProxy): boolean {
    const octets = this.#parts.method.responseSerialize(message);
    if (octets.length > maximumMessageBytes) return false;
    this.#reply.send(octets);
    const { pausingOutputBytes, maxOutputBytes } = this.#parts.options;
    const waiting = this.#reply.waitingBytes;
    if (waiting > maxOutputBytes) this.#session.fail('the gateway does not read');
    else if (waiting > pausingOutputBytes) this.#session.stalled();
    return true;
  }
}
