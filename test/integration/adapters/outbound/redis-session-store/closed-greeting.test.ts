import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect } from 'vitest';
import { RedisStoreOpener } from '../../../../../src/adapters/outbound/redis-session-store/redis-store-opener.js';
import { Secret } from '../../../../../src/domain/shared/secret.js';
import { it } from '../../../../support/shared/fixtures.js';
import { RecordingLogger } from '../../../../support/shared/recording-logger.js';

it.for([
  ['before anything was said', 0],
  ['after the first answer', 1],
] as const)('Redis stores open with a warning if the connection closes %s', async ([_, answers], { cleanUp }) => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    let said = 0;
    if (answers === 0) socket.end();
    socket.on('data', () => (said++ < answers ? socket.write('+OK\r\n') : socket.end()));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp.add(() => new Promise<void>((resolve) => void server.close(() => resolve())));
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const logger = new RecordingLogger();
  const opened = await new RedisStoreOpener(logger).open(
    { kind: 'redis', url: new Secret(`redis://${address}/1`) },
    'https://gateway.example',
  );
  if (!opened.ok) throw new Error(opened.error);
  cleanUp.add(() => opened.value.close());
  const fields = { server: address, reason: 'connection lost' };
  expect(logger.lines).toEqual([{ level: 'warn', message: 'redis cannot be reached yet', fields }]);
});
