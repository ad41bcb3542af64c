import { connect, type Socket } from 'node:net';
import type { SocketAddress } from '../../../src/domain/configuration/network-addresses.js';
import { eventually } from '../shared/eventually.js';
import { connectionPreface, frame, frameTypes } from './http2-frames.js';

export interface CameFrame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

/** A client of HTTP/2 that sends what frames it is told to, and keeps those that come. */
export class RawHttp2Client {
  readonly socket: Socket;
  readonly frames: CameFrame[] = [];
  isClosed = false;

  /** Begins with the preface and SETTINGS, and acknowledges those of the other side unless told otherwise. */
  constructor(address: SocketAddress, acknowledges = true) {
    this.socket = connect({ host: address.host, port: address.port });
    this.socket.on('error', () => undefined);
    this.socket.on('close', () => {
      this.isClosed = true;
    });
    let octets: Buffer = Buffer.alloc(0);
    this.socket.on('data', (chunk: Buffer) => {
      octets = Buffer.concat([octets, chunk]);
      while (octets.length >= 9 && octets.length >= 9 + octets.readUIntBE(0, 3)) {
        const end = 9 + octets.readUIntBE(0, 3);
        const came = {
          type: octets.readUInt8(3),
          flags: octets.readUInt8(4),
          stream: octets.readUInt32BE(5),
          payload: octets.subarray(9, end),
        };
        octets = octets.subarray(end);
        this.frames.push(came);
        if (acknowledges && came.type === frameTypes.settings && came.flags === 0)
          this.send(frame(frameTypes.settings, 1, 0));
      }
    });
    this.send(connectionPreface, frame(frameTypes.settings, 0, 0));
  }

  send(...frames: readonly Uint8Array[]): void {
    this.socket.write(Buffer.concat(frames));
  }

  of(type: number, stream: number): CameFrame | undefined {
    return this.frames.find((came) => came.type === type && came.stream === stream);
  }

  /** The first frame of a type on a stream, once it has come. */
  async frame(type: number, stream: number): Promise<CameFrame> {
    await eventually(() => this.of(type, stream) !== undefined || this.isClosed);
    const came = this.of(type, stream);
    if (came === undefined) throw new Error('the connection has closed without such a frame');
    return came;
  }

  /** The error that a stream was reset with. */
  async resetCode(stream: number): Promise<number> {
    return (await this.frame(frameTypes.rstStream, stream)).payload.readUInt32BE(0);
  }

  /** The error that the connection was ended with. */
  async goawayCode(): Promise<number> {
    return (await this.frame(frameTypes.goaway, 0)).payload.readUInt32BE(4);
  }

  /** Resolves once everything that was sent has been seen by the other side. */
  async seen(): Promise<void> {
    const before = this.frames.filter(({ type }) => type === frameTypes.ping).length;
    this.send(frame(frameTypes.ping, 0, 0, Buffer.alloc(8)));
    await eventually(() => this.frames.filter(({ type }) => type === frameTypes.ping).length > before || this.isClosed);
  }

  async closed(): Promise<void> {
    await eventually(() => this.isClosed);
  }
}
