import { chownSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { filledStore, openSqlite } from '../../support/agent/sqlite-stores.js';
import { hashOf, succeeded, testSession } from '../../support/agent/test-sessions.js';
import { describeWithPeers } from '../../support/shared/peers.js';
import { type RunningProcess, startProcess } from '../../support/shared/processes.js';
import { type TemporaryFolder, temporaryFolder } from '../../support/shared/temporary-folder.js';

const built = new URL('../../../dist/adapters/outbound/sqlite-session-store/sqlite-store-opener.js', import.meta.url);
const nobody = 65_534;

/**
 * Opens the store that it is given, says so, and inserts `count` sessions, `together` at a time. It writes `+name`
 * once a session was answered with success, `-reason` where it was not, and `done` at the end.
 */
const inserter = `
  const [built, path, prefix, count, together, template] = process.argv.slice(1);
  const { SqliteStoreOpener } = await import(built);
  const { writeSync } = await import('node:fs');
  const { createHash } = await import('node:crypto');
  const hashOf = (name) => createHash('sha256').update(name).digest('hex');
  const say = (line) => writeSync(1, line + '\\n');
  const opened = await new SqliteStoreOpener().open({ kind: 'sqlite', path }, 'sp');
  if (!opened.ok) {
    say('refused: ' + opened.error);
    process.exit(3);
  }
  say('opened');
  const { sessions } = opened.value;
  let next = 0;
  const work = async () => {
    while (next < Number(count)) {
      const name = prefix + next++;
      const result = await sessions.insert({ ...JSON.parse(template), idHash: hashOf(name) });
      say(result.ok ? '+' + name : '-' + result.error.reason);
    }
  };
  await Promise.all(Array.from({ length: Number(together) }, work));
  await opened.value.close();
  say('done');
`;

const answered = (output: string): string[] =>
  output
    .split('\n')
    .filter((line) => line.startsWith('+'))
    .map((line) => line.slice(1));

const refusals = (output: string): string[] => [
  ...new Set(
    output
      .split('\n')
      .filter((line) => line.startsWith('-'))
      .map((line) => line.slice(1)),
  ),
];

describeWithPeers(['setpriv'], 'processes that share a SQLite store', () => {
  let folder: TemporaryFolder;
  let path: string;
  const running: RunningProcess[] = [];
  beforeEach(() => {
    folder = temporaryFolder();
    path = folder.file('sessions.db');
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((child) => child.stop(0)));
    folder.remove();
  });

  const start = (prefix: string, count: number, together: number, before: readonly string[] = []): RunningProcess => {
    const template = JSON.stringify(
      testSession('template', { attributes: [{ name: 'a', values: ['x'.repeat(200)] }] }),
    );
    const parts = [fileURLToPath(built), path, prefix, `${count}`, `${together}`, template];
    const command = [...before, process.execPath, '--input-type=module', '-e', inserter, ...parts];
    const child = startProcess(command[0] ?? '', command.slice(1));
    running.push(child);
    return child;
  };

  /** Everything that was answered with success is there. */
  const expectKept = async (names: readonly string[]): Promise<void> => {
    const stores = await succeeded(openSqlite(path));
    const found = await Promise.all(names.map((name) => succeeded(stores.sessions.find(hashOf(name)))));
    expect(found.filter((session) => session === null)).toHaveLength(0);
    await stores.close();
  };

  it('keep every confirmed session when each process is killed while it writes', async () => {
    const kept: string[] = [];
    for (let round = 0; round < 4; round += 1) {
      const child = start(`r${round}-`, 100_000, 1 + round * 8);
      await child.wrote(new RegExp(`^\\+r${round}-${50 + round * 40}$`, 'm'));
      child.signal('SIGKILL');
      expect(await child.exited).toEqual({ code: null, signal: 'SIGKILL' });
      const names = answered(child.output());
      expect(names.length).toBeGreaterThan(40);
      kept.push(...names);
      await expectKept(kept);
    }
    const stores = await succeeded(openSqlite(path));
    // The counter agrees with what is there, which may be some more that were not answered any more.
    const count = await succeeded(stores.sessions.count());
    expect(await succeeded(stores.sessions.removeOfUser('alice'))).toHaveLength(count);
    expect(count).toBeGreaterThanOrEqual(kept.length);
    await stores.close();
  });

  it('write concurrently without a refusal', async () => {
    const children = ['a', 'b', 'c'].map((prefix) => start(prefix, 300, 3));
    const exits = await Promise.all(children.map((child) => child.exited));
    expect(exits.map(({ code }) => code)).toEqual([0, 0, 0]);
    const outputs = children.map((child) => child.output());
    expect(outputs.flatMap(refusals)).toEqual([]);
    const names = outputs.flatMap(answered);
    expect(names).toHaveLength(900);
    await expectKept(names);
    expect(readdirSync(folder.path)).toEqual(['sessions.db']);
  });

  it('get an error when the disk is full, and keep earlier sessions', async () => {
    // No file may grow beyond 1 MiB: to SQLite it is a disk that takes no more.
    const child = start('n', 1_000, 2, ['sh', '-c', 'ulimit -f 2048; exec "$@"', 'sh']);
    expect(await child.exited).toEqual({ code: 0, signal: null });
    const names = answered(child.output());
    expect(names.length).toBeGreaterThan(5);
    expect(names.length).toBeLessThan(1_000);
    expect(refusals(child.output())).toEqual([expect.stringContaining(path)]);
    await expectKept(names);
    const stores = await succeeded(openSqlite(path));
    await succeeded(stores.sessions.insert(testSession('there is room again')));
    await stores.close();
  });

  it('get an error if the folder is not writable', async () => {
    const asNobody = ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups'];
    const before = process.getuid?.() === 0 ? asNobody : [];
    const chmod = async (mode: string): Promise<void> => {
      expect(await startProcess('chmod', [mode, folder.path]).exited).toMatchObject({ code: 0 });
    };
    await filledStore(path, 2);
    if (before.length > 0) {
      chownSync(folder.path, nobody, nobody);
      chownSync(path, nobody, nobody);
    }
    await chmod('500');
    const child = start('n', 1, 1, before);
    expect(await child.exited).toMatchObject({ code: 3 });
    expect(child.output()).toMatch(/refused: .*sessions\.db or its folder cannot be written/);

    const absent = path.replace('sessions.db', 'absent.db');
    path = absent;
    const other = start('n', 1, 1, before);
    expect(await other.exited).toMatchObject({ code: 3 });
    expect(other.output()).toContain(`refused: no permission to use or create ${absent}`);
    await chmod('700');
  });
});
