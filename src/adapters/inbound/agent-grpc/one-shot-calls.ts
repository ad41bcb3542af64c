import type {
  BufferedOctetCounter,
  BufferingConnection,
} from '../../../application/agent/serve-gateways/buffered-octet-counter.js';
import { failedAnswer } from '../../../application/agent/serve-gateways/gateway-connection.js';
import { agreeWith } from '../../../application/agent/serve-gateways/offered-configuration.js';
import { PendingEvents } from '../../../application/agent/serve-gateways/pending-events.js';
import type { AgentService } from '../../../application/ports/agent/agent-service.js';
import type { Clock } from '../../../application/ports/shared/clock.js';
import type { Logger } from '../../../application/ports/shared/logger.js';
import type { ScheduledTask, Scheduler } from '../../../application/ports/shared/scheduler.js';
import { opensDialogue } from '../../../domain/agent-protocol/answer-rules.js';
import type { HandshakeRequest } from '../../../domain/agent-protocol/handshake.js';
import { type AgentAnswer, type AgentEvent, allowAnswer } from '../../../domain/agent-protocol/messages.js';
import { TransientMap } from '../../../domain/shared/transient-map.js';
import { agentResponseMessage, handshakeMessage, pongMessage } from '../../wire/agent-grpc/agent-message.js';
import type { GrpcServiceDefinition } from '../../wire/agent-grpc/agent-service-definition.js';
import type { GrpcGatewayMessage } from '../../wire/agent-grpc/gateway-message.js';
import type { GrpcAgentToProxy } from '../../wire/agent-grpc/grpc-messages.js';
import { ownedHeadersKey, ownedHeadersText } from '../../wire/agent-grpc/owned-headers-metadata.js';
import { changesBody } from '../../wire/agent-messages/answer-messages.js';
import type { CutOffLog } from './cut-off-log.js';
import type { CallListener, GrpcCall } from './grpc-call.js';
import { type GrpcServerOptions, maximumMessageBytes } from './grpc-server-options.js';
import { type GrpcStatus, grpcStatus } from './grpc-status.js';
import type { IncomingMessage } from './incoming-message.js';

interface OneShotCallOptions {
  readonly scheduler: Scheduler;
  readonly held: BufferedOctetCounter;
  readonly cutOffs: CutOffLog;
  readonly options: Pick<GrpcServerOptions, 'handshakeTimeoutMs' | 'writeTimeoutMs'>;
}

/**
 * One ProcessEvent call: one message, one answer. Later messages are dropped. Memory is counted for
 * the incomplete message, then the message until its answer, then the answer until the caller has
 * read it.
 */
class OneShotCall implements CallListener<GrpcGatewayMessage>, BufferingConnection {
  readonly #call: GrpcCall<GrpcGatewayMessage>;
  readonly #settings: OneShotCallOptions;
  #deadline: ScheduledTask;
  readonly #onMessage: (call: OneShotCall, message: GrpcGatewayMessage, size: number) => void;
  #isRead = false;
  #isClosed = false;
  #arrivedBytes = 0;
  #messageBytes = 0;
  /** Called when the call has ended, on either side. */
  onClosed: () => void = () => {};

  constructor(
    call: GrpcCall<GrpcGatewayMessage>,
    settings: OneShotCallOptions,
    onMessage: (call: OneShotCall, message: GrpcGatewayMessage, size: number) => void,
  ) {
    this.#call = call;
    this.#settings = settings;
    this.#onMessage = onMessage;
    this.#deadline = settings.scheduler.after(settings.options.handshakeTimeoutMs, () => {
      this.#cutOff(grpcStatus.deadlineExceeded, 'the message did not arrive in time');
    });
    call.listen(this);
  }

  message({ size, message }: IncomingMessage<GrpcGatewayMessage>): void {
    if (this.#isRead) return;
    this.#isRead = true;
    this.#deadline.cancel();
    this.#messageBytes = size;
    this.#reportHeld();
    if (message.ok) this.#onMessage(this, message.value, size);
    else this.#call.fail(grpcStatus.invalidArgument, message.error);
  }

  ended(): void {
    if (!this.#isRead) this.#call.fail(grpcStatus.invalidArgument, 'the call ended without a message');
  }

  flowing(): void {
    this.#reportHeld();
  }

  holds(octets: number): void {
    this.#arrivedBytes = octets;
    this.#reportHeld();
  }

  closed(): void {
    this.#isClosed = true;
    this.#deadline.cancel();
    this.#settings.held.forget(this);
    this.onClosed();
  }

  giveUp(reason: string): void {
    this.#cutOff(grpcStatus.resourceExhausted, reason);
  }

  sendMetadata(fields: Readonly<Record<string, string>>): void {
    this.#call.sendMetadata(fields);
  }

  answer(message: Uint8Array): void {
    if (this.#isClosed) return;
    const { scheduler, options } = this.#settings;
    this.#call.send(message);
    this.#call.end();
    this.#messageBytes = 0;
    this.#deadline = scheduler.after(options.writeTimeoutMs, () => {
      this.#cutOff(grpcStatus.deadlineExceeded, 'the answer was not read in time');
    });
    this.#reportHeld();
  }

  fail(status: GrpcStatus, reason: string): void {
    this.#call.fail(status, reason);
  }

  #reportHeld(): void {
    if (this.#isClosed) return;
    this.#settings.held.note(this, this.#arrivedBytes + this.#messageBytes + this.#call.pendingBytes);
  }

  #cutOff(status: GrpcStatus, reason: string): void {
    this.#settings.cutOffs.note(reason);
    this.#call.cutOff(status, reason);
  }
}

export interface OneShotCallsOptions {
  readonly method: GrpcServiceDefinition['processEvent'];
  readonly service: AgentService;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
  readonly options: GrpcServerOptions;
  /** Octets of all ProcessEvent calls. */
  readonly held: BufferedOctetCounter;
  readonly cutOffs: CutOffLog;
}

/**
 * The ProcessEvent calls of one connection. They share its correlation ids and the bodies that are
 * inspected chunk by chunk. A handshake is optional.
 */
export class OneShotCalls {
  readonly #settings: OneShotCallsOptions;
  readonly #connection = Symbol('one-shot calls');
  readonly #pending: PendingEvents;
  readonly #inFlight = new TransientMap<OneShotCall>();
  /** Requests whose agent waits for a body, oldest first. */
  readonly #dialogues = new TransientMap<true>();

  constructor(settings: OneShotCallsOptions) {
    this.#settings = settings;
    this.#pending = new PendingEvents(settings.service, this.#connection, settings.logger, this.#answer, () => {});
  }

  accept(call: GrpcCall<GrpcGatewayMessage>): void {
    const { scheduler, options, held, cutOffs } = this.#settings;
    new OneShotCall(call, { scheduler, options, held, cutOffs }, (reply, message, size) => {
      this.#handle(reply, message, size);
    });
  }

  /** Releases everything when the connection has ended. */
  close(): void {
    this.#inFlight.clear();
    this.#dialogues.clear();
    this.#pending.close();
  }

  #handle(call: OneShotCall, message: GrpcGatewayMessage, size: number): void {
    switch (message.kind) {
      case 'handshake':
        void this.#handshake(call, message.request);
        return;
      case 'event':
        this.#decide(call, message.event, size);
        return;
      case 'unsupported_event':
        this.#send(call, agentResponseMessage(allowAnswer, message.correlationId));
        return;
      case 'ping':
        this.#send(call, pongMessage(message.sequence, message.timestampMs, this.#settings.clock.wallMs()));
        return;
      default:
        call.fail(grpcStatus.unimplemented, 'send this message on ProcessStream: it has no answer');
    }
  }

  async #handshake(call: OneShotCall, request: HandshakeRequest): Promise<void> {
    const { service, logger, options } = this.#settings;
    const { proxyId, proxyVersion } = request;
    const response = await agreeWith(request, { proxyId, proxyVersion, connection: this.#connection }, service, logger);
    const capabilities = response.success ? response.capabilities : service.capabilities();
    call.sendMetadata({ [ownedHeadersKey]: ownedHeadersText(capabilities) });
    this.#send(call, handshakeMessage(response, capabilities, options.healthIntervalMs));
  }

  #decide(call: OneShotCall, event: AgentEvent, size: number): void {
    const { correlationId } = event;
    if (this.#pending.isFull) {
      call.fail(grpcStatus.resourceExhausted, 'too many events are queued');
      return;
    }
    if (this.#inFlight.has(correlationId)) {
      call.fail(grpcStatus.aborted, 'two events in flight for one correlation id');
      return;
    }
    this.#inFlight.set(correlationId, call);
    call.onClosed = () => {
      if (this.#inFlight.get(correlationId) !== call) return;
      this.#inFlight.delete(correlationId);
      this.#giveUp(correlationId);
    };
    // INVARIANT: `#inFlight` holds every event in flight, so no event of this id is.
    const fault = this.#pending.add(event, size);
    if (fault === null) return;
    this.#inFlight.delete(correlationId);
    call.fail(grpcStatus.invalidArgument, fault);
  }

  readonly #answer = (answer: AgentAnswer, correlationId: string): void => {
    const call = this.#inFlight.get(correlationId);
    if (call === undefined) return;
    this.#inFlight.delete(correlationId);
    this.#updateDialogue(correlationId, opensDialogue(answer));
    if (!changesBody(answer) && this.#send(call, agentResponseMessage(answer, correlationId))) return;
    this.#settings.logger.error('an answer could not be sent', {
      reason: changesBody(answer) ? 'it changes a body, which the gRPC protocol does not support' : 'it is too large',
      correlation_id: correlationId,
    });
    this.#send(call, agentResponseMessage(failedAnswer, correlationId));
  };

  #updateDialogue(correlationId: string, isOpen: boolean): void {
    this.#dialogues.delete(correlationId);
    if (!isOpen) return;
    this.#dialogues.set(correlationId, true);
    if (this.#dialogues.size <= this.#settings.options.maxOneShotDialogues) return;
    const oldest = this.#dialogues.firstKey;
    if (oldest !== null) this.#giveUp(oldest);
  }

  #giveUp(correlationId: string): void {
    this.#dialogues.delete(correlationId);
    this.#pending.cancel(correlationId, 'client_disconnect');
  }

  /** Returns false if the message is too large. */
  #send(call: OneShotCall, message: GrpcAgentToProxy): boolean {
    const octets = this.#settings.method.responseSerialize(message);
    if (octets.length > maximumMessageBytes) return false;
    call.answer(octets);
    return true;
  }
}
