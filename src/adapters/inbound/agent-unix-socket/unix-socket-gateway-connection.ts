import type { GatewayConnection } from '../../../application/agent/serve-gateways/gateway-connection.js';
import type { GatewaySession } from '../../../application/agent/serve-gateways/gateway-session.js';
import type { GatewaySessions } from '../../../application/agent/serve-gateways/gateway-sessions.js';
import type { Clock } from '../../../application/ports/shared/clock.js';
import type { Logger } from '../../../application/ports/shared/logger.js';
import type { AgentCapabilities } from '../../../domain/agent-protocol/capabilities.js';
import type { HandshakeResponse } from '../../../domain/agent-protocol/handshake.js';
import type { AgentHealth } from '../../../domain/agent-protocol/health.js';
import { type AgentAnswer, allowAnswer } from '../../../domain/agent-protocol/messages.js';
import type { MetricsReport } from '../../../domain/agent-protocol/metrics-report.js';
import type { JsonObject } from '../../../domain/shared/json.js';
import type { Result } from '../../../domain/shared/result.js';
import { boundLateWrites, deferWrite } from '../../event-loop-batching/event-loop-turn.js';
import { readOctets, type StreamSocket } from '../../stream-sockets/stream-socket.js';
import { handshakeResponseJson, healthJson, metricsJson } from '../../wire/agent-frames/agent-message.js';
import { addAnswer } from '../../wire/agent-frames/answer-writer.js';
import { FrameDecoder } from '../../wire/agent-frames/frame-decoder.js';
import { FrameOutbox } from '../../wire/agent-frames/frame-outbox.js';
import { type GatewayMessage, readGatewayMessage } from '../../wire/agent-frames/gateway-message.js';
import { gatewayMessageNames, type MessageName } from '../../wire/agent-frames/message-codes.js';
import type { RequestHeadReader } from '../../wire/agent-frames/request-head-reader.js';
import type { AgentServerOptions } from './server-options.js';

/** Extra members of the answer to an event that the agent does not support. */
const unsupportedEventMembers = (name: MessageName): JsonObject | null => {
  if (name === 'guardrail_inspect') return { detected: false };
  return name === 'websocket_frame' ? { websocket_decision: 'allow' } : null;
};

export interface GatewayConnectionOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly options: AgentServerOptions;
  /** Shared by all connections. */
  readonly heads: RequestHeadReader;
}

/**
 * One connection of a gateway to the agent's socket. Reads frames and pauses under back-pressure.
 */
export class UnixSocketGatewayConnection implements GatewayConnection {
  readonly #socket: StreamSocket;
  readonly #clock: Clock;
  readonly #options: AgentServerOptions;
  readonly #heads: RequestHeadReader;
  readonly #decoder = new FrameDecoder(gatewayMessageNames);
  readonly #outbox: FrameOutbox;
  readonly #session: GatewaySession;
  /**
   * Time of the first octet of the incomplete frame; null if there is none or reading is paused.
   */
  #frameSinceMs: number | null = null;
  /** `#read` is running. */
  #isReading = false;
  #isPaused = false;

  constructor(socket: StreamSocket, sessions: GatewaySessions, options: GatewayConnectionOptions) {
    this.#socket = socket;
    this.#heads = options.heads;
    this.#clock = options.clock;
    this.#options = options.options;
    // One write sends the answers of a turn of the event loop.
    this.#outbox = new FrameOutbox(
      (octets) => this.#write(octets),
      (flush) => deferWrite({ writeNow: flush }),
    );
    const session = sessions.open(this);
    this.#session = session;
    socket.on('drain', () => {
      session.flowing();
      this.#read();
    });
    socket.on('end', () => {
      // A gateway that has ended its side gets what was answered, and no more.
      this.#outbox.flush();
      socket.end();
      if (this.#decoder.isInsideFrame) session.fail('the connection ended within a frame');
    });
    socket.on('error', (error) => options.logger.debug('A gateway connection failed', { reason: error.message }));
    socket.on('close', () => {
      this.#frameSinceMs = null;
      sessions.close(session);
    });
    readOctets(socket, (chunk) => this.#onData(chunk));
  }

  /** Closes the connection if a frame exceeds its timeout. */
  checkFrame(): void {
    const since = this.#frameSinceMs;
    if (since === null || this.#clock.monotonicMs() - since < this.#options.frameTimeoutMs) return;
    this.#session.fail('a frame was not complete in time');
  }

  sendHandshake(response: HandshakeResponse, capabilities: AgentCapabilities): void {
    this.#outbox.send('handshake_response', handshakeResponseJson(response, capabilities));
  }

  sendAnswer(answer: AgentAnswer, correlationId: string): string | null {
    return this.#sendAnswer(answer, correlationId, null) ? null : 'it exceeds the maximum frame size';
  }

  sendConfigured(correlationId: string, outcome: Result<void, string>): void {
    const body = outcome.ok ? null : `Configuration rejected: ${outcome.error}`;
    const decision = { kind: 'block', status: 500, body, headers: [] } as const;
    this.#sendAnswer(outcome.ok ? allowAnswer : { ...allowAnswer, decision }, correlationId, null);
  }

  sendHealth(health: AgentHealth): void {
    this.#outbox.send('health_status', healthJson(health));
  }

  sendMetrics(report: MetricsReport): void {
    this.#outbox.send('metrics_report', metricsJson(report));
  }

  /** Does nothing during `#read`, which continues with the next frame. */
  resume(): void {
    if (!this.#isReading && this.#isPaused) this.#read();
  }

  end(): void {
    this.#outbox.flush();
    this.#socket.end();
    this.#resume();
  }

  cutOff(): void {
    this.#socket.destroy();
  }

  #onData(chunk: Uint8Array): void {
    if (this.#session.isOver) return;
    boundLateWrites();
    this.#decoder.push(chunk);
    this.#read();
    this.#decoder.keepRest();
  }

  #pause(): void {
    this.#isPaused = true;
    this.#socket.pause();
  }

  #resume(): void {
    this.#isPaused = false;
    this.#socket.resume();
  }

  #read(): void {
    const session = this.#session;
    this.#isReading = true;
    try {
      this.#handleFrames(session);
    } finally {
      this.#isReading = false;
    }
    if (this.#decoder.failure !== null) session.fail(this.#decoder.failure);
    if (session.isOver) return;
    if (session.canTake) {
      this.#resume();
      if (this.#decoder.hasBegun) this.#frameSinceMs ??= this.#clock.monotonicMs();
    } else {
      // The timeout stops while reading is paused, which the sender did not cause.
      this.#frameSinceMs = null;
      this.#pause();
    }
    session.holds(this.#decoder.heldBytes);
  }

  #handleFrames(session: GatewaySession): void {
    while (session.canTake) {
      const frame = this.#decoder.next();
      if (frame === null) break;
      this.#frameSinceMs = null;
      const message = readGatewayMessage(frame, this.#heads);
      if (message.ok) this.#handle(message.value, frame.payload.length);
      else session.fail(message.error);
    }
  }

  #handle(message: GatewayMessage, size: number): void {
    const session = this.#session;
    switch (message.kind) {
      case 'handshake_request':
        session.handshake(message.request);
        return;
      case 'event':
        session.event(message.event, size);
        return;
      case 'unsupported_event':
        if (!session.admits(message.correlationId)) return;
        this.#sendAnswer(allowAnswer, message.correlationId, unsupportedEventMembers(message.name));
        return;
      case 'configure':
        session.configure(message.configure);
        return;
      case 'cancel':
        session.cancel(message.cancel.correlationId, message.cancel.reason);
        return;
      case 'ping':
        if (session.admits(null)) this.#outbox.send('pong', message.payload);
    }
  }

  #sendAnswer(answer: AgentAnswer, correlationId: string, additions: JsonObject | null): boolean {
    return this.#outbox.sendWritten('agent_response', addAnswer, { answer, correlationId, additions });
  }

  /** Returns whether no output is pending; also true after the socket has closed. */
  #write(octets: Uint8Array): boolean {
    if (this.#socket.destroyed || this.#socket.writableEnded) return true;
    this.#socket.write(octets);
    const waiting = this.#socket.writableLength;
    if (waiting > this.#options.maxOutputBytes) this.#session.fail('the gateway does not read');
    else if (waiting > this.#options.pausingOutputBytes) this.#session.stalled();
    return waiting === 0;
  }
}
