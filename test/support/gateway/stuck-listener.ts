import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** An address whose queue of connections is full: who connects hears nothing, as behind a firewall that drops. */
export interface StuckListener {
  readonly port: number;
  close(): void;
}

/** Listens, says where, and never accepts. */
const program = `
const server = require('node:net').createServer();
server.listen({ host: '127.0.0.1', port: 0, backlog: 1 }, () => {
  require('node:fs').writeSync(1, String(server.address().port));
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});`;

export const startStuckListener = async (): Promise<StuckListener> => {
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [written] = (await once(child.stdout, 'data')) as [Buffer];
  const port = Number(written.toString());
  const waiting: Socket[] = [];
  // As many as the system keeps for a program that does not accept, and some that it leaves unanswered.
  for (let count = 0; count < 4; count += 1) waiting.push(connect(port, '127.0.0.1').on('error', () => undefined));
  await once(waiting[0] as Socket, 'connect');
  return {
    port,
    close: () => {
      for (const socket of waiting) socket.destroy();
      child.kill('SIGKILL');
    },
  };
};
