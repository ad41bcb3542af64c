// The least that a proxy on Node does for an exchange of small messages: it reads both heads with the gateway's
// parser, passes their lines on but for those of the connection, and keeps upstream connections. It routes, limits,
// counts and judges nothing, knows no deadline and no backpressure, and takes whole messages with a known length
// alone: it is a measure, and no proxy to use. Arguments: a port, that of the upstream.
import { connect, createServer, type Socket } from 'node:net';
import type { MessageHead } from '../../src/adapters/wire/http1/message-head.js';
import { built } from '../built.js';
import { writeLate } from './late-writes.js';

const { readRequestHead, requestHead } = await built<typeof import('../../src/adapters/wire/http1/read-head.js')>(
  'adapters/wire/http1/read-request-head.js',
);
const { readResponseHead, responseHead } = await built<typeof import('../../src/adapters/wire/http1/read-head.js')>(
  'adapters/wire/http1/read-response-head.js',
);

const { spanSize } = await built<typeof import('../../src/adapters/wire/http1/message-head.js')>(
  'adapters/wire/http1/message-head.js',
);

const [port = '0', upstreamPort = '0'] = process.argv.slice(2);
const maxHead = 65_536;
const shared = Buffer.alloc(maxHead);

/** The first line and the field lines of a head that was read, but those of Connection. */
const linesOf = (head: MessageHead, text: string, octets: number): string => {
  const { spans, fieldCount } = head;
  let lines = '';
  let from = 0;
  for (let at = 0; at < fieldCount * spanSize; at += spanSize) {
    const name = spans[at] as number;
    if ((spans[at + 1] as number) - name !== 'connection'.length) continue;
    if (text.substring(name, spans[at + 1] as number).toLowerCase() !== 'connection') continue;
    lines += text.substring(from, name);
    from = (spans[at + 3] as number) + 2;
  }
  return lines + text.substring(from, octets - 2);
};

const isWhole = (head: MessageHead, body: number): boolean =>
  !head.isChunked && Math.max(0, head.contentLength) === body;

const idle: Upstream[] = [];

class Upstream {
  client: Socket | null = null;
  readonly socket: Socket = connect({
    port: Number(upstreamPort),
    host: '127.0.0.1',
    noDelay: true,
    onread: { buffer: shared, callback: (octets) => this.#answered(octets) },
  })
    .on('error', () => this.socket.destroy())
    .on('close', () => this.client?.destroy());

  #answered(octets: number): boolean {
    const { client } = this;
    const head = readResponseHead(shared, 0, octets, maxHead);
    if (client === null || head <= 0 || !isWhole(responseHead, octets - head)) {
      this.socket.destroy();
      return false;
    }
    this.client = null;
    idle.push(this);
    const text = shared.toString('latin1', 0, octets);
    writeLate(client, `${linesOf(responseHead, text, head)}Connection: keep-alive\r\n\r\n${text.substring(head)}`);
    return true;
  }
}

const server = createServer({ noDelay: true }, (client) => {
  const forwarded = `X-Forwarded-For: ${client.remoteAddress}\r\nX-Forwarded-Proto: http\r\n\r\n`;
  client.on('error', () => client.destroy());
  client.on('data', (octets: Buffer) => {
    const head = readRequestHead(octets, 0, octets.length, maxHead);
    if (head <= 0 || !isWhole(requestHead, octets.length - head)) {
      client.destroy();
      return;
    }
    const upstream = idle.pop() ?? new Upstream();
    upstream.client = client;
    const text = octets.toString('latin1');
    writeLate(upstream.socket, linesOf(requestHead, text, head) + forwarded + text.substring(head));
  });
});
server.listen(Number(port), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
