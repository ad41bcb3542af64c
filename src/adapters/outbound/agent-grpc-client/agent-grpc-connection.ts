import type { ClientHttp2Session } from 'node:http2';
import type { ChannelInterface, Client, ClientDuplexStream, StatusObject } from '@grpc/grpc-js';
import type { ConnectionEnd } from '../../../application/ports/gateway/agent-connector.js';
import type { ScheduledTask, Scheduler } from '../../../application/ports/shared/scheduler.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { boundLateness } from '../../event-loop-batching/bound-lateness.js';
import type { GrpcAgentToProxy, GrpcProxyControl, GrpcProxyToAgent } from '../../wire/agent-grpc/grpc-messages.js';
import {
  agentToProxyShape,
  lookAtAgentMessage,
  type MessageLook,
  proxyControlShape,
} from '../../wire/agent-grpc/message-shape.js';
import { ownedHeadersKey } from '../../wire/agent-grpc/owned-headers-metadata.js';
import type { MessageShape } from '../../wire/agent-messages/field-kinds.js';
import type { CalledAgentService, CalledMethod, GrpcConnectorOptions, GrpcLibrary } from './grpc-client-options.js';
import { refuseCompression } from './refuse-compression.js';
import type { SocketGate } from './socket-gate.js';

/** Where @grpc/grpc-js 1.14.7 keeps the HTTP/2 sessions of a channel that shares them with none. */
interface ChannelParts {
  readonly internalChannel?: {
    readonly subchannelPool?: {
      readonly pool?: Readonly<Record<string, readonly { readonly subchannel?: SubchannelParts }[]>>;
    };
  };
}

interface SubchannelParts {
  readonly transport?: { readonly session?: ClientHttp2Session } | null;
}

/**
 * Has every stream that an agent opens by itself (server push, RFC 9113 section 8.4) told and closed. The library
 * leaves push enabled and takes no notice of such streams, so that Node throws the error of one at nobody and ends the
 * process. It has no option and no event for that: this reaches into it. package.json names its version exactly, and a
 * test fails where the session is not found any more.
 *
 * @param channel connected
 * @returns false where there is no session that can be watched: the channel must not be used
 */
const refusePushes = (channel: ChannelInterface, onPush: () => void): boolean => {
  const { pool } = (channel as ChannelParts).internalChannel?.subchannelPool ?? {};
  let isFound = false;
  for (const { subchannel } of Object.values(pool ?? {}).flat()) {
    const session = subchannel?.transport?.session;
    if (session === undefined) continue;
    isFound = true;
    session.on('stream', (stream) => {
      stream.on('error', () => {});
      stream.close();
      onPush();
    });
  }
  return isFound;
};

/** Codes of gRPC by their numbers. */
const names = [
  'OK',
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
];
const refusals: readonly string[] = ['PERMISSION_DENIED', 'UNAUTHENTICATED'];
/** How @grpc/grpc-js begins to say that a message was too large, as it came or inflated. */
const tooLarge = 'Received message ';
/** Characters of the agent's own words that go into the log. */
const maximumDetailLength = 500;

/** How a stream ended. */
const statusEnd = ({ code, details }: Pick<StatusObject, 'code' | 'details'>): ConnectionEnd => {
  const name = names[code] ?? 'UNKNOWN';
  if (name === 'OK') return { kind: 'ended', detail: 'the agent closed it' };
  const detail = `${name}: ${details}`.slice(0, maximumDetailLength);
  if (refusals.includes(name)) return { kind: 'refused', detail };
  const isMalformed = name === 'RESOURCE_EXHAUSTED' && details.startsWith(tooLarge);
  return { kind: isMalformed ? 'malformed' : 'ended', detail };
};

/** Who is told what comes. Nothing is told after `onEnd`, or after `close`. */
export interface GrpcLineListener {
  /**
   * What the agent's metadata, which comes before its first message, says of owned headers: the values of the field.
   */
  onOwnedHeaders(values: readonly string[]): void;
  onMessage(message: GrpcAgentToProxy, look: MessageLook): void;
  /** HTTP/2 says that the agent takes no new streams: it is about to go. */
  onGoaway(): void;
  onRoom(): void;
  onEnd(end: ConnectionEnd): void;
}

export interface GrpcLinePlan {
  readonly grpc: GrpcLibrary;
  readonly service: CalledAgentService;
  /** Of this line alone. */
  readonly client: Client;
  /** What the client's sockets pass. */
  readonly gate: SocketGate;
}

/** Messages are written as octets, so that it is known how many. */
const asOctets = (octets: Buffer): Buffer => octets;

interface ReadMessage<Message> {
  readonly message: Message;
  readonly look: MessageLook;
}

const reader =
  <Message>({ responseDeserialize }: CalledMethod<never, Message>, shape: MessageShape) =>
  (octets: Buffer): Result<ReadMessage<Message>, string> => {
    const look = lookAtAgentMessage(octets, shape);
    if (!look.ok) return err(`a message cannot be read: ${look.error}`);
    try {
      return ok({ message: responseDeserialize(octets), look: look.value });
    } catch {
      return err('a message that is none');
    }
  };

/** A ProcessStream on a connection of its own, and a ControlStream beside it. */
export class AgentGrpcConnection {
  readonly #plan: GrpcLinePlan;
  readonly #options: GrpcConnectorOptions;
  readonly #scheduler: Scheduler;
  readonly #listener: GrpcLineListener;
  readonly #stream: ClientDuplexStream<Buffer, Result<ReadMessage<GrpcAgentToProxy>, string>>;
  #linger: ScheduledTask | null = null;
  /** Octets of messages that have not left. */
  #pendingBytes = 0;
  #wasBusy = false;
  #status: StatusObject | null = null;
  #isOver = false;

  constructor(plan: GrpcLinePlan, options: GrpcConnectorOptions, scheduler: Scheduler, listener: GrpcLineListener) {
    this.#plan = plan;
    this.#options = options;
    this.#scheduler = scheduler;
    this.#listener = listener;
    const isPlain = refuseCompression(plan.client.getChannel(), () => {
      this.#end({ kind: 'malformed', detail: 'the agent compresses its messages, which it was asked not to' });
    });
    const { ProcessStream } = plan.service;
    const read = reader(ProcessStream, agentToProxyShape);
    this.#stream = plan.client.makeBidiStreamRequest(ProcessStream.path, asOctets, read);
    this.#stream.on('metadata', (metadata) => {
      if (this.#isOver) return;
      listener.onOwnedHeaders(metadata.get(ownedHeadersKey).filter((value) => typeof value === 'string'));
    });
    this.#stream.on('data', (read: Result<ReadMessage<GrpcAgentToProxy>, string>) => {
      boundLateness();
      if (this.#isOver) return;
      if (read.ok) listener.onMessage(read.value.message, read.value.look);
      else this.#end({ kind: 'malformed', detail: read.error });
    });
    // Comes before `end`, which comes once all that was received has been read.
    this.#stream.on('status', (status) => {
      this.#status = status;
    });
    // The status says the same.
    this.#stream.on('error', () => {});
    this.#stream.on('end', () => this.#onEnd());
    this.#stream.on('close', () => this.#onEnd());
    plan.gate.onGoaway = () => {
      if (!this.#isOver) listener.onGoaway();
    };
    this.#watchChannel();
    // Nothing has been sent yet.
    if (!isPlain) queueMicrotask(() => this.#end({ kind: 'ended', detail: 'compression cannot be refused' }));
  }

  /** Whether so much output waits that no further call should go by it. */
  get isBusy(): boolean {
    return this.#pendingBytes >= this.#options.busyOutputBytes;
  }

  /** False where it is larger than a message can be. */
  send(message: GrpcProxyToAgent): boolean {
    const octets = this.#plan.service.ProcessStream.requestSerialize(message);
    if (octets.length > this.#options.maxMessageBytes) return false;
    if (this.#isOver) return true;
    this.#pendingBytes += octets.length;
    this.#wasBusy ||= this.isBusy;
    this.#stream.write(octets, () => this.#onLeft(octets.length));
    return true;
  }

  /**
   * To be called once the agent has answered. Not every agent serves a ControlStream, so that its end means nothing.
   */
  openControl(onMessage: (message: GrpcProxyControl) => void): void {
    const { client, gate, grpc, service } = this.#plan;
    if (gate.hasGoaway || client.getChannel().getConnectivityState(false) !== grpc.connectivityState.READY) {
      // It has said goodbye already; a new stream would have the library make another connection.
      this.#listener.onGoaway();
      return;
    }
    const { path } = service.ControlStream;
    const read = reader(service.ControlStream, proxyControlShape);
    const control = client.makeBidiStreamRequest(path, asOctets, read);
    control.on('error', () => {});
    control.on('data', (read: Result<ReadMessage<GrpcProxyControl>, string>) => {
      if (!read.ok) control.cancel();
      else if (!this.#isOver) onMessage(read.value.message);
    });
  }

  /**
   * Ends it after what was written has left, if the agent reads it in time. Only until then is the process kept from
   * its end: an agent that does not end its side takes up none of that.
   */
  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#linger = this.#scheduler.after(this.#options.handshakeTimeoutMs, () => this.#release());
    this.#stream.end();
    if (this.#pendingBytes === 0) this.#plan.gate.letGo();
  }

  /** Ends it at once. */
  abort(): void {
    this.#isOver = true;
    this.#release();
  }

  /** The library takes a connection out of use when it is lost, and when the agent sends a GOAWAY. */
  #watchChannel(): void {
    const { client, grpc } = this.#plan;
    const channel = client.getChannel();
    const { READY } = grpc.connectivityState;
    const state = channel.getConnectivityState(false);
    channel.watchConnectivityState(state, Number.POSITIVE_INFINITY, () => {
      if (this.#isOver) return;
      this.#watchChannel();
      if (state === READY) this.#listener.onGoaway();
      // The library notes the session right after this, and sends nothing before.
      if (channel.getConnectivityState(false) === READY) queueMicrotask(() => this.#guardSession());
    });
  }

  #guardSession(): void {
    const isGuarded = refusePushes(this.#plan.client.getChannel(), () => {
      this.#end({ kind: 'malformed', detail: 'the agent pushes streams of its own' });
    });
    if (!isGuarded) this.#end({ kind: 'ended', detail: 'the HTTP/2 session cannot be watched' });
  }

  #onLeft(octets: number): void {
    this.#pendingBytes -= octets;
    if (this.#isOver && this.#pendingBytes === 0) this.#plan.gate.letGo();
    if (!this.#wasBusy || this.isBusy) return;
    this.#wasBusy = false;
    if (!this.#isOver) this.#listener.onRoom();
  }

  #onEnd(): void {
    if (this.#isOver) {
      // All that was written has left, or never will.
      this.#release();
      return;
    }
    const end = this.#status === null ? null : statusEnd(this.#status);
    this.#end(this.#plan.gate.failure ?? end ?? { kind: 'ended', detail: 'the agent ended the connection' });
  }

  #end(end: ConnectionEnd): void {
    if (this.#isOver) return;
    this.abort();
    this.#listener.onEnd(end);
  }

  #release(): void {
    this.#linger?.cancel();
    this.#stream.cancel();
    this.#plan.gate.close();
    // Its library closes the session: never within what node:http2 calls, see `endSession`.
    setImmediate(() => this.#plan.client.close());
  }
}
