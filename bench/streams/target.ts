// The target of the bench of streams: node target.js PORT. Answers small requests, and sends an event or a message each
// second on every event stream (/events) and every WebSocket (/socket).
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { Writable } from 'node:stream';

const [, , port = ''] = process.argv;
const everyMs = 1_000;
const small = Buffer.from(JSON.stringify({ id: 17, text: 'x'.repeat(1_000) }));
const event = Buffer.from(`data: ${'x'.repeat(100)}\n\n`);
const text = Buffer.from('x'.repeat(100));
/** A text frame (RFC 6455, section 5.2). */
const message = Buffer.concat([Buffer.from([0x81, text.length]), text]);
/** RFC 6455, section 1.3. */
const acceptOf = (key: string): string =>
  createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');

const keepSending = (to: Writable, piece: Buffer): void => {
  const timer = setInterval(() => to.write(piece), everyMs);
  to.on('error', () => undefined);
  to.once('close', () => clearInterval(timer));
};

const server = createServer((request, response) => {
  if (request.url === '/events') {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(event);
    keepSending(response, event);
    return;
  }
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': small.length }).end(small);
});
server.on('upgrade', (request, socket) => {
  const accept = acceptOf(String(request.headers['sec-websocket-key']));
  socket.write(
    'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
      `Sec-WebSocket-Accept: ${accept}\r\n\r\n`,
  );
  socket.resume();
  keepSending(socket, message);
});
server.keepAliveTimeout = 3_600_000;
server.listen(Number(port), '127.0.0.1', 4_096);
