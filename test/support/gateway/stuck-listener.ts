import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** An address whose queue of connections is full: a client that connects hears nothing, as behind a firewall. */
export interface StuckListener {
  readonly port: number;
  close(): void;
}

/** Listens, prints its port, and never accepts. */
const program = `
const server = require('node:net').createServer();
server.listen({ host: process.argv[1], port: Number(process.argv[2]), backlog: 1 }, () => {
  require('node:fs').writeSync(1, String(server.address().port));
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});`;

/** @param port 0: a free one */
export const startStuckListener = async (host = '127.0.0.1', port = 0): Promise<StuckListener> => {
  const child = spawn(process.execPath, ['-e', program, host, `${port}`], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [written] = (await once(child.stdout, 'data')) as [Buffer];
  const bound = Number(written.toString());
  const waiting: Socket[] = [];
  // More than the system accepts for a program that does not.
  for (let count = 0; count < 4; count += 1) waiting.push(connect(bound, host).on('error', () => undefined));
  await once(waiting[0] as Socket, 'connect');
  return {
    port: bound,
    close: () => {
      for (const socket of waiting) socket.destroy();
      child.kill('SIGKILL');
    },
  };
};
