import type { Socket } from 'node:net';
import type { AgentService, ConfigurationGiver } from '../../../application/ports/agent-service.js';
import type { Clock } from '../../../application/ports/clock.js';
import type { Logger } from '../../../application/ports/logger.js';
import type { ScheduledTask, Scheduler } from '../../../application/ports/scheduler.js';
import type { HandshakeRequest } from '../../../domain/agent-protocol/handshake.js';
import { type AgentAnswer, allowAnswer } from '../../../domain/agent-protocol/messages.js';
import type { JsonObject } from '../../../domain/shared/json.js';
import { answerJson } from '../../wire/agent-frames/answer-codec.js';
import type { Configure } from '../../wire/agent-frames/control-codec.js';
import { FrameDecoder } from '../../wire/agent-frames/frame-decoder.js';
import { FrameOutbox } from '../../wire/agent-frames/frame-outbox.js';
import { type GatewayMessage, readGatewayMessage } from '../../wire/agent-frames/gateway-message.js';
import { handshakeResponseJson } from '../../wire/agent-frames/handshake-codec.js';
import { gatewayMessageNames, type MessageName } from '../../wire/agent-frames/message-codes.js';
import { metricsJson } from '../../wire/agent-frames/metrics-codec.js';
import type { HeldOctets, OctetHolder } from './held-octets.js';
import { Judgements } from './judgements.js';
import { agreeWith, offerConfiguration } from './offered-configuration.js';
import type { AgentServerOptions } from './server-options.js';

export interface GatewayConnectionParts {
  readonly service: AgentService;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
  readonly options: AgentServerOptions;
  readonly held: HeldOctets;
}

/** `configuring`: the answer to the handshake waits for the service. `closing`: what is written leaves, nothing is read. */
type Phase = 'handshake' | 'configuring' | 'open' | 'closing' | 'closed';

const guardrailAnswer: JsonObject = { detected: false };
const webSocketAnswer: JsonObject = { websocket_decision: 'allow' };
const noAdditions: JsonObject = {};
/** Configurations that wait for the service, from which on nothing more is read. */
const maximumConfigures = 4;

const blockAnswer = (status: number, body: string | null): AgentAnswer => ({
  ...allowAnswer,
  decision: { kind: 'block', status, body, headers: [] },
});

/** One connection of a gateway to the agent's socket. */
export class GatewayConnection implements OctetHolder {
  readonly #socket: Socket;
  readonly #parts: GatewayConnectionParts;
  readonly #decoder = new FrameDecoder(gatewayMessageNames);
  readonly #outbox: FrameOutbox;
  readonly #judgements: Judgements;
  readonly #handshakeDeadline: ScheduledTask;
  readonly #greeting: (connection: GatewayConnection) => void;
  #phase: Phase = 'handshake';
  #giver: ConfigurationGiver = { proxyId: '', proxyVersion: '', connection: Symbol('connection') };
  #isDraining = false;
  #configures = 0;
  #configuring: Promise<void> = Promise.resolve();
  #drainEnd: ScheduledTask | null = null;
  /** When output began to wait for the peer; null while it reads. */
  #stalledSinceMs: number | null = null;
  /** When the frame that is being read began to come; null while there is none, or nothing is read. */
  #frameSinceMs: number | null = null;

  /** @param greeting called once the connection is open, for what is sent first */
  constructor(socket: Socket, parts: GatewayConnectionParts, greeting: (connection: GatewayConnection) => void) {
    this.#socket = socket;
    this.#parts = parts;
    this.#greeting = greeting;
    this.#outbox = new FrameOutbox((octets) => this.#write(octets), process.nextTick);
    const { connection } = this.#giver;
    this.#judgements = new Judgements(parts.service, connection, parts.logger, this.#answer, this.#settled);
    this.#handshakeDeadline = parts.scheduler.after(parts.options.handshakeTimeoutMs, () => {
      this.#fail('no handshake came in time');
    });
    socket.on('data', (chunk) => {
      if (this.#isOver()) return;
      this.#decoder.push(chunk);
      this.#read();
    });
    socket.on('drain', () => {
      this.#stalledSinceMs = null;
      this.#read();
    });
    socket.on('end', () => {
      if (this.#decoder.isInsideFrame) this.#fail('the connection ended within a frame');
    });
    socket.on('error', (error) => parts.logger.debug('A gateway connection failed', { reason: error.message }));
    socket.on('close', () => this.#onClose());
  }

  /** Sends a report, if the connection is open. */
  report(name: 'health_status' | 'metrics_report', json: string): void {
    if (this.#phase !== 'open') return;
    const stalledSince = this.#stalledSinceMs;
    if (stalledSince !== null && this.#parts.clock.monotonicMs() - stalledSince >= this.#parts.options.writeTimeoutMs) {
      this.#fail('the gateway does not read');
    } else {
      this.#send(name, json);
    }
  }

  /** Closes once nothing is in flight. The gateway has been told by a health report. */
  drain(): void {
    this.#isDraining = true;
    if (this.#phase === 'open') this.#endWhenIdle();
    else this.#end();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  /** Closes it where a frame has been coming for too long. */
  checkFrame(): void {
    const since = this.#frameSinceMs;
    if (since === null || this.#parts.clock.monotonicMs() - since < this.#parts.options.frameTimeoutMs) return;
    this.#fail('a frame did not come to its end in time');
  }

  giveUp(reason: string): void {
    this.#fail(reason);
  }

  #read(): void {
    while (this.#canRead()) {
      const frame = this.#decoder.next();
      if (frame === null) break;
      this.#frameSinceMs = null;
      const message = readGatewayMessage(frame);
      if (message.ok) this.#handle(message.value, frame.payload.length);
      else this.#fail(message.error);
    }
    if (this.#decoder.failure !== null) this.#fail(this.#decoder.failure);
    if (this.#isOver()) return;
    if (this.#canRead()) {
      this.#socket.resume();
      if (this.#decoder.hasBegun) this.#frameSinceMs ??= this.#parts.clock.monotonicMs();
    } else {
      // It cannot go on while nothing is read, which is not its sender's doing.
      this.#frameSinceMs = null;
      this.#socket.pause();
    }
    this.#noteHeld();
  }

  #noteHeld(): void {
    if (this.#isOver()) return;
    this.#parts.held.note(this, this.#decoder.heldBytes + this.#judgements.waitingBytes);
  }

  #isOver(): boolean {
    return this.#phase === 'closing' || this.#phase === 'closed';
  }

  #canRead(): boolean {
    return (
      (this.#phase === 'handshake' || this.#phase === 'open') &&
      this.#stalledSinceMs === null &&
      this.#configures < maximumConfigures &&
      !this.#judgements.isFull
    );
  }

  #handle(message: GatewayMessage, size: number): void {
    if (message.kind === 'handshake_request') {
      if (this.#phase === 'handshake') void this.#handshake(message.request);
      else this.#fail('a second handshake');
    } else if (this.#phase === 'handshake') {
      this.#fail('a message before the handshake');
    } else {
      this.#handleOpen(message, size);
    }
  }

  #handleOpen(message: Exclude<GatewayMessage, { kind: 'handshake_request' }>, size: number): void {
    switch (message.kind) {
      case 'event':
        if (!this.#judgements.add(message.event, size)) this.#fail('two events in flight for one correlation id');
        return;
      case 'unasked_event':
        this.#sendAnswer(allowAnswer, message.correlationId, unaskedAdditions(message.name));
        return;
      case 'configure':
        this.#queueConfigure(message.configure);
        return;
      case 'cancel':
        this.#judgements.cancel(message.cancel.correlationId, message.cancel.reason);
        if (this.#isDraining) this.#endWhenIdle();
        return;
      case 'ping':
        this.#send('pong', message.payload);
    }
  }

  async #handshake(request: HandshakeRequest): Promise<void> {
    this.#handshakeDeadline.cancel();
    this.#phase = 'configuring';
    const { proxyId, proxyVersion } = request;
    this.#giver = { ...this.#giver, proxyId, proxyVersion };
    const response = await agreeWith(request, this.#giver, this.#parts.service, this.#parts.logger);
    // It may have ended meanwhile.
    if (this.#phase !== 'configuring') return;
    this.#phase = 'open';
    this.#send('handshake_response', handshakeResponseJson(response, this.#parts.service.capabilities()));
    if (!response.success) {
      this.#parts.logger.warn('A handshake was refused', { proxy_id: request.proxyId, reason: response.error });
      this.#end();
      return;
    }
    this.#parts.logger.info('A gateway has connected', { proxy_id: request.proxyId, version: request.proxyVersion });
    this.#greeting(this);
    this.#read();
  }

  /** One after the other: the last one that was sent is the one that stays. */
  #queueConfigure(configure: Configure): void {
    this.#configures += 1;
    this.#configuring = this.#configuring.then(async () => {
      await this.#configure(configure);
      this.#configures -= 1;
      this.#settled();
    });
  }

  async #configure({ correlationId, config }: Configure): Promise<void> {
    // Whoever has gone does not speak any more: its next handshake says what it wants.
    if (this.#isOver()) return;
    const { service, logger } = this.#parts;
    const configured = await offerConfiguration(service, config, this.#giver, 'change', logger);
    const answer = configured.ok ? allowAnswer : blockAnswer(500, `Configuration rejected: ${configured.error}`);
    this.#sendAnswer(answer, correlationId, noAdditions);
  }

  readonly #answer = (answer: AgentAnswer, correlationId: string): void => {
    // A gateway leaves with the last answer of an agent that drains: what has been counted must be there before it.
    if (this.#isDraining && this.#judgements.isIdle) {
      this.report('metrics_report', metricsJson(this.#parts.service.metrics()));
    }
    this.#sendAnswer(answer, correlationId, noAdditions);
  };

  readonly #settled = (): void => {
    if (this.#isDraining) this.#endWhenIdle();
    if (this.#socket.isPaused()) this.#read();
    else this.#noteHeld();
  };

  #sendAnswer(answer: AgentAnswer, correlationId: string, additions: JsonObject): void {
    if (this.#send('agent_response', answerJson(answer, correlationId, additions))) return;
    this.#parts.logger.error('An answer is larger than a frame can be');
    this.#send('agent_response', answerJson(blockAnswer(500, null), correlationId));
  }

  /** False where the message is too large. What can no longer be sent is dropped. */
  #send(name: MessageName, payload: string | Uint8Array): boolean {
    return this.#phase !== 'open' || this.#outbox.send(name, payload);
  }

  #write(octets: Uint8Array): void {
    if (!this.#socket.writable) return;
    this.#socket.write(octets);
    const { pausingOutputBytes, maxOutputBytes } = this.#parts.options;
    const waiting = this.#socket.writableLength;
    if (waiting > maxOutputBytes) this.#fail('the gateway does not read');
    else if (waiting > pausingOutputBytes) this.#stalledSinceMs ??= this.#parts.clock.monotonicMs();
  }

  #endWhenIdle(): void {
    if (this.#isOver()) return;
    this.#drainEnd?.cancel();
    this.#drainEnd = null;
    if (!this.#judgements.isIdle) return;
    this.#drainEnd = this.#parts.scheduler.after(this.#parts.options.drainLingerMs, () => {
      if (this.#judgements.isIdle) this.#end();
    });
  }

  /** Ends after what is written has left. */
  #end(): void {
    if (this.#isOver()) return;
    this.#phase = 'closing';
    this.#outbox.flush();
    this.#socket.end();
    this.#socket.resume();
    // A peer that neither reads nor closes must not keep the connection.
    this.#drainEnd = this.#parts.scheduler.after(this.#parts.options.handshakeTimeoutMs, () => this.#socket.destroy());
  }

  #fail(reason: string): void {
    if (this.#isOver()) return;
    this.#phase = 'closing';
    this.#parts.logger.warn('A gateway connection is closed', { reason, proxy_id: this.#giver.proxyId });
    this.#socket.destroy();
  }

  #onClose(): void {
    this.#phase = 'closed';
    this.#handshakeDeadline.cancel();
    this.#drainEnd?.cancel();
    this.#frameSinceMs = null;
    this.#parts.held.forget(this);
    this.#judgements.close();
  }
}

const unaskedAdditions = (name: MessageName): JsonObject => {
  if (name === 'guardrail_inspect') return guardrailAnswer;
  return name === 'websocket_frame' ? webSocketAnswer : noAdditions;
};
