import type {
  BufferedOctetCounter,
  OctetHolder,
} from '../../../application/agent/serve-gateways/buffered-octet-counter.js';
import type { ScheduledTask, Scheduler } from '../../../application/ports/shared/scheduler.js';
import type { GrpcGatewayMessage } from '../../wire/agent-grpc/gateway-message.js';
import type { CutOffLog } from './cut-off-log.js';
import type { CallListener, GrpcCall } from './grpc-call.js';
import type { GrpcServerOptions } from './grpc-server-options.js';
import { type GrpcStatus, grpcStatus } from './grpc-status.js';
import type { IncomingMessage } from './incoming-message.js';

export interface OneShotCallParts {
  readonly scheduler: Scheduler;
  readonly held: BufferedOctetCounter;
  readonly cutOffs: CutOffLog;
  readonly options: Pick<GrpcServerOptions, 'handshakeTimeoutMs' | 'writeTimeoutMs'>;
}

/**
 * One call of ProcessEvent: one message, one answer. What comes after the message is dropped. It holds what comes, then the
 * message until its answer, then the answer until the caller has read it.
 */
export class OneShotCall implements CallListener<GrpcGatewayMessage>, OctetHolder {
  readonly #call: GrpcCall<GrpcGatewayMessage>;
  readonly #parts: OneShotCallParts;
  #deadline: ScheduledTask;
  readonly #onMessage: (call: OneShotCall, message: GrpcGatewayMessage, size: number) => void;
  #isRead = false;
  #isClosed = false;
  #arrivedBytes = 0;
  #messageBytes = 0;
  /** Called when it is over, whoever ended it. */
  onClosed: () => void = () => {};

  constructor(
    call: GrpcCall<GrpcGatewayMessage>,
    parts: OneShotCallParts,
    onMessage: (call: OneShotCall, message: GrpcGatewayMessage, size: number) => void,
  ) {
    this.#call = call;
    this.#parts = parts;
    this.#onMessage = onMessage;
    this.#deadline = parts.scheduler.after(parts.options.handshakeTimeoutMs, () => {
      this.#cutOff(grpcStatus.deadlineExceeded, 'the message did not come in time');
    });
    call.listen(this);
  }

  message({ size, message }: IncomingMessage<GrpcGatewayMessage>): void {
    if (this.#isRead) return;
    this.#isRead = true;
    this.#deadline.cancel();
    this.#messageBytes = size;
    this.#noteHeld();
    if (message.ok) this.#onMessage(this, message.value, size);
    else this.#call.fail(grpcStatus.invalidArgument, message.error);
  }

  ended(): void {
    if (!this.#isRead) this.#call.fail(grpcStatus.invalidArgument, 'the call ended without a message');
  }

  flowing(): void {
    this.#noteHeld();
  }

  holds(octets: number): void {
    this.#arrivedBytes = octets;
    this.#noteHeld();
  }

  closed(): void {
    this.#isClosed = true;
    this.#deadline.cancel();
    this.#parts.held.forget(this);
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
    const { scheduler, options } = this.#parts;
    this.#call.send(message);
    this.#call.end();
    this.#messageBytes = 0;
    this.#deadline = scheduler.after(options.writeTimeoutMs, () => {
      this.#cutOff(grpcStatus.deadlineExceeded, 'the answer was not read in time');
    });
    this.#noteHeld();
  }

  fail(status: GrpcStatus, reason: string): void {
    this.#call.fail(status, reason);
  }

  #noteHeld(): void {
    if (this.#isClosed) return;
    this.#parts.held.note(this, this.#arrivedBytes + this.#messageBytes + this.#call.waitingBytes);
  }

  #cutOff(status: GrpcStatus, reason: string): void {
    this.#parts.cutOffs.note(reason);
    this.#call.cutOff(status, reason);
  }
}
