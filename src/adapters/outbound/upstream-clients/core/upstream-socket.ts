import { Socket } from 'node:net';

type WriteCallback = (error?: Error | null) => void;

/** A socket to an upstream that can do without its writing direction. */
export class UpstreamSocket extends Socket {
  #isForgiving = false;
  #writeError: Error | null = null;

  /**
   * From now on nothing is made of it that writing fails. An upstream that answers early and stops reading has not failed:
   * its answer may wait to be read, and would be lost if the socket ended here. Reading gets to the end or the reset soon
   * enough, because writing saw it already.
   */
  forgiveWrites(): void {
    this.#isForgiving = true;
  }

  /** Of a write that was forgiven: the other side has stopped reading. */
  get writeError(): Error | null {
    return this.#writeError;
  }

  /**
   * Asks at the end of reading whether the peer has reset the connection. libuv reports a reset that comes together with
   * octets as an end. Writing nothing fails then, and sends nothing otherwise.
   */
  findReset(): Error | null {
    if (!this.destroyed && !this.writableEnded && this.writableLength === 0) this.write('');
    return this.errored ?? this.#writeError;
  }

  override _write(chunk: unknown, encoding: BufferEncoding, callback: WriteCallback): void {
    if (!this.#isForgiving) super._write(chunk, encoding, callback);
    else if (this.#writeError !== null) callback();
    else super._write(chunk, encoding, this.#forgiving(callback));
  }

  override _writev(chunks: { chunk: unknown; encoding: BufferEncoding }[], callback: WriteCallback): void {
    if (!this.#isForgiving) super._writev?.(chunks, callback);
    else if (this.#writeError !== null) callback();
    else super._writev?.(chunks, this.#forgiving(callback));
  }

  #forgiving(callback: WriteCallback): WriteCallback {
    return (error) => {
      if (error) this.#writeError = error;
      callback();
    };
  }
}
