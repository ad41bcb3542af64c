import { spawn } from 'node:child_process';
import { untilTrue } from './gateway-stack.js';

/** Node has no datagram sockets of the local kind. */
const receiver = `
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
print('bound', flush=True)
while True:
    # What waits for the message to be taken in passes a descriptor, which is closed with what is not asked for.
    print(repr(s.recv(65536).decode()), flush=True)
`;

/** Stands in for systemd: takes what is told at a socket. */
export interface ServiceManagerSocket {
  /** What was told, one text a message, in order. */
  readonly messages: readonly string[];
  /** Resolves once a message with this text has come. */
  told(text: string): Promise<void>;
  close(): void;
}

const message = /^'(.*)'$/;

export const serviceManagerAt = async (path: string): Promise<ServiceManagerSocket> => {
  const child = spawn('python3', ['-c', receiver, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  let written = '';
  const messages: string[] = [];
  let isBound = false;
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    const lines = `${written}${piece}`.split('\n');
    written = lines.pop() ?? '';
    for (const line of lines) {
      if (line === 'bound') isBound = true;
      const [, text] = message.exec(line) ?? [];
      // What the tool adds for itself.
      if (text !== undefined && !text.startsWith('BARRIER=')) messages.push(text.replaceAll('\\n', '\n').trimEnd());
    }
  });
  await untilTrue('the socket of the service manager is there', () => isBound);
  return {
    messages,
    told: (text) => untilTrue(`told ${text}`, () => messages.some((each) => each.includes(text))),
    close: () => void child.kill('SIGKILL'),
  };
};
