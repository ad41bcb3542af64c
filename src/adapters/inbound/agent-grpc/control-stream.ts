import type {
  BufferedOctetCounter,
  BufferingConnection,
} from '../../../application/agent/serve-gateways/buffered-octet-counter.js';
import { drainMessage, shutdownMessage } from '../../wire/agent-grpc/agent-message.js';
import type { GrpcServiceDefinition } from '../../wire/agent-grpc/agent-service-definition.js';
import type { shutdownReasons } from '../../wire/agent-messages/control-messages.js';
import type { CutOffLog } from './cut-off-log.js';
import type { CallListener, GrpcCall } from './grpc-call.js';
import { type GrpcStatus, grpcStatus } from './grpc-status.js';

export interface ControlStreamOptions {
  readonly method: GrpcServiceDefinition['controlStream'];
  /** Octets of incomplete messages on all ControlStream calls. */
  readonly held: BufferedOctetCounter;
  readonly cutOffs: CutOffLog;
  readonly messageTimeoutMs: number;
  readonly onClosed: () => void;
}

/**
 * One ControlStream call. The agent announces its shutdown here and ignores messages from the
 * gateway.
 */
export class ControlStream implements CallListener<null>, BufferingConnection {
  readonly #call: GrpcCall<null>;
  readonly #options: ControlStreamOptions;

  constructor(call: GrpcCall<null>, options: ControlStreamOptions) {
    this.#call = call;
    this.#options = options;
    call.sendMetadata();
    call.listen(this);
  }

  /** Ends the call if a message exceeds its timeout. */
  checkMessage(): void {
    if (this.#call.arrivingForMs >= this.#options.messageTimeoutMs) {
      this.#cutOff(grpcStatus.aborted, 'a message was not complete in time');
    }
  }

  message(): void {}

  /** The gateway may end its side and still receive. */
  ended(): void {}

  flowing(): void {}

  holds(octets: number): void {
    this.#options.held.note(this, octets);
  }

  closed(): void {
    this.#options.held.forget(this);
    this.#options.onClosed();
  }

  giveUp(reason: string): void {
    this.#cutOff(grpcStatus.resourceExhausted, reason);
  }

  /** @param nowMs milliseconds since the Unix epoch, here and in `shutdown` */
  drain(graceMs: number, nowMs: number): void {
    this.#call.send(this.#options.method.responseSerialize(drainMessage(graceMs, nowMs)));
  }

  /** Announces the end of the service and ends the call. */
  shutdown(reason: keyof typeof shutdownReasons, nowMs: number): void {
    this.#call.send(this.#options.method.responseSerialize(shutdownMessage(reason, nowMs)));
    this.#call.end();
  }

  #cutOff(status: GrpcStatus, reason: string): void {
    this.#options.cutOffs.note(reason);
    this.#call.cutOff(status, reason);
  }
}
