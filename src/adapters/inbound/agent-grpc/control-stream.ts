import type {
  BufferedOctetCounter,
  OctetHolder,
} from '../../../application/agent/serve-gateways/buffered-octet-counter.js';
import { drainMessage, shutdownMessage } from '../../wire/agent-grpc/agent-message.js';
import type { GrpcServiceDefinition } from '../../wire/agent-grpc/agent-service-definition.js';
import type { shutdownReasons } from '../../wire/agent-messages/control-messages.js';
import type { CutOffLog } from './cut-off-log.js';
import type { CallListener, GrpcCall } from './grpc-call.js';
import { type GrpcStatus, grpcStatus } from './grpc-status.js';

export interface ControlStreamParts {
  readonly method: GrpcServiceDefinition['controlStream'];
  /** What the unfinished messages of all such calls hold. */
  readonly held: BufferedOctetCounter;
  readonly cutOffs: CutOffLog;
  readonly messageTimeoutMs: number;
  readonly onClosed: () => void;
}

/**
 * One call of ControlStream: a gateway that wants to hear of the end of the service. What it sends says nothing to an
 * agent.
 */
export class ControlStream implements CallListener<null>, OctetHolder {
  readonly #call: GrpcCall<null>;
  readonly #parts: ControlStreamParts;

  constructor(call: GrpcCall<null>, parts: ControlStreamParts) {
    this.#call = call;
    this.#parts = parts;
    call.sendMetadata();
    call.listen(this);
  }

  /** Ends it where a message has been coming for too long. */
  checkMessage(): void {
    if (this.#call.arrivingForMs >= this.#parts.messageTimeoutMs) {
      this.#cutOff(grpcStatus.aborted, 'a message did not come to its end in time');
    }
  }

  message(): void {}

  /** It still hears. */
  ended(): void {}

  flowing(): void {}

  holds(octets: number): void {
    this.#parts.held.note(this, octets);
  }

  closed(): void {
    this.#parts.held.forget(this);
    this.#parts.onClosed();
  }

  giveUp(reason: string): void {
    this.#cutOff(grpcStatus.resourceExhausted, reason);
  }

  /** @param nowMs here and below: milliseconds since the Unix epoch */
  drain(graceMs: number, nowMs: number): void {
    this.#call.send(this.#parts.method.responseSerialize(drainMessage(graceMs, nowMs)));
  }

  /** The service is over, and with it the call. */
  shutdown(reason: keyof typeof shutdownReasons, nowMs: number): void {
    this.#call.send(this.#parts.method.responseSerialize(shutdownMessage(reason, nowMs)));
    this.#call.end();
  }

  #cutOff(status: GrpcStatus, reason: string): void {
    this.#parts.cutOffs.note(reason);
    this.#call.cutOff(status, reason);
  }
}
