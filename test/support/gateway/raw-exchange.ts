import { connect } from 'node:net';
import type { SocketAddress } from '../../../src/domain/configuration/network-addresses.js';

export interface RawExchange {
  readonly raw: string;
  /** Of the last response. */
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Without the chunk framing. */
  readonly body: string;
}

export interface RawOptions {
  /** Sent once this text has come. */
  readonly reply?: { readonly when: string; readonly send: string };
  /** Once this text has come, nothing more is sent: a peer that still waits for a body need not. */
  readonly endsAfter?: string;
}

const patienceMs = 25_000;

/** Sends octets as they are and gives what came until the peer closed. Each character is one octet. */
export const rawExchange = (address: SocketAddress, octets: string, options: RawOptions = {}): Promise<RawExchange> =>
  new Promise((resolve, reject) => {
    let raw = '';
    let reply = options.reply ?? null;
    const socket = connect({ host: address.host, port: address.port });
    const deadline = setTimeout(() => {
      socket.destroy();
      reject(new Error(`the connection was not closed; so far: ${raw}`));
    }, patienceMs);
    socket.setEncoding('latin1');
    socket.on('connect', () => socket.write(octets, 'latin1'));
    socket.on('data', (text: string) => {
      raw += text;
      if (reply && raw.includes(reply.when)) {
        socket.write(reply.send, 'latin1');
        reply = null;
      }
      if (options.endsAfter !== undefined && raw.includes(options.endsAfter)) socket.end();
    });
    // What came before a reset is what the client has seen.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(deadline);
      resolve(read(raw));
    });
  });

const read = (raw: string): RawExchange => {
  const final = raw.startsWith('HTTP/1.1 100') ? raw.slice(raw.indexOf('\r\n\r\n') + 4) : raw;
  const end = final.indexOf('\r\n\r\n');
  const [line = '', ...fields] = final.slice(0, end < 0 ? final.length : end).split('\r\n');
  const headers = Object.fromEntries(
    fields.map((field) => {
      const colon = field.indexOf(':');
      return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()];
    }),
  );
  const body = end < 0 ? '' : final.slice(end + 4);
  const chunked = headers['transfer-encoding'] === 'chunked';
  return { raw, status: Number(line.split(' ')[1]), headers, body: chunked ? unchunk(body) : body };
};

const unchunk = (text: string): string => {
  let rest = text;
  let body = '';
  for (;;) {
    const lineEnd = rest.indexOf('\r\n');
    const size = Number.parseInt(rest.slice(0, lineEnd), 16);
    if (lineEnd < 0 || !(size > 0)) return body;
    body += rest.slice(lineEnd + 2, lineEnd + 2 + size);
    rest = rest.slice(lineEnd + 2 + size + 2);
  }
};
