import { Socket, type SocketConstructorOpts } from 'node:net';
import { errors } from 'undici';
import type { SocketAddress } from '../../../../domain/configuration/gateway-configuration.js';

/** Octets that are read at once. */
const readOctets = 65_536;
/** Silence after which the system asks whether the other side is still there. */
const keepAliveMs = 60_000;

const versionLength = 'HTTP/1.1'.length;
/** A whole `100 Continue`, and how much of what came it may be looked for in. */
const interimContinue = /^HTTP\/1\.1 100[\t -~]*\r\n(?:[\w-]+:[\t -~]*\r\n)*\r\n/;
const maxInterimOctets = 1_024;

type WriteCallback = (error?: Error | null) => void;

/** A connection to an upstream, with an eye on what undici does not tell, or takes for worse than it is. */
export class UpstreamSocket extends Socket {
  #begin = '';
  #isWriteBroken = false;
  /** Octets of the last read. */
  #lastRead = 0;

  constructor() {
    super({ highWaterMark: readOctets } as SocketConstructorOpts);
  }

  /** What is read from now on begins with the head of a response. */
  expectHead(): void {
    this.#begin = '';
  }

  /** `HTTP/1.1`, or whatever stands in its place in the status line that was read. */
  get responseVersion(): string {
    return this.#begin;
  }

  /** The other side has not simply closed: it has reset the connection, or stopped reading. */
  get isBroken(): boolean {
    return this.errored !== null || this.#isWriteBroken;
  }

  /** The system is read until it has less than was asked for: only then was that read certainly the last one. */
  get isReadDry(): boolean {
    return this.#lastRead < readOctets && this.readableLength === 0;
  }

  override push(chunk: unknown, encoding?: BufferEncoding): boolean {
    if (chunk instanceof Uint8Array) this.#lastRead = chunk.length;
    return super.push(chunk, encoding);
  }

  override read(size?: number): unknown {
    const chunk = super.read(size) as Buffer | null;
    if (chunk === null || this.#begin.length === versionLength) return chunk;
    if (this.#begin === '') {
      // Nobody asked for it, but a client has to bear it (RFC 9110, section 15.2); undici ends the connection.
      const interim = interimContinue.exec(chunk.toString('latin1', 0, maxInterimOctets));
      if (interim) {
        const rest = chunk.subarray(interim[0].length);
        if (rest.length === 0) return this.read();
        this.#begin = rest.toString('latin1', 0, versionLength);
        return rest;
      }
    }
    this.#begin += chunk.toString('latin1', 0, versionLength - this.#begin.length);
    return chunk;
  }

  override _write(chunk: unknown, encoding: BufferEncoding, callback: WriteCallback): void {
    if (this.#isWriteBroken) callback();
    else super._write(chunk, encoding, this.#forgiving(callback));
  }

  override _writev(chunks: { chunk: unknown; encoding: BufferEncoding }[], callback: WriteCallback): void {
    if (this.#isWriteBroken) callback();
    else super._writev?.(chunks, this.#forgiving(callback));
  }

  /**
   * An upstream that answers early and stops reading has not failed: its answer may wait to be read, and would be lost if
   * the socket ended here. Reading gets to the end or the reset soon enough, because writing saw it already.
   */
  #forgiving(callback: WriteCallback): WriteCallback {
    return (error) => {
      if (error) this.#isWriteBroken = true;
      callback();
    };
  }
}

/** Connects, or gives the error that it ended with. Calls back once. */
export const connectSocket = (
  { host, port }: SocketAddress,
  timeoutMs: number,
  callback: (...outcome: [null, UpstreamSocket] | [Error, null]) => void,
): UpstreamSocket => {
  const socket = new UpstreamSocket();
  const deadline = setTimeout(() => {
    socket.destroy(new errors.ConnectTimeoutError(`no connection to ${host}:${port} within ${timeoutMs} ms`));
  }, timeoutMs);
  const fail = (error: Error): void => callback(error, null);
  socket.once('close', () => clearTimeout(deadline));
  socket.once('error', fail);
  socket.once('connect', () => {
    clearTimeout(deadline);
    socket.off('error', fail);
    callback(null, socket);
  });
  socket.setNoDelay(true).setKeepAlive(true, keepAliveMs);
  return socket.connect({ host, port });
};
