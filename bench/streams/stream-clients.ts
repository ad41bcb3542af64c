// Clients of the bench of streams: node stream-clients.js PORT COUNT. Opens COUNT event streams and COUNT WebSockets,
// says `ready` once all have begun, and reads them until it is ended.
import { connect } from 'node:net';

const [, , port = '', count = ''] = process.argv;

const open = (head: string, status: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1');
    socket.once('data', (octets) => {
      if (octets.toString('latin1').startsWith(`HTTP/1.1 ${status} `)) resolve();
      else reject(new Error(octets.toString('latin1')));
    });
    socket.on('error', reject);
    // A stream that ends makes the run worthless.
    socket.on('close', () => process.exit(1));
    socket.write(head);
  });

const events = 'GET /events HTTP/1.1\r\nHost: bench\r\nAccept: text/event-stream\r\n\r\n';
const upgrade =
  'GET /socket HTTP/1.1\r\nHost: bench\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';

for (let index = 0; index < Number(count); index += 1) {
  await open(events, '200');
  await open(upgrade, '101');
}
console.log('ready');
