import { type RunningProcess, startProcess } from '../shared/processes.js';

const built = (path: string): string => JSON.stringify(new URL(`../../../dist/adapters/${path}`, import.meta.url).href);

/**
 * Answers nothing, and cuts a connection off soon after its first request. Garbage is collected with every few
 * connections, and a few times when all is over.
 */
const program = `
import { performServerHandshake } from 'node:http2';
import { createServer } from 'node:net';
import { HeaderBlockGate } from ${built('http2-sockets/header-block-gate.js')};
const isGated = process.argv[1] === 'gated';
let connections = 0;
createServer((socket) => {
  socket.on('error', () => {});
  const session = performServerHandshake(isGated ? new HeaderBlockGate(socket, 'client', () => {}) : socket);
  session.on('error', () => {});
  session.on('stream', (stream) => {
    stream.on('error', () => {});
    setTimeout(() => socket.destroy(), 3);
  });
  socket.once('close', () => {
    connections += 1;
    if (connections % 8 === 0) gc({ type: 'minor' });
    if (connections % 24 === 0) gc();
  });
}).listen(0, '127.0.0.1', function () {
  console.log('port ' + this.address().port);
});
process.once('SIGTERM', async () => {
  for (let time = 0; time < 4; time += 1) {
    gc();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  console.log('saw ' + connections);
  process.exit(0);
});
`;

/** Whether node:http2 reads from the socket itself, or by what stands before it in the gateway. */
export type Http2Reading = 'bare' | 'gated';

/** A process that is an HTTP/2 server on this port. At SIGTERM it ends with 0, and says how many connections it had. */
export const startHttp2Server = async (reading: Http2Reading): Promise<{ child: RunningProcess; port: number }> => {
  const child = startProcess(process.execPath, ['--expose-gc', '--input-type=module', '-e', program, reading]);
  const [, port] = /port (\d+)/.exec(await child.wrote(/port \d+\n/)) ?? [];
  return { child, port: Number(port) };
};
