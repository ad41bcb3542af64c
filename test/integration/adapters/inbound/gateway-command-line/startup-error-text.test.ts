import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { startupErrorText } from '../../../../../src/adapters/inbound/gateway-command-line/startup-error-text.js';

const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => null,
    (error: unknown) => error,
  );

it('start-up errors are explained from the actual system errors', async () => {
  const first = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => first.once('listening', resolve));
  const { port } = first.address() as { port: number };
  const taken = await new Promise((resolve) => createServer().once('error', resolve).listen(port, '127.0.0.1'));
  await new Promise((resolve) => first.close(resolve));
  expect(startupErrorText(taken)).toBe(`cannot listen on 127.0.0.1:${port}: another program uses the port`);

  const foreign = await new Promise((resolve) => createServer().once('error', resolve).listen(0, '192.0.2.1'));
  expect(startupErrorText(foreign)).toBe('cannot listen on 192.0.2.1: this host does not have the address');

  const missing = await rejection(readFile('/nowhere/gateway.kdl'));
  expect(startupErrorText(missing)).toBe('cannot read /nowhere/gateway.kdl: the file does not exist');
});
