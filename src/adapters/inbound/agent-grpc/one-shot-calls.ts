import type { ServerHttp2Stream } from 'node:http2';
import type { AgentService } from '../../../application/ports/agent-service.js';
import type { Clock } from '../../../application/ports/clock.js';
import type { Logger } from '../../../application/ports/logger.js';
import type { Scheduler } from '../../../application/ports/scheduler.js';
import { failedAnswer } from '../../../application/serve-gateways/failed-answer.js';
import type { HeldOctets } from '../../../application/serve-gateways/held-octets.js';
import { Judgements } from '../../../application/serve-gateways/judgements.js';
import { agreeWith } from '../../../application/serve-gateways/offered-configuration.js';
import { opensDialogue } from '../../../domain/agent-protocol/answer-rules.js';
import type { HandshakeRequest } from '../../../domain/agent-protocol/handshake.js';
import { type AgentAnswer, type AgentEvent, allowAnswer } from '../../../domain/agent-protocol/messages.js';
import type { ServedAgentService } from '../../wire/agent-grpc/agent-service-definition.js';
import { agentResponseMessage, changesBody } from '../../wire/agent-grpc/answer-writer.js';
import type { GrpcGatewayMessage } from '../../wire/agent-grpc/gateway-message.js';
import type { GrpcAgentToProxy } from '../../wire/agent-grpc/grpc-reports.js';
import { handshakeAnswerMessage, ownedHeadersText } from '../../wire/agent-grpc/handshake-answer.js';
import { ownedHeadersKey } from '../../wire/agent-grpc/owned-headers-metadata.js';
import { maximumMessageBytes } from '../../wire/agent-grpc/prefixed-message-decoder.js';
import { decodeGatewayMessage } from './decode-gateway-message.js';
import { GrpcReply } from './grpc-reply.js';
import type { GrpcServerOptions } from './grpc-server-options.js';
import { grpcStatus } from './grpc-status.js';
import { readOneMessage } from './read-one-message.js';

export interface OneShotParts {
  readonly method: ServedAgentService['processEvent'];
  readonly service: AgentService;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
  readonly options: GrpcServerOptions;
  /** What all unfinished messages of all one-shot calls hold. */
  readonly held: HeldOctets;
}

/** A call that is to be answered. */
interface OpenCall {
  readonly stream: ServerHttp2Stream;
  readonly reply: GrpcReply;
}

/**
 * The calls of ProcessEvent that come by one connection: one message, one answer. They share what a connection has: its
 * set of correlation ids, and the bodies that are looked at chunk by chunk. A handshake need not come first.
 */
export class OneShotCalls {
  readonly #parts: OneShotParts;
  readonly #connection = Symbol('one-shot calls');
  readonly #judgements: Judgements;
  readonly #awaiting = new Map<string, GrpcReply>();
  /** Requests whose body is awaited, the oldest first. */
  readonly #dialogues = new Set<string>();

  constructor(parts: OneShotParts) {
    this.#parts = parts;
    this.#judgements = new Judgements(parts.service, this.#connection, parts.logger, this.#answer, () => {});
  }

  accept(stream: ServerHttp2Stream): void {
    const { method, scheduler, options, held } = this.#parts;
    const call: OpenCall = { stream, reply: new GrpcReply(stream) };
    readOneMessage(stream, { scheduler, held, timeoutMs: options.handshakeTimeoutMs }, (read) => {
      if (!read.ok) {
        call.reply.cutOff(read.error.status, read.error.reason);
        return;
      }
      const message = decodeGatewayMessage(read.value, method);
      if (message.ok) this.#handle(call, message.value, read.value.length);
      else call.reply.end(grpcStatus.invalidArgument, message.error);
    });
  }

  /** The connection has ended. */
  close(): void {
    this.#awaiting.clear();
    this.#dialogues.clear();
    this.#judgements.close();
  }

  #handle(call: OpenCall, message: GrpcGatewayMessage, size: number): void {
    switch (message.kind) {
      case 'handshake':
        void this.#handshake(call.reply, message.request);
        return;
      case 'event':
        this.#judge(call, message.event, size);
        return;
      case 'unasked_event':
        this.#send(call.reply, { response: agentResponseMessage(allowAnswer, message.correlationId) });
        return;
      case 'ping': {
        const { sequence, timestampMs } = message;
        const pong = { sequence, ping_timestamp_ms: timestampMs, timestamp_ms: this.#parts.clock.wallMs() };
        this.#send(call.reply, { pong });
        return;
      }
      default:
        call.reply.end(grpcStatus.unimplemented, 'this message has no answer: it belongs on ProcessStream');
    }
  }

  async #handshake(reply: GrpcReply, request: HandshakeRequest): Promise<void> {
    const { service, logger, options } = this.#parts;
    const { proxyId, proxyVersion } = request;
    const response = await agreeWith(request, { proxyId, proxyVersion, connection: this.#connection }, service, logger);
    const capabilities = response.success ? response.capabilities : service.capabilities();
    reply.sendMetadata({ [ownedHeadersKey]: ownedHeadersText(capabilities) });
    this.#send(reply, { handshake: handshakeAnswerMessage(response, capabilities, options.healthIntervalMs) });
  }

  #judge({ stream, reply }: OpenCall, event: AgentEvent, size: number): void {
    const { correlationId } = event;
    if (this.#judgements.isFull) {
      reply.end(grpcStatus.resourceExhausted, 'too many events wait already');
      return;
    }
    if (this.#awaiting.has(correlationId)) {
      reply.end(grpcStatus.aborted, 'two events in flight for one correlation id');
      return;
    }
    this.#awaiting.set(correlationId, reply);
    stream.once('close', () => {
      if (this.#awaiting.get(correlationId) !== reply) return;
      this.#awaiting.delete(correlationId);
      this.#giveUp(correlationId);
    });
    // INVARIANT: whatever is in flight is awaited, so that no event of this id is.
    this.#judgements.add(event, size);
  }

  readonly #answer = (answer: AgentAnswer, correlationId: string): void => {
    const reply = this.#awaiting.get(correlationId);
    if (reply === undefined) return;
    this.#awaiting.delete(correlationId);
    this.#noteDialogue(correlationId, opensDialogue(answer));
    if (!changesBody(answer) && this.#send(reply, { response: agentResponseMessage(answer, correlationId) })) return;
    this.#parts.logger.error('An answer could not be sent', {
      reason: changesBody(answer) ? 'it changes a body, for which gRPC has no message' : 'it is too large',
      correlation_id: correlationId,
    });
    this.#send(reply, { response: agentResponseMessage(failedAnswer, correlationId) });
  };

  #noteDialogue(correlationId: string, isOpen: boolean): void {
    this.#dialogues.delete(correlationId);
    if (!isOpen) return;
    this.#dialogues.add(correlationId);
    if (this.#dialogues.size <= this.#parts.options.maxOneShotDialogues) return;
    const [oldest] = this.#dialogues;
    if (oldest !== undefined) this.#giveUp(oldest);
  }

  #giveUp(correlationId: string): void {
    this.#dialogues.delete(correlationId);
    this.#judgements.cancel(correlationId, 'client_disconnect');
  }

  /** False where the message is too large. */
  #send(reply: GrpcReply, message: GrpcAgentToProxy): boolean {
    const octets = this.#parts.method.responseSerialize(message);
    if (octets.length > maximumMessageBytes) return false;
    reply.send(octets);
    reply.end(grpcStatus.ok);
    return true;
  }
}
