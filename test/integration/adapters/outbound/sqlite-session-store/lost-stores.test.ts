import { copyFileSync, existsSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SqliteStoreOpener } from '../../../../../src/adapters/outbound/sqlite-session-store/sqlite-store-opener.js';
import { noOtherProcesses } from '../../../../../src/application/agent/sessions/session-endings.js';
import { SessionStoreLeases } from '../../../../../src/application/agent/sessions/session-store-leases.js';
import { filledStore, nthName } from '../../../../support/agent/sqlite-stores.js';
import { hashOf, succeeded, testSession } from '../../../../support/agent/test-sessions.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';
import { RecordingLogger } from '../../../../support/shared/recording-logger.js';
import { type TemporaryFolder, temporaryFolder } from '../../../../support/shared/temporary-folder.js';

describe('a SQLite store that is lost while in use', () => {
  let folder: TemporaryFolder;
  let path: string;
  let leases: SessionStoreLeases;
  const releases: (() => Promise<void>)[] = [];
  beforeEach(() => {
    folder = temporaryFolder();
    path = folder.file('sessions.db');
    leases = new SessionStoreLeases({
      opener: new SqliteStoreOpener(),
      clock: new ManualClock(),
      logger: new RecordingLogger(),
      endings: noOtherProcesses,
    });
  });
  afterEach(async () => {
    for (const release of releases.splice(0)) await release();
    folder.remove();
  });

  const acquire = async () => {
    const lease = await leases.acquire({ kind: 'sqlite', path }, 'sp');
    if (lease.ok) releases.push(lease.value.release);
    return lease;
  };
  const leased = () => succeeded(acquire());

  it('works while nothing happens to it', async () => {
    const { stores } = await leased();
    await succeeded(stores.sessions.insert(testSession('one')));
    expect(stores.isLost()).toBe(false);
    expect((await leased()).stores).toBe(stores);
  });

  it('with removed files is recreated on the next open, and survives the close of the lost one', async () => {
    const before = await leased();
    await succeeded(before.stores.sessions.insert(testSession('one')));
    for (const file of [path, `${path}-wal`, `${path}-shm`]) rmSync(file);
    expect(before.stores.isLost()).toBe(true);
    const after = await leased();
    expect(await succeeded(after.stores.sessions.find(hashOf('one')))).toBeNull();
    await succeeded(after.stores.sessions.insert(testSession('two')));
    await before.release();
    await succeeded(after.stores.sessions.insert(testSession('three')));
    await after.release();
    const again = await leased();
    expect(await succeeded(again.stores.sessions.count())).toBe(2);
  });

  it('with only its file removed is refused with the reason, and continues when it is restored', async () => {
    const before = await leased();
    await succeeded(before.stores.sessions.insert(testSession('one')));
    renameSync(path, folder.file('away.db'));
    expect(await acquire()).toMatchObject({
      error: expect.stringMatching(
        /was removed or replaced while in use, and .*-wal belongs to the old file: restore the file/,
      ),
    });
    renameSync(folder.file('away.db'), path);
    expect(before.stores.isLost()).toBe(false);
    expect(await succeeded((await leased()).stores.sessions.find(hashOf('one')))).not.toBeNull();
  });

  it('with another file in its place is refused, because that file would replay the log', async () => {
    const copy = folder.file('copy.db');
    await filledStore(copy, 3);
    const whole = readFileSync(copy);
    const before = await leased();
    await succeeded(before.stores.sessions.insert(testSession('one')));
    renameSync(copy, path);
    expect(await acquire()).toMatchObject({ error: expect.stringContaining('-wal belongs to the old file') });
    expect(readFileSync(path).equals(whole)).toBe(true);
    // The way out, as it is said.
    await before.release();
    for (const file of [`${path}-wal`, `${path}-shm`]) rmSync(file, { force: true });
    const { stores } = await leased();
    expect(await succeeded(stores.sessions.find(hashOf(nthName(0))))).not.toBeNull();
    expect(await succeeded(stores.sessions.find(hashOf('one')))).toBeNull();
  });

  it('that is damaged is reopened once the damage is found', async () => {
    await filledStore(path, 400);
    const whole = folder.file('whole.db');
    copyFileSync(path, whole);
    const before = await leased();
    const octets = readFileSync(path);
    octets.fill(0xa5, 4 * 4_096);
    writeFileSync(path, octets);
    await before.stores.sessions.find(hashOf(nthName(1)));
    expect(before.stores.isLost()).toBe(true);
    expect(before.state.failure).toContain('is damaged');
    const octetsAgain = readFileSync(whole);
    writeFileSync(path, octetsAgain);
    const after = await leased();
    expect(after.stores).not.toBe(before.stores);
    expect(await succeeded(after.stores.sessions.find(hashOf(nthName(1))))).not.toBeNull();
  });

  it('that is truncated to nothing is refused and not extended', async () => {
    await filledStore(path, 10);
    const before = await leased();
    truncateSync(path, 0);
    await before.stores.sessions.find(hashOf(nthName(1)));
    await before.stores.sessions.insert(testSession('one'));
    expect(before.stores.isLost()).toBe(true);
    expect((await acquire()).ok).toBe(false);
    expect(existsSync(path)).toBe(true);
  });
});
