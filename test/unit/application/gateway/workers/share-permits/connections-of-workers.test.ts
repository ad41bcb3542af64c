import { expect, it } from 'vitest';
import { ConnectionAdmissions } from '../../../../../../src/application/gateway/admit/connection-admissions.js';
import type { ConnectionAdmission } from '../../../../../../src/application/ports/gateway/http-engine.js';
import { release, TestedRefusals } from '../../../../../support/gateway/connection-admissions.js';
import { PermitWorkers } from '../../../../../support/gateway/permit-workers.js';

const limits = { maxTotalConnections: 6, maxConnectionsPerClient: 3 };

const setUp = async () => {
  const tested = new TestedRefusals();
  const workers = new PermitWorkers(2, limits);
  const admissions = workers.workers.map(
    ({ book }) =>
      new ConnectionAdmissions(
        () => new Map(),
        book,
        () => null,
        tested.refusals,
      ),
  );
  await workers.quiet();
  const come = async (index: number, address: string): Promise<ConnectionAdmission> => {
    const admission = (admissions[index] as ConnectionAdmissions).admit('main', address);
    await workers.quiet();
    return admission;
  };
  return { tested, workers, admissions, come };
};

it('connections of a client, and all connections, share their limits over two workers', async () => {
  const { tested, workers, admissions, come } = await setUp();
  const open = [await come(0, '192.0.2.1'), await come(1, '192.0.2.1'), await come(0, '::ffff:192.0.2.1')];
  expect(open.map(({ kind }) => kind)).toEqual(['admitted', 'admitted', 'admitted']);
  expect((await come(1, '192.0.2.1')).kind).toBe('refused');
  for (const address of ['192.0.2.2', '192.0.2.3', '192.0.2.4']) open.push(await come(0, address));
  expect((await come(1, '192.0.2.5')).kind).toBe('refused');
  // The figure is for the gateway: the second worker itself has one connection.
  expect(tested.logger.lines).toMatchObject([
    { fields: { limit_name: 'max-connections-per-client', limit: 3, actual: 4, client_ip: '192.0.2.1' } },
    { fields: { limit_name: 'max-total-connections', limit: 6, actual: 7, client_ip: '192.0.2.5' } },
  ]);
  for (const admission of open) release(admission);
  await workers.quiet();
  expect(admissions.map(({ total, clients }) => [total, clients])).toEqual([
    [0, 0],
    [0, 0],
  ]);
  expect(workers.desk.contendedKeys).toBe(0);
});

it('repeated attempts of a client over its limit need no messages', async () => {
  const { workers, come } = await setUp();
  for (const index of [0, 1, 0]) await come(index, '192.0.2.1');
  await come(1, '192.0.2.1');
  const before = workers.sent;
  for (let times = 0; times < 100; times += 1) expect((await come(1, '192.0.2.1')).kind).toBe('refused');
  expect(workers.sent - before).toBe(0);
});

it('a worker that does not answer delays the others by at most a tenth of a second, and keeps only its share', async () => {
  const { workers, admissions } = await setUp();
  const [silent] = workers.workers;
  const kinds: string[] = [];
  for (let index = 1; index <= 4; index += 1) {
    const admission = (admissions[1] as ConnectionAdmissions).admit('main', `192.0.2.${index}`);
    void Promise.resolve(admission).then(({ kind }) => kinds.push(kind));
    await workers.quiet(silent);
  }
  expect(kinds).toEqual(['admitted', 'admitted', 'admitted']);
  await workers.pass(100);
  await workers.quiet(silent);
  expect(kinds.at(3)).toBe('refused');
  // When it answers, its unused permits are available again.
  await workers.quiet();
  const late = (admissions[1] as ConnectionAdmissions).admit('main', '192.0.2.9');
  await workers.quiet();
  expect((await late).kind).toBe('admitted');
});
