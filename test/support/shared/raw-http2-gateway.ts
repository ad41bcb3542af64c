import { type ClientHttp2Session, type ClientHttp2Stream, connect, type OutgoingHttpHeaders } from 'node:http2';
import type { GrpcProxyToAgent } from '../../../src/adapters/wire/agent-grpc/grpc-messages.js';
import { loadAgentGrpc } from '../../../src/bootstrap/shared/load-agent-grpc.js';
import { eventually } from './eventually.js';

/** A message with its prefix, or whatever the arguments make of it. */
export const prefixed = (message: Uint8Array, flag = 0, length = message.length): Buffer => {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt8(flag, 0);
  prefix.writeUInt32BE(length, 1);
  return Buffer.concat([prefix, message]);
};

/** A length-delimited field of a protobuf message. */
export const field = (number: number, value: Uint8Array | string): Buffer => {
  const octets = typeof value === 'string' ? Buffer.from(value) : value;
  return Buffer.concat([varint(number * 8 + 2), varint(octets.length), octets]);
};

const varint = (value: number): Buffer => {
  const octets: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) octets.push((rest % 0x80) + 0x80);
  return Buffer.from([...octets, rest]);
};

/** A message of a gateway, encoded. */
export const encoded = async (message: GrpcProxyToAgent): Promise<Buffer> => {
  const method = (await loadAgentGrpc()).service['ProcessStream'];
  if (method === undefined) throw new Error('the service has no ProcessStream');
  return method.requestSerialize(message);
};

/** A call whose octets the test writes itself. */
export class RawHttp2Call {
  readonly stream: ClientHttp2Stream;
  httpStatus: number | null = null;
  /** `grpc-status`, as it came in headers or trailers. */
  status: string | null = null;
  statusMessage: string | null = null;
  /** Messages that have come. */
  messages = 0;
  isClosed = false;

  constructor(stream: ClientHttp2Stream) {
    this.stream = stream;
    const note = (headers: OutgoingHttpHeaders): void => {
      const status = headers['grpc-status'];
      if (typeof status === 'string') this.status = status;
      const message = headers['grpc-message'];
      if (typeof message === 'string') this.statusMessage = decodeURI(message);
    };
    stream.on('response', (headers) => {
      this.httpStatus = headers[':status'] ?? null;
      note(headers);
    });
    stream.on('trailers', note);
    let octets: Buffer = Buffer.alloc(0);
    stream.on('data', (chunk: Buffer) => {
      octets = Buffer.concat([octets, chunk]);
      while (octets.length >= 5 && octets.length >= 5 + octets.readUInt32BE(1)) {
        octets = octets.subarray(5 + octets.readUInt32BE(1));
        this.messages += 1;
      }
    });
    // As every client does: a call whose status has come is over.
    stream.on('end', () => stream.end());
    stream.on('error', () => {});
    stream.on('close', () => {
      this.isClosed = true;
    });
  }

  write(octets: Uint8Array): void {
    this.stream.write(octets);
  }

  async closed(): Promise<this> {
    await eventually(() => this.isClosed);
    return this;
  }

  /** Resolves once so many messages have come in all. */
  async answered(messages: number): Promise<void> {
    await eventually(() => this.messages >= messages || this.isClosed);
  }
}

/** An HTTP/2 client that sends what it is told. */
export class RawHttp2Gateway {
  readonly session: ClientHttp2Session;
  isClosed = false;

  constructor(address: string) {
    this.session = connect(`http://${address}`);
    this.session.on('error', () => {});
    this.session.on('close', () => {
      this.isClosed = true;
    });
  }

  call(method: string, headers: OutgoingHttpHeaders = {}): RawHttp2Call {
    const stream = this.session.request({
      ':method': 'POST',
      ':path': `/zentinel.agent.v2.AgentServiceV2/${method}`,
      'content-type': 'application/grpc',
      te: 'trailers',
      ...headers,
    });
    return new RawHttp2Call(stream);
  }

  async closed(): Promise<void> {
    await eventually(() => this.isClosed);
  }
}
