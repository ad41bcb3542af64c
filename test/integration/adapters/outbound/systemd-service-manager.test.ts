import { expect } from 'vitest';
import { SystemdServiceManager } from '../../../../src/adapters/outbound/systemd-notify/systemd-service-manager.js';
import { it } from '../../../support/shared/fixtures.js';
import { describeWithPeers } from '../../../support/shared/peers.js';
import { RecordingLogger } from '../../../support/shared/recording-logger.js';
import { serviceManagerAt } from '../../../support/shared/service-manager.js';

const manager = (socket: string, tool?: string) => {
  const logger = new RecordingLogger();
  return { logger, manager: new SystemdServiceManager({ socket, watchdogUs: 3_000_000 }, logger, tool) };
};

describeWithPeers(['systemd-notify', 'python3'], 'systemd', () => {
  it('is notified of every state in order, with the main process', async ({ cleanUp, folder }) => {
    const systemd = await serviceManagerAt(folder.file('notify'));
    cleanUp.add(() => systemd.close());
    const { manager: told, logger } = manager(folder.file('notify'));
    expect(told.watchdogMs).toBe(1_500);
    told.ready('Serves on 127.0.0.1:8080');
    told.alive();
    told.alive();
    told.reloading();
    told.stopping();
    await told.told();
    const pid = `MAINPID=${process.pid}`;
    expect(systemd.messages.map((message) => message.split('\n'))).toEqual([
      ['READY=1', pid, 'STATUS=Serves on 127.0.0.1:8080'],
      ['WATCHDOG=1'],
      ['RELOADING=1', expect.stringMatching(/^MONOTONIC_USEC=\d+$/), expect.stringContaining('STATUS=')],
      ['STOPPING=1', expect.stringContaining('STATUS=')],
    ]);
    expect(logger.lines).toEqual([]);
  });
});

it.each(['/no/such/systemd-notify', 'false'])('a failing tool (%s) is reported once', async (tool) => {
  const { manager: untold, logger } = manager('/no/such/socket', tool);
  untold.ready('Serves');
  untold.stopping();
  await untold.told();
  expect(logger.lines).toEqual([expect.objectContaining({ level: 'warn' })]);
});
