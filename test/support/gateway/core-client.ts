import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { OpenListener } from '../../../src/application/ports/gateway/http-engine.js';
import type { CleanUp } from '../shared/clean-up.js';
import { eventually } from '../shared/eventually.js';

/** A client that sends octets as they are and keeps what comes. Each character is one octet. */
export class CoreClient {
  text = '';
  /** The other side sends no more. */
  isEnded = false;
  isClosed = false;
  /** The connection was reset. */
  isReset = false;
  readonly socket: Socket;

  constructor(socket: Socket) {
    this.socket = socket;
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => {
      this.text += text;
    });
    socket.on('end', () => {
      this.isEnded = true;
    });
    socket.on('error', ({ code }: NodeJS.ErrnoException) => {
      this.isReset = code === 'ECONNRESET';
    });
    socket.on('close', () => {
      this.isClosed = true;
    });
  }

  send(octets: string): this {
    this.socket.write(octets, 'latin1');
    return this;
  }

  /** Resolves once this has come. */
  async got(part: string): Promise<void> {
    await eventually(() => this.text.includes(part));
  }

  async closed(): Promise<void> {
    await eventually(() => this.isClosed);
  }
}

/** Connects to a listener; `allowHalfOpen`: the end of the other side is not answered with an own one. */
export const coreClient = (cleanUp: CleanUp, listener: OpenListener, allowHalfOpen = false): CoreClient => {
  const { host, port } = listener.address();
  const socket = connect({ host, port, allowHalfOpen, noDelay: true });
  cleanUp.add(() => void socket.destroy());
  return new CoreClient(socket);
};

/** A response without its Date, which changes. */
export const undated = (text: string): string => text.replace(/Date: [^\r]*\r\n/g, '');

/** Connects to a listener by TLS, whoever that is. */
export const tlsClient = (cleanUp: CleanUp, listener: OpenListener): CoreClient => {
  const { host, port } = listener.address();
  const socket = connectTls({ host, port, rejectUnauthorized: false });
  socket.setNoDelay(true);
  cleanUp.add(() => void socket.destroy());
  return new CoreClient(socket);
};
