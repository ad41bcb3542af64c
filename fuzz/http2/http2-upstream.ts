import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { emptySettings, plainResponse, settingsAck } from '../inputs/made-frames.js';

const prefaceOctets = 24;
const headers = 1;
const settings = 4;
/** Octets of requests that are held for the end of a frame. */
const mostHeld = 1_048_576;

/** What the upstream sends for a stream that begins; null: what anybody would. `end` ends the connection behind it. */
export type FrameAnswer = (stream: number) => { readonly octets: Uint8Array; readonly end: boolean } | null;

/** An upstream of HTTP/2 whose octets can be anything. */
export class Http2Upstream {
  answer: FrameAnswer = () => null;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  constructor() {
    this.#server = createServer((socket) => this.#take(socket));
  }

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return (this.#server.address() as AddressInfo).port;
  }

  forget(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  close(): Promise<void> {
    this.forget();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  #take(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('error', () => undefined);
    let held: Buffer = Buffer.alloc(0);
    let isBegun = false;
    socket.on('data', (octets: Buffer) => {
      held = Buffer.concat([held, octets]);
      if (!isBegun) {
        if (held.length < prefaceOctets) return;
        isBegun = true;
        held = held.subarray(prefaceOctets);
        socket.write(emptySettings);
      }
      while (held.length >= 9 && held.length >= 9 + held.readUIntBE(0, 3)) {
        const length = held.readUIntBE(0, 3);
        this.#takeFrame(socket, held);
        held = held.subarray(9 + length);
      }
      if (held.length > mostHeld) socket.destroy();
    });
  }

  #takeFrame(socket: Socket, frame: Buffer): void {
    const type = frame[3];
    const stream = frame.readUInt32BE(5);
    if (type === settings && ((frame[4] as number) & 1) === 0) socket.write(settingsAck);
    if (type !== headers) return;
    const given = this.answer(stream);
    if (given === null) socket.write(plainResponse(stream, 'good'));
    else if (given.end) socket.end(given.octets);
    else socket.write(given.octets);
  }
}
