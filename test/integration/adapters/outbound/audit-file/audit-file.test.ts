import { execFileSync } from 'node:child_process';
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { AuditFile, type AuditFileWriter } from '../../../../../src/adapters/outbound/audit-file/audit-file.js';
import { openAuditFile } from '../../../../../src/adapters/outbound/audit-file/open-audit-file.js';
import type { CleanUp } from '../../../../support/shared/clean-up.js';
import { eventually } from '../../../../support/shared/eventually.js';
import { it } from '../../../../support/shared/fixtures.js';
import { RecordingLogger } from '../../../../support/shared/recording-logger.js';
import { temporaryFolder } from '../../../../support/shared/temporary-folder.js';

const folder = (cleanUp: CleanUp) => {
  const made = temporaryFolder();
  cleanUp.add(made.remove);
  return made;
};

const opened = async (cleanUp: CleanUp, path: string) => {
  const log = await openAuditFile(path, new RecordingLogger());
  if (!log.ok) throw new Error(log.error);
  cleanUp.add(() => log.value.close(1_000));
  return log.value;
};

describe('an audit file', () => {
  it('is created for only its owner, appended to, and complete when closed', async ({ cleanUp }) => {
    const path = folder(cleanUp).file('audit.log');
    const first = await opened(cleanUp, path);
    for (let number = 0; number < 1_000; number += 1) first.write(`first ${number}\n`);
    await first.close(5_000);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const second = await opened(cleanUp, path);
    second.write('second\n');
    await second.close(5_000);
    const lines = readFileSync(path, 'utf8').split('\n');
    expect(lines).toHaveLength(1_002);
    expect(lines.slice(-3)).toEqual(['first 999', 'second', '']);
  });

  it('has intact lines of several writers, and continues after rotation', async ({ cleanUp }) => {
    const { file } = folder(cleanUp);
    const path = file('audit.log');
    const writers = [await opened(cleanUp, path), await opened(cleanUp, path), await opened(cleanUp, path)];
    const text = 'x'.repeat(10_000);
    for (let number = 0; number < 50; number += 1) {
      for (const [index, writer] of writers.entries()) writer.write(`${index} ${number} ${text}\n`);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await Promise.all(writers.map((writer) => writer.close(5_000)));
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
    expect(lines).toHaveLength(150);
    for (const line of lines) expect(line).toMatch(/^[012] \d+ x{10000}$/);

    renameSync(path, file('audit.log.1'));
    const next = await opened(cleanUp, path);
    next.write('next\n');
    await next.close(5_000);
    expect(readFileSync(path, 'utf8')).toBe('next\n');
  });

  it('that is deleted loses nothing once reopened', async ({ cleanUp }) => {
    const path = folder(cleanUp).file('audit.log');
    const first = await opened(cleanUp, path);
    rmSync(path);
    first.write('one\n');
    const second = await opened(cleanUp, path);
    await first.close(5_000, second);
    second.write('two\n');
    await second.close(5_000);
    expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n');
    expect([first.dropped(), second.dropped()]).toEqual([0, 0]);
  });

  it('that is deleted like its replacement counts lost records', async ({ cleanUp }) => {
    const path = folder(cleanUp).file('audit.log');
    const first = await opened(cleanUp, path);
    rmSync(path);
    first.write('one\n');
    const second = await opened(cleanUp, path);
    // Before the first hands over its line: one that was written by then would be lost by who deletes the file, and
    // counted by nobody.
    rmSync(path);
    await first.close(5_000, second);
    second.write('two\n');
    await second.close(5_000);
    expect([first.dropped(), second.dropped()]).toEqual([0, 2]);
  });

  it('that is deleted with a full disk reports no recovery', async ({ cleanUp }) => {
    const path = folder(cleanUp).file('audit.log');
    const logger = new RecordingLogger();
    const log = await openAuditFile(path, logger);
    if (!log.ok) throw new Error(log.error);
    rmSync(path);
    log.value.write('one\n');
    await eventually(() => logger.lines.length > 0);
    log.value.write('two\n');
    const next = await opened(cleanUp, path);
    await log.value.close(5_000, next);
    await next.close(5_000);
    expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n');
    expect(logger.lines.map(({ level }) => level)).toEqual(['error']);
  });

  it('is refused with a reason if invalid', async ({ cleanUp }) => {
    const { file } = folder(cleanUp);
    execFileSync('mkfifo', [file('pipe')]);
    writeFileSync(file('plain'), '');
    for (const [path, reason] of [
      [file('missing/audit.log'), 'its directory does not exist'],
      [file('pipe'), 'it is a pipe, not a file'],
      [file('plain/audit.log'), 'ENOTDIR'],
      ['/dev/null', 'it is not a regular file'],
      ['/', 'it is a directory'],
    ] as const) {
      const outcome = await openAuditFile(path, new RecordingLogger());
      expect(outcome).toEqual({ ok: false, error: `the audit log ${path} cannot be opened: ${reason}` });
    }
  });
});

/** A disk in the hands of a test: it takes so many octets, and then none. */
class FullDisk implements AuditFileWriter {
  room = 0;
  text = '';
  gone = false;
  asked = 0;
  /** A write ends when the test says so. */
  isSlow = false;
  end = (): void => undefined;

  write(octets: Buffer, done: (error: NodeJS.ErrnoException | null, written: number) => void): void {
    const taken = Math.min(this.room, octets.length);
    this.room -= taken;
    this.text += octets.subarray(0, taken).toString();
    const error = taken === 0 ? Object.assign(new Error('no space'), { code: 'ENOSPC' }) : null;
    this.end = () => done(error, taken);
    if (!this.isSlow) setImmediate(this.end);
  }

  writeSync(): number {
    return 0;
  }

  isGone(done: (isGone: boolean) => void): void {
    this.asked += 1;
    setImmediate(() => done(this.gone));
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

describe('an audit file on a disk that is full', () => {
  it('reports it once, buffers up to its bound, counts the rest, and writes the buffer when there is room', async () => {
    const disk = new FullDisk();
    const logger = new RecordingLogger();
    const file = new AuditFile(disk, { path: '/audit.log', logger, maxPendingBytes: 30 });
    disk.room = 14;
    for (const line of ['one-1234\n', 'two-1234\n', 'three-12\n', 'lost\n']) file.write(line);
    expect(file.dropped()).toBe(1);
    await eventually(() => logger.lines.length > 0);
    expect(logger.lines).toHaveLength(1);
    expect(logger.lines[0]).toMatchObject({ level: 'error', fields: { file: '/audit.log' } });
    disk.room = 1_000;
    await file.close(1_000);
    expect(logger.lines.map(({ level }) => level)).toEqual(['error', 'info']);
    // What was begun stays as a line of its own: no record is lost, and none is made of two.
    expect(disk.text).toBe('one-1234\ntwo-1\ntwo-1234\nthree-12\n');
    expect(file.dropped()).toBe(1);
  });

  it('passes buffered records to its replacement, before new ones', async () => {
    const [full, disk] = [new FullDisk(), new FullDisk()];
    disk.room = 1_000;
    const logger = new RecordingLogger();
    const file = new AuditFile(full, { path: '/audit.log', identity: '1:1', logger });
    full.room = 6;
    for (const line of ['one\n', 'two\n']) file.write(line);
    await eventually(() => logger.lines.length > 0);
    const next = new AuditFile(disk, { path: '/audit.log', identity: '1:1', logger });
    const closed = file.close(1_000, next);
    next.write('three\n');
    await closed;
    await next.close(1_000);
    expect([file.dropped(), next.dropped()]).toEqual([0, 0]);
    // It is the same file still, with a line that was begun at its end.
    expect([full.text, disk.text]).toEqual(['one\ntw', '\ntwo\nthree\n']);
  });

  it('writes its buffer to the replacement of a deleted file', async () => {
    const [gone, disk] = [new FullDisk(), new FullDisk()];
    gone.room = 1_000;
    gone.gone = true;
    disk.room = 1_000;
    const logger = new RecordingLogger();
    const file = new AuditFile(gone, { path: '/audit.log', identity: '1:1', logger });
    file.write('one\n');
    await eventually(() => logger.lines.length > 0);
    file.write('two\n');
    // The first is the one after the write, the others come before a retry.
    await eventually(() => gone.asked >= 3);
    expect(gone.text).toBe('one\n');
    const next = new AuditFile(disk, { path: '/audit.log', identity: '1:2', logger });
    await file.close(1_000, next);
    await next.close(1_000);
    expect([gone.text, disk.text]).toEqual(['one\n', 'one\ntwo\n']);
    expect(file.dropped() + next.dropped()).toBe(0);
    expect(logger.lines).toHaveLength(1);
  });

  it('that is deleted is not written at its end', async () => {
    const gone = new FullDisk();
    const logger = new RecordingLogger();
    gone.room = 1_000;
    gone.gone = true;
    const file = new AuditFile(gone, { path: '/audit.log', logger });
    file.write('one\n');
    await eventually(() => logger.lines.length > 0);
    await file.close(1_000);
    expect([gone.text, file.dropped()]).toEqual(['one\n', 1]);
  });

  it('makes the replacement wait for a write in progress, which can be partial', async () => {
    const [full, disk] = [new FullDisk(), new FullDisk()];
    disk.room = 1_000;
    const logger = new RecordingLogger();
    const options = { path: '/audit.log', identity: '1:1', logger };
    const file = new AuditFile(full, options);
    full.room = 6;
    full.isSlow = true;
    for (const line of ['one\n', 'two\n']) file.write(line);
    await eventually(() => full.text !== '');
    const next = new AuditFile(disk, options);
    const closed = file.close(5_000, next);
    next.write('three\n');
    const ended = next.close(5_000);
    for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(disk.text).toBe('');
    full.end();
    await Promise.all([closed, ended]);
    expect([full.text, disk.text]).toEqual(['one\ntw', '\nthree\n']);
    expect([file.dropped(), next.dropped()]).toEqual([1, 0]);
  });

  it('passes only records that fit the replacements, and counts the rest', async () => {
    const logger = new RecordingLogger();
    const options = { path: '/audit.log', logger };
    const file = new AuditFile(new FullDisk(), options);
    for (const line of ['one\n', 'two\n', 'three\n', 'four\n']) file.write(line);
    const second = new AuditFile(new FullDisk(), options);
    const disk = new FullDisk();
    const third = new AuditFile(disk, { ...options, maxPendingBytes: 8 });
    // The write that is under way fails only when its heir has ended too.
    await Promise.all([file.close(1_000, second), second.close(1_000, third)]);
    disk.room = 1_000;
    await third.close(1_000);
    expect(disk.text).toBe('one\ntwo\n');
    expect(file.dropped() + second.dropped() + third.dropped()).toBe(2);
  });

  it('counts unwritten records on close', async () => {
    const disk = new FullDisk();
    const file = new AuditFile(disk, { path: '/audit.log', logger: new RecordingLogger() });
    for (let number = 0; number < 3; number += 1) file.write(`${number}\n`);
    await file.close(1_000);
    expect(file.dropped()).toBe(3);
    file.write('late\n');
    expect(file.dropped()).toBe(4);
  });
});
