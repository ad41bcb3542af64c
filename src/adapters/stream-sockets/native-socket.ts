import { EventEmitter } from 'node:events';
import { Socket } from 'node:net';
import { getSystemErrorName } from 'node:util';
import type { SocketLayer as Addon } from '#native';
import type { DetachableSocket } from './stream-socket.js';
import type { TakeUpstreamInput, UpstreamStream } from './upstream-stream.js';

type Written = (error?: Error | null) => void;

/** `write` returns false from this many unsent octets on; the default of `net.Socket`. */
const highWaterMark = 16_384;
/** Longest text that `write` encodes into the shared buffer. */
const scratchOctets = 65_536;
const scratch = Buffer.allocUnsafeSlow(scratchOctets);

/** The error that Node reports for a failed system call. `errno` is positive. */
export const systemError = (errno: number, call: string, address = ''): Error => {
  const code = getSystemErrorName(-errno);
  return Object.assign(new Error(`${call} ${code}${address === '' ? '' : ` ${address}`}`), {
    code,
    errno: -errno,
    syscall: call,
  });
};

/** The addon's id of a socket, and the peer. */
export interface NativeSocketId {
  readonly slot: number;
  readonly generation: number;
  readonly remoteAddress: string;
  readonly remotePort: number;
  /** The peer in error messages. */
  readonly peerName: string;
}

/** The part of the layer that a socket uses. */
export interface NativeSocketOwner {
  readonly addon: Addon;
  /** The last turn left ready sockets unread. */
  readonly hasUnreadSockets: boolean;
  /** The socket has closed or left the layer, and gets no more events. */
  onRemoved(socket: NativeSocket): void;
  /** Gives the socket what this turn has read of it and not reported yet. */
  reportRest(socket: NativeSocket): void;
}

/**
 * A socket of the native layer. It behaves like a `net.Socket` with `allowHalfOpen`, with two differences. One reader
 * gets the input, without copies. `end` is emitted in the turn in which the peer's end arrives.
 */
export class NativeSocket extends EventEmitter implements DetachableSocket, UpstreamStream {
  readonly slot: number;
  readonly generation: number;
  readonly remoteAddress: string;
  readonly remotePort: number;
  readonly #peerName: string;
  /** Called after the close event; cheaper than a listener. */
  onClosed: (() => void) | null = null;
  bytesRead = 0;
  writableEnded = false;
  errored: Error | null = null;
  /** `fresh`: there is no reader yet. `paused`: the reader gets no input. */
  #reading: 'fresh' | 'flowing' | 'paused' = 'fresh';
  /** Null once the socket has left the layer. */
  #owner: NativeSocketOwner | null;
  #take: ((octets: Buffer) => void) | null = null;
  #isConnecting: boolean;
  /** Input that the reader has not received. */
  #held: Buffer[] = [];
  #isDelivering = false;
  /** The peer has ended: `end` follows the held input. */
  #hasEnd = false;
  /** The error that follows behind the held input. */
  #failure: Error | null = null;
  /** The last read was cut short: the kernel may have more. */
  mayHaveMore = false;
  #isReadOver = false;
  /** `end` was called, and everything is sent. */
  #isWriteOver = false;
  /** `destroySoon` was called. */
  #closesWhenSent = false;
  #corks = 0;
  #corked: Uint8Array[] = [];
  #corkedOctets = 0;
  /** The addon has queued octets. */
  #isQueued = false;
  #needsDrain = false;
  /** Callbacks of `write`, called once everything written is sent. */
  #written: Written[] = [];
  #isForgiving = false;
  #writeError: Error | null = null;
  #isDestroyed = false;
  #isReset = false;
  #detached: Socket | null = null;
  /** Octets that the kernel had accepted when the addon was last asked. */
  #lastWritten = 0;

  /** @param owner null: the attempt to connect failed at once */
  constructor(
    owner: NativeSocketOwner | null,
    { slot, generation, remoteAddress, remotePort, peerName }: NativeSocketId,
    isConnecting: boolean,
  ) {
    super();
    this.#owner = owner;
    this.slot = slot;
    this.generation = generation;
    this.remoteAddress = remoteAddress;
    this.remotePort = remotePort;
    this.#peerName = peerName;
    this.#isConnecting = isConnecting;
  }

  get destroyed(): boolean {
    return this.#detached === null ? this.#isDestroyed : this.#detached.destroyed;
  }

  get writableLength(): number {
    return this.#corkedOctets + this.#queued;
  }

  get writableNeedDrain(): boolean {
    return this.#needsDrain;
  }

  get readableLength(): number {
    return this.#held.reduce((octets, { length }) => octets + length, 0);
  }

  get mayBeUnread(): boolean {
    return this.#owner?.hasUnreadSockets === true;
  }

  get hasUnreadInput(): boolean {
    return this.#owner?.addon.hasInput(this.slot, this.generation) === true;
  }

  get writeError(): Error | null {
    return this.#writeError;
  }

  get bytesWritten(): number {
    const owner = this.#owner;
    if (owner !== null) this.#lastWritten = owner.addon.bytesWritten(this.slot, this.generation);
    return this.#lastWritten + this.writableLength;
  }

  get #queued(): number {
    const owner = this.#owner;
    return this.#isQueued && owner !== null ? owner.addon.queued(this.slot, this.generation) : 0;
  }

  // Reading.

  readWith(take: (octets: Buffer) => void): void {
    this.#take = take;
    if (this.#reading === 'fresh') this.resume();
  }

  /** Reads with a function that returns false to pause. */
  readUpstream(read: TakeUpstreamInput): void {
    this.readWith((octets) => {
      if (!read(octets, octets.length)) this.pause();
    });
  }

  pause(): void {
    if (this.#reading === 'paused') return;
    this.#reading = 'paused';
    this.#pauseAddon();
  }

  resume(): void {
    if (this.#reading === 'flowing') return;
    const wasPaused = this.#reading === 'paused' || this.#held.length > 0;
    this.#reading = 'flowing';
    if (wasPaused) this.#deliverLater();
  }

  unshift(octets: Uint8Array): void {
    this.#held.unshift(Buffer.from(octets));
  }

  /** The addon has read octets. They are valid during the call. */
  onData(octets: Buffer, mayHaveMore: boolean): void {
    this.bytesRead += octets.length;
    this.mayHaveMore = mayHaveMore;
    if (this.#reading === 'flowing' && this.#held.length === 0) {
      this.#take?.(octets);
      return;
    }
    this.#held.push(Buffer.from(octets));
    if (this.#reading === 'fresh') this.#pauseAddon();
  }

  /** The peer sends no more. */
  onEnd(): void {
    if (this.#reading !== 'paused' && this.#held.length === 0) this.#endReading();
    else this.#hasEnd = true;
  }

  #pauseAddon(): void {
    const owner = this.#owner;
    if (owner !== null) owner.addon.pause(this.slot, this.generation);
  }

  #deliverLater(): void {
    if (this.#isDelivering) return;
    this.#isDelivering = true;
    process.nextTick(() => {
      this.#isDelivering = false;
      this.#deliver();
    });
  }

  #deliver(): void {
    while (this.#reading === 'flowing' && !this.#isDestroyed) {
      const piece = this.#held.shift();
      if (piece === undefined) break;
      this.#take?.(piece);
    }
    if (this.#reading !== 'flowing' || this.#isDestroyed) return;
    const owner = this.#owner;
    if (owner !== null) owner.addon.resume(this.slot, this.generation);
    if (this.#failure !== null) this.destroy(this.#failure);
    else if (this.#hasEnd) {
      this.#hasEnd = false;
      this.#endReading();
    }
  }

  #endReading(): void {
    this.#isReadOver = true;
    this.emit('end');
    this.#closeIfOver();
  }

  // Writing.

  write(data: Uint8Array | string, encoding?: 'latin1' | Written, written?: Written): boolean {
    const done = typeof encoding === 'function' ? encoding : written;
    if (this.#isDestroyed || this.writableEnded) {
      if (done !== undefined) process.nextTick(done, new Error('the socket takes no more'));
      return false;
    }
    if (typeof data === 'string' && data.length <= scratchOctets && this.#corks === 0) {
      this.#send(scratch, scratch.write(data, 0, 'latin1'));
    } else {
      const octets = typeof data === 'string' ? Buffer.from(data, 'latin1') : data;
      if (this.#corks === 0) this.#send(octets, octets.length);
      else {
        this.#corked.push(octets);
        this.#corkedOctets += octets.length;
      }
    }
    if (done !== undefined) {
      if (this.writableLength === 0) process.nextTick(done);
      else this.#written.push(done);
    }
    if (!this.#isQueued && this.#corkedOctets === 0) return true;
    if (this.writableLength < highWaterMark) return true;
    this.#needsDrain = true;
    return false;
  }

  cork(): void {
    this.#corks += 1;
  }

  uncork(): void {
    if (this.#corks === 0) return;
    this.#corks -= 1;
    if (this.#corks === 0) this.#sendCorked();
  }

  end(last?: Uint8Array): void {
    if (this.#isDestroyed || this.writableEnded) return;
    this.#corks = 0;
    this.#sendCorked();
    if (last !== undefined) this.write(last);
    this.writableEnded = true;
    const owner = this.#owner;
    if (owner === null) return;
    owner.addon.shutdown(this.slot, this.generation);
    if (this.#isQueued || this.#isConnecting) return;
    this.#isWriteOver = true;
    process.nextTick(() => this.#closeIfOver());
  }

  forgiveWrites(): void {
    this.#isForgiving = true;
  }

  /** Needs no empty write: the addon itself reports a reset that follows data. */
  findReset(): Error | null {
    return this.errored ?? this.#writeError;
  }

  #send(octets: Uint8Array, length: number): void {
    const owner = this.#owner;
    if (owner === null || this.#writeError !== null) return;
    const left = owner.addon.write(this.slot, this.generation, octets, 0, length);
    if (left > 0) this.#isQueued = true;
    else if (left < 0) this.#writeFailed(systemError(-left, 'write'));
  }

  #sendCorked(): void {
    if (this.#corkedOctets === 0) {
      this.#corked = [];
      return;
    }
    const corked = this.#corked;
    this.#corked = [];
    this.#corkedOctets = 0;
    const octets = corked.length === 1 ? (corked[0] as Uint8Array) : Buffer.concat(corked);
    this.#send(octets, octets.length);
    if (!this.#isQueued) process.nextTick(() => this.#allWritten());
  }

  #writeFailed(error: Error): void {
    this.#isQueued = false;
    if (!this.#isForgiving) {
      this.destroy(error);
      return;
    }
    this.#writeError = error;
    this.#allWritten();
  }

  #allWritten(): void {
    if (this.#isQueued || this.#corkedOctets > 0) return;
    const written = this.#written;
    if (written.length > 0) this.#written = [];
    for (const done of written) done();
    if (!this.#needsDrain || this.#isDestroyed) return;
    this.#needsDrain = false;
    if (!this.writableEnded) this.emit('drain');
  }

  /** The addon's queue is empty. */
  onDrain(): void {
    // A write behind the event may have filled the queue again.
    if (this.#queued > 0) return;
    this.#isQueued = false;
    this.#allWritten();
    if (!this.writableEnded || this.#isQueued) return;
    this.#isWriteOver = true;
    this.#closeIfOver();
  }

  // The connection.

  connected(): void {
    this.#isConnecting = false;
    this.emit('connect');
    if (!this.writableEnded || this.#isQueued) return;
    this.#isWriteOver = true;
    this.#closeIfOver();
  }

  /** The addon reports an error, after which the socket is unusable. */
  onError(errno: number, isFromWriting: boolean): void {
    const call = this.#isConnecting ? 'connect' : isFromWriting ? 'write' : 'read';
    const error = systemError(errno, call, this.#isConnecting ? this.#peerName : '');
    // What was received before counts, as with a `net.Socket`, which meets the error when it reads on.
    if (this.#held.length > 0 || this.#reading === 'paused') this.#failure = error;
    else this.destroy(error);
  }

  #closeIfOver(): void {
    if (this.#isWriteOver && (this.#isReadOver || this.#closesWhenSent)) this.destroy();
  }

  destroySoon(): void {
    if (this.#detached !== null) {
      this.#detached.destroySoon();
      return;
    }
    this.#closesWhenSent = true;
    this.end();
    this.#closeIfOver();
  }

  resetAndDestroy(): void {
    this.#isReset = true;
    this.destroy();
  }

  destroy(error?: Error): void {
    if (this.#detached !== null) {
      this.#detached.destroy(error);
      return;
    }
    if (this.#isDestroyed) return;
    this.#isDestroyed = true;
    this.errored = error ?? null;
    const owner = this.#owner;
    if (owner !== null) {
      this.#lastWritten = owner.addon.bytesWritten(this.slot, this.generation);
      this.#owner = null;
      if (this.#isReset) owner.addon.reset(this.slot, this.generation);
      else owner.addon.close(this.slot, this.generation);
      owner.onRemoved(this);
    }
    this.#isQueued = false;
    this.#corked = [];
    this.#corkedOctets = 0;
    this.#held = [];
    process.nextTick(() => {
      const written = this.#written;
      this.#written = [];
      for (const done of written) done(error ?? new Error('the socket is closed'));
      if (error !== undefined) this.emit('error', error);
      this.#closed();
    });
  }

  detach(): Socket {
    if (this.#detached !== null) return this.#detached;
    this.#corks = 0;
    this.#sendCorked();
    const owner = this.#owner;
    // Queued octets stay in the addon, so later writes would overtake them.
    if (this.#isQueued) this.destroy();
    if (owner === null || this.#isDestroyed) return new Socket().destroy();
    owner.reportRest(this);
    const fd = owner.addon.detach(this.slot, this.generation);
    this.#owner = null;
    owner.onRemoved(this);
    const socket = new Socket({ fd, readable: true, writable: true, allowHalfOpen: true });
    this.#detached = socket;
    const held = this.#held;
    this.#held = [];
    if (held.length > 0) socket.unshift(Buffer.concat(held));
    // Who listens to this socket goes on to hear of errors and of the end.
    socket.on('error', (error) => {
      if (this.listenerCount('error') > 0) this.emit('error', error);
    });
    socket.once('close', () => this.#closed());
    return socket;
  }

  #closed(): void {
    this.emit('close');
    this.onClosed?.();
  }
}
