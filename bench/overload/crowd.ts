// A crowd of clients that nobody wants: node crowd.js PORT KIND COUNT SILENT. Says `ready` once it stands, and stays
// until it is ended. SILENT is a port on which it listens for requests, and answers none. The clients come from many
// addresses, a hundred connections from each.
import { Agent, get } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { isCrowdKind } from './crowds.js';

const [, , port = '', kind = '', count = '', silentPort = ''] = process.argv;
const perAddress = 100;
/** Connections that are begun at a time: as many as any backlog takes. */
const batch = 100;
/** How often a slow client sends a field, so that it is never silent for as long as a head may take. */
const trickleMs = 5_000;
/** How often clients that are refused come again, and how many of them. */
const comeAgainMs = 20;
const perComing = 20;
/** Connections by which keys are brought. */
const lanes = 16;

const addressOf = (index: number): string => `127.0.${1 + Math.floor(index / perAddress)}.1`;

const open = (address: string): Promise<Socket | null> =>
  new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port: Number(port), localAddress: address }, () => resolve(socket));
    socket.on('error', () => resolve(null));
    socket.resume();
  });

/** Holds a connection after a request. */
const idle = async (address: string): Promise<void> => {
  const socket = await open(address);
  if (socket === null) return;
  const answered = new Promise((resolve) => {
    for (const event of ['data', 'close']) socket.once(event, resolve);
  });
  socket.write('GET /orders/17 HTTP/1.1\r\nHost: bench\r\nUser-Agent: crowd\r\nAccept: */*\r\n\r\n');
  await answered;
};

/** Holds a connection with a request under way: a small upload, which is whole. */
const busy = async (address: string): Promise<void> => {
  const socket = await open(address);
  const body = 'x'.repeat(1_024);
  socket?.write(
    `POST /busy HTTP/1.1\r\nHost: bench\r\nUser-Agent: crowd\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
};

/** Waits for all of them to have come to the upstream, which answers none. */
const beBusy = async (): Promise<void> => {
  let come = 0;
  const allCame = new Promise<void>((resolve) => {
    const silent = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => {
        come += 1;
        if (come === Number(count)) resolve();
      });
    });
    silent.listen(Number(silentPort), '127.0.0.1', 4_096);
  });
  await stand(busy);
  await allCame;
};

/** Begins a head and never ends it; comes again when it is thrown out. */
const slow = async (address: string): Promise<void> => {
  const socket = await open(address);
  if (socket === null) return;
  socket.write('GET /orders/17 HTTP/1.1\r\nHost: bench\r\n');
  const trickle = setInterval(() => socket.write('X-Slow: 1\r\n'), trickleMs);
  socket.once('close', () => {
    clearInterval(trickle);
    void slow(address);
  });
};

const stand = async (one: (address: string) => Promise<void>): Promise<void> => {
  for (let begun = 0; begun < Number(count); begun += batch) {
    await Promise.all(Array.from({ length: Math.min(batch, Number(count) - begun) }, () => one(addressOf(begun))));
  }
};

/** Holds all that one address may have, and asks for more all the time. */
const beRefused = async (): Promise<void> => {
  const address = addressOf(0);
  await Promise.all(Array.from({ length: perAddress }, () => idle(address)));
  setInterval(() => {
    for (let coming = 0; coming < perComing; coming += 1) void open(address);
  }, comeAgainMs);
};

/** Sends a request with a key of its own for the rate limit. */
const withKey = (key: number, agent: Agent): Promise<void> =>
  new Promise((resolve) => {
    const request = get({
      host: '127.0.0.1',
      port: Number(port),
      path: '/keyed',
      agent,
      headers: { 'X-Key': key },
    });
    request.on('response', (response) => response.resume().once('close', resolve));
    request.once('error', () => resolve());
  });

/** As many keys as there shall be, then a new one each time that the last is answered. */
const bringKeys = async (): Promise<void> => {
  const agent = new Agent({ keepAlive: true, maxSockets: lanes });
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < Number(count)) await withKey(next++, agent);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  const goOn = async (): Promise<void> => {
    for (;;) await withKey(next++, agent);
  };
  void goOn();
};

if (!isCrowdKind(kind)) throw new Error(`there is no crowd "${kind}"`);
if (kind === 'refused') await beRefused();
else if (kind === 'keys') await bringKeys();
else if (kind === 'busy') await beBusy();
else await stand(kind === 'idle' ? idle : slow);
console.log('ready');
