import { createServer } from 'node:net';

/** Below what systems choose from for port 0 and for clients, so that nobody is given one of these by chance. */
const lowest = 10_000;
const slices = 16;
const sliceSize = 1_400;

/** Test files that run at the same time take from slices of their own. */
const slice = lowest + (Number(process.env['VITEST_POOL_ID'] ?? 0) % slices) * sliceSize;
/** Anywhere in it, because another run of the tests may be under way. */
let next = Math.floor(Math.random() * sliceSize);

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });

/**
 * A TCP port of 127.0.0.1 that nothing listens on at this moment, and that no test has been given a short while ago.
 * For programs that cannot be told port 0.
 */
export const freePort = async (): Promise<number> => {
  for (let tries = 0; tries < sliceSize; tries += 1) {
    const port = slice + next;
    next = (next + 1) % sliceSize;
    if (await isFree(port)) return port;
  }
  throw new Error(`no port from ${slice} on is free`);
};
