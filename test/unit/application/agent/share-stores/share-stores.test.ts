import { expect, it } from 'vitest';
import { MemoryStoreOpener } from '../../../../../src/adapters/outbound/memory-session-store/memory-store-opener.js';
import { RelayedSessionEndings } from '../../../../../src/application/agent/share-stores/relayed-session-endings.js';
import { RemoteStoreOpener } from '../../../../../src/application/agent/share-stores/remote-session-stores.js';
import { RemoteSpentAssertions } from '../../../../../src/application/agent/share-stores/remote-spent-assertions.js';
import { ShareStores } from '../../../../../src/application/agent/share-stores/share-stores.js';
import { FakeStoreOpener } from '../../../../support/agent/fake-session-store.js';
import { hashOf, succeeded, testSession } from '../../../../support/agent/test-sessions.js';
import { supervisedWorker } from '../../../../support/gateway/supervised-workers.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';
import { ManualScheduler } from '../../../../support/shared/manual-scheduler.js';

it('a supervisor shares stores, ended sessions and assertions among workers, and releases those of dead workers', async () => {
  const clock = new ManualClock();
  const scheduler = new ManualScheduler(clock);
  const service = new ShareStores({ opener: new MemoryStoreOpener(), clock, scheduler });
  const attend = (number: number) => {
    const { supervisor, worker, link } = supervisedWorker(scheduler);
    const attended = { number, pid: 100 + number, channel: supervisor };
    service.attend(attended);
    const heard: (readonly string[])[] = [];
    const endings = new RelayedSessionEndings(worker);
    endings.hear(({ hashes }) => heard.push(hashes));
    const leave = () => {
      link.close();
      service.left(attended);
    };
    const opener = new RemoteStoreOpener(worker, new FakeStoreOpener());
    return { opener, endings, heard, assertions: new RemoteSpentAssertions(worker, clock).of('auth'), leave };
  };
  const [one, two] = [attend(1), attend(2)];
  const open = async ({ opener }: typeof one) => {
    const stores = await opener.open({ kind: 'memory' }, 'https://sp.example');
    if (!stores.ok) throw new Error(stores.error);
    return stores.value;
  };
  await succeeded((await open(one)).sessions.insert(testSession('a')));
  expect(await one.assertions.take('desk', 'jti')).toBe('first');
  await one.endings.announce({ hashes: [hashOf('b')], subject: null });
  expect([one.heard, two.heard]).toEqual([[], [[hashOf('b')]]]);
  one.leave();
  // It is not waited for any more, which would take until a deadline that no clock comes to here.
  await two.endings.announce({ hashes: [hashOf('c')], subject: null });
  const replacement = attend(1);
  expect(await succeeded((await open(replacement)).sessions.find(hashOf('a')))).toEqual(testSession('a'));
  expect(await replacement.assertions.take('desk', 'jti')).toBe('seen');
});
