// What Node's sockets cost a proxy of small exchanges whatever it does: octets are passed on as they come, and
// nothing of them is looked at. It knows no backpressure, and is no measure for large bodies. Arguments: a port, that
// of the upstream.
import { connect, createServer } from 'node:net';
import { writeLate } from './late-writes.js';

const [port = '0', upstreamPort = '0'] = process.argv.slice(2);
const shared = Buffer.alloc(65_536);

const server = createServer({ noDelay: true }, (client) => {
  const upstream = connect({
    port: Number(upstreamPort),
    host: '127.0.0.1',
    noDelay: true,
    onread: {
      buffer: shared,
      callback: (octets) => {
        writeLate(client, shared.toString('latin1', 0, octets));
        return true;
      },
    },
  });
  client.on('data', (octets: Buffer) => writeLate(upstream, octets.toString('latin1')));
  client.on('error', () => client.destroy()).on('close', () => upstream.destroy());
  upstream.on('error', () => upstream.destroy()).on('close', () => client.destroy());
});
server.listen(Number(port), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
