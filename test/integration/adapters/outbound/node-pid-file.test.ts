import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { expect } from 'vitest';
import { PidFile } from '../../../../src/adapters/outbound/node-pid-file/pid-file.js';
import type { CleanUp } from '../../../support/shared/clean-up.js';
import { it } from '../../../support/shared/fixtures.js';
import { temporaryFolder } from '../../../support/shared/temporary-folder.js';

const place = (cleanUp: CleanUp) => {
  const folder = temporaryFolder();
  cleanUp.add(() => folder.remove());
  return { folder: folder.path, path: folder.file('gateway.pid') };
};

it('the file contains the process id, and is removed with the process', ({ cleanUp }) => {
  const { folder, path } = place(cleanUp);
  const file = new PidFile(path, 12);
  file.write();
  expect(readFileSync(path, 'utf8')).toBe('12\n');
  expect(readdirSync(folder)).toEqual(['gateway.pid']);
  file.remove();
  expect(readdirSync(folder)).toEqual([]);
  file.remove();
});

it('the file stays if a successor has written its own', ({ cleanUp }) => {
  const { path } = place(cleanUp);
  const file = new PidFile(path, 12);
  file.write();
  new PidFile(path, 13).write();
  file.remove();
  expect(readFileSync(path, 'utf8')).toBe('13\n');
});

it('an unwritable file is an error, and leaves no draft', ({ cleanUp }) => {
  const { folder, path } = place(cleanUp);
  writeFileSync(path, '');
  expect(() => new PidFile(`${path}/gateway.pid`, 12).write()).toThrow('ENOTDIR');
  expect(existsSync(path)).toBe(true);
  expect(readdirSync(folder)).toEqual(['gateway.pid']);
});

it('a planted link at the draft name is not followed', ({ cleanUp }) => {
  const { folder, path } = place(cleanUp);
  const victim = `${folder}/victim`;
  writeFileSync(victim, 'kept');
  symlinkSync(victim, `${path}.12`);
  symlinkSync(victim, path);
  new PidFile(path, 12).write();
  expect(readFileSync(victim, 'utf8')).toBe('kept');
  expect(readFileSync(path, 'utf8')).toBe('12\n');
});
