import type { ClientHttp2Session } from 'node:http2';
import type { ChannelInterface, Client, ClientDuplexStream, StatusObject } from '@grpc/grpc-js';
import type { ConnectionEnd } from '../../../application/ports/gateway/agent-connector.js';
import type { ScheduledTask, Scheduler } from '../../../application/ports/shared/scheduler.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { boundLateness } from '../../event-loop-batching/event-loop-turn.js';
import type { GrpcAgentToProxy, GrpcProxyControl, GrpcProxyToAgent } from '../../wire/agent-grpc/grpc-messages.js';
import {
  agentToProxyShape,
  checkAgentMessage,
  type MessageCheck,
  proxyControlShape,
} from '../../wire/agent-grpc/message-shape.js';
import { ownedHeadersKey } from '../../wire/agent-grpc/owned-headers-metadata.js';
import type { MessageShape } from '../../wire/agent-messages/field-kinds.js';
import type { CalledAgentService, CalledMethod, GrpcConnectorOptions, GrpcLibrary } from './grpc-client-options.js';
import { refuseCompression } from './refuse-compression.js';
import type { SocketGate } from './socket-gate.js';

/**
 * Internals of @grpc/grpc-js 1.14.7: the HTTP/2 sessions of a channel with a local subchannel pool.
 */
interface ChannelInternals {
  readonly internalChannel?: {
    readonly subchannelPool?: {
      readonly pool?: Readonly<Record<string, readonly { readonly subchannel?: SubchannelInternals }[]>>;
    };
  };
}

interface SubchannelInternals {
  readonly transport?: { readonly session?: ClientHttp2Session } | null;
}

/**
 * Closes and reports every stream that an agent pushes (RFC 9113, section 8.4). The library leaves
 * push enabled and ignores pushed streams, so that an error on one ends the process. It has no
 * option or event for this. package.json pins its version, and a test fails if the session is not
 * found.
 *
 * @param channel connected
 * @returns false if no session was found: do not use the channel
 */
const refusePushes = (channel: ChannelInterface, onPush: () => void): boolean => {
  const { pool } = (channel as ChannelInternals).internalChannel?.subchannelPool ?? {};
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

/** Names of the gRPC status codes, by number. */
const statusNames = [
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
/**
 * Start of the details with which @grpc/grpc-js rejects a message that is too large, encoded or
 * inflated.
 */
const tooLargeDetails = 'Received message ';
/** Maximum characters of the agent's text in the log. */
const maxDetailLength = 500;

/** Maps a gRPC status to the end of the connection. */
const statusEnd = ({ code, details }: Pick<StatusObject, 'code' | 'details'>): ConnectionEnd => {
  const name = statusNames[code] ?? 'UNKNOWN';
  if (name === 'OK') return { kind: 'ended', detail: 'the agent closed it' };
  const detail = `${name}: ${details}`.slice(0, maxDetailLength);
  if (refusals.includes(name)) return { kind: 'refused', detail };
  const isMalformed = name === 'RESOURCE_EXHAUSTED' && details.startsWith(tooLargeDetails);
  return { kind: isMalformed ? 'malformed' : 'ended', detail };
};

/** Receives the events of the streams. No event follows `onEnd` or `close`. */
export interface AgentStreamsListener {
  /** Values of the owned-headers field in the agent's metadata, which precede its first message. */
  onOwnedHeaders(values: readonly string[]): void;
  onMessage(message: GrpcAgentToProxy, look: MessageCheck): void;
  /** The agent sent a GOAWAY: it accepts no new streams. */
  onGoaway(): void;
  onRoom(): void;
  onEnd(end: ConnectionEnd): void;
}

/** A gRPC client with one channel, and its service. */
export interface AgentChannel {
  readonly grpc: GrpcLibrary;
  readonly service: CalledAgentService;
  /** Used by one connection only. */
  readonly client: Client;
  /** All sockets of the client pass this gate. */
  readonly gate: SocketGate;
}

/** Messages are serialized before the library, so that their octets can be counted. */
const unchanged = (octets: Buffer): Buffer => octets;

interface ReadMessage<Message> {
  readonly message: Message;
  readonly look: MessageCheck;
}

const reader =
  <Message>({ responseDeserialize }: CalledMethod<never, Message>, shape: MessageShape) =>
  (octets: Buffer): Result<ReadMessage<Message>, string> => {
    const look = checkAgentMessage(octets, shape);
    if (!look.ok) return err(`a message is malformed: ${look.error}`);
    try {
      return ok({ message: responseDeserialize(octets), look: look.value });
    } catch {
      return err('a message cannot be decoded');
    }
  };

/** The ProcessStream and ControlStream calls to an agent, on their own connection. */
export class AgentStreams {
  readonly #channel: AgentChannel;
  readonly #options: GrpcConnectorOptions;
  readonly #scheduler: Scheduler;
  readonly #listener: AgentStreamsListener;
  readonly #stream: ClientDuplexStream<Buffer, Result<ReadMessage<GrpcAgentToProxy>, string>>;
  #linger: ScheduledTask | null = null;
  /** Octets of messages not yet sent. */
  #pendingBytes = 0;
  #wasBusy = false;
  #status: StatusObject | null = null;
  #isOver = false;

  constructor(
    channel: AgentChannel,
    options: GrpcConnectorOptions,
    scheduler: Scheduler,
    listener: AgentStreamsListener,
  ) {
    this.#channel = channel;
    this.#options = options;
    this.#scheduler = scheduler;
    this.#listener = listener;
    const isPlain = refuseCompression(channel.client.getChannel(), () => {
      this.#end({ kind: 'malformed', detail: 'the agent compresses messages, which the gateway does not accept' });
    });
    const { ProcessStream } = channel.service;
    const read = reader(ProcessStream, agentToProxyShape);
    this.#stream = channel.client.makeBidiStreamRequest(ProcessStream.path, unchanged, read);
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
    // Precedes `end`, which follows the last received message.
    this.#stream.on('status', (status) => {
      this.#status = status;
    });
    // The status reports the same.
    this.#stream.on('error', () => {});
    this.#stream.on('end', () => this.#onEnd());
    this.#stream.on('close', () => this.#onEnd());
    channel.gate.onGoaway = () => {
      if (!this.#isOver) listener.onGoaway();
    };
    this.#watchChannel();
    // Nothing has been sent yet, so this may end the connection.
    if (!isPlain) queueMicrotask(() => this.#end({ kind: 'ended', detail: 'compression cannot be refused' }));
  }

  /** Whether pending output exceeds `busyOutputBytes`; new calls should use another connection. */
  get isBusy(): boolean {
    return this.#pendingBytes >= this.#options.busyOutputBytes;
  }

  /** Returns false if the message is too large. */
  send(message: GrpcProxyToAgent): boolean {
    const octets = this.#channel.service.ProcessStream.requestSerialize(message);
    if (octets.length > this.#options.maxMessageBytes) return false;
    if (this.#isOver) return true;
    this.#pendingBytes += octets.length;
    this.#wasBusy ||= this.isBusy;
    this.#stream.write(octets, () => this.#onSent(octets.length));
    return true;
  }

  /**
   * Opens ControlStream. Call it after the handshake. Some agents do not serve it, so its end means
   * nothing.
   */
  openControl(onMessage: (message: GrpcProxyControl) => void): void {
    const { client, gate, grpc, service } = this.#channel;
    if (gate.hasGoaway || client.getChannel().getConnectivityState(false) !== grpc.connectivityState.READY) {
      // The agent is going away; a new stream would open another connection.
      this.#listener.onGoaway();
      return;
    }
    const { path } = service.ControlStream;
    const read = reader(service.ControlStream, proxyControlShape);
    const control = client.makeBidiStreamRequest(path, unchanged, read);
    control.on('error', () => {});
    control.on('data', (read: Result<ReadMessage<GrpcProxyControl>, string>) => {
      if (!read.ok) control.cancel();
      else if (!this.#isOver) onMessage(read.value.message);
    });
  }

  /**
   * Closes after pending output, or after `handshakeTimeoutMs`. Pending output keeps the process
   * alive; an agent that does not end its side does not.
   */
  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#linger = this.#scheduler.after(this.#options.handshakeTimeoutMs, () => this.#release());
    this.#stream.end();
    if (this.#pendingBytes === 0) this.#channel.gate.unref();
  }

  /** Closes at once. */
  abort(): void {
    this.#isOver = true;
    this.#release();
  }

  /** The library drops a connection when it is lost and after a GOAWAY. */
  #watchChannel(): void {
    const { client, grpc } = this.#channel;
    const channel = client.getChannel();
    const { READY } = grpc.connectivityState;
    const state = channel.getConnectivityState(false);
    channel.watchConnectivityState(state, Number.POSITIVE_INFINITY, () => {
      if (this.#isOver) return;
      this.#watchChannel();
      if (state === READY) this.#listener.onGoaway();
      // The library stores the session after this callback, before it sends anything.
      if (channel.getConnectivityState(false) === READY) queueMicrotask(() => this.#watchPushes());
    });
  }

  #watchPushes(): void {
    const isWatched = refusePushes(this.#channel.client.getChannel(), () => {
      this.#end({ kind: 'malformed', detail: 'the agent pushes streams (HTTP/2 server push)' });
    });
    if (!isWatched) this.#end({ kind: 'ended', detail: 'the HTTP/2 session cannot be watched' });
  }

  #onSent(octets: number): void {
    this.#pendingBytes -= octets;
    if (this.#isOver && this.#pendingBytes === 0) this.#channel.gate.unref();
    if (!this.#wasBusy || this.isBusy) return;
    this.#wasBusy = false;
    if (!this.#isOver) this.#listener.onRoom();
  }

  #onEnd(): void {
    if (this.#isOver) {
      // All output has been sent or never will be.
      this.#release();
      return;
    }
    const end = this.#status === null ? null : statusEnd(this.#status);
    this.#end(this.#channel.gate.failure ?? end ?? { kind: 'ended', detail: 'the agent ended the connection' });
  }

  #end(end: ConnectionEnd): void {
    if (this.#isOver) return;
    this.abort();
    this.#listener.onEnd(end);
  }

  #release(): void {
    this.#linger?.cancel();
    this.#stream.cancel();
    this.#channel.gate.close();
    // The library closes the session; it must not do so inside a callback of node:http2: see
    // `endSession`.
    setImmediate(() => this.#channel.client.close());
  }
}
