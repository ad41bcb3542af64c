import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  maxFolderCharacters,
  maxFolderFiles,
  maxPolicyFileOctets,
  NodePolicyFiles,
} from '../../../../src/adapters/outbound/node-text-files/node-policy-files.js';
import { temporaryFolder } from '../../../support/shared/temporary-folder.js';

const folders = [temporaryFolder()];
afterAll(() => {
  for (const folder of folders) folder.remove();
});

const files = new NodePolicyFiles();
const newFolder = () => {
  const folder = temporaryFolder();
  folders.push(folder);
  return folder;
};

describe('NodePolicyFiles', () => {
  it('reads one file, whatever its name ends in', async () => {
    const folder = newFolder();
    const path = folder.write('rules.txt', 'permit(principal, action, resource);');
    expect(await files.read(path)).toEqual({
      ok: true,
      value: [{ name: path, text: 'permit(principal, action, resource);' }],
    });
  });

  it('reads every *.cedar of a folder in the order of their names, and nothing else', async () => {
    const folder = newFolder();
    for (const name of ['b.cedar', 'a.cedar', '10.cedar', '9.cedar', 'B.cedar']) folder.write(name, name);
    for (const name of ['.hidden.cedar', '.#a.cedar', 'a.cedar~', 'a.cedar.bak', 'readme.md', 'xcedar']) {
      folder.write(name, 'not policies');
    }
    mkdirSync(folder.file('inner'));
    writeFileSync(join(folder.file('inner'), 'c.cedar'), 'not read');
    const expected = ['10.cedar', '9.cedar', 'B.cedar', 'a.cedar', 'b.cedar'];
    for (const path of [folder.path, `${folder.path}/`]) {
      const read = await files.read(path);
      expect(read).toEqual({ ok: true, value: expected.map((name) => ({ name: folder.file(name), text: name })) });
    }
  });

  it('follows symbolic links, of files and of folders', async () => {
    const real = newFolder();
    real.write('real.cedar', 'policies');
    const folder = newFolder();
    symlinkSync(real.file('real.cedar'), folder.file('link.cedar'));
    symlinkSync(folder.path, real.file('folder'));
    expect(await files.read(real.file('folder'))).toEqual({
      ok: true,
      value: [{ name: join(real.file('folder'), 'link.cedar'), text: 'policies' }],
    });
  });

  it('says of every file why it cannot be read', async () => {
    const folder = newFolder();
    folder.write('a.cedar', 'fine');
    writeFileSync(folder.file('b.cedar'), Buffer.from([0xff]));
    symlinkSync(folder.file('gone'), folder.file('c.cedar'));
    mkdirSync(folder.file('d.cedar'));
    execFileSync('mkfifo', [folder.file('e.cedar')]);
    writeFileSync(folder.file('f.cedar'), '');
    truncateSync(folder.file('f.cedar'), maxPolicyFileOctets + 1);
    expect(await files.read(folder.path)).toEqual({
      ok: false,
      error: [
        { name: folder.file('b.cedar'), reason: 'is not UTF-8 text' },
        { name: folder.file('c.cedar'), reason: 'cannot be read: it does not exist' },
        { name: folder.file('d.cedar'), reason: 'cannot be read: it is a directory' },
        { name: folder.file('e.cedar'), reason: 'cannot be read: it is not a regular file' },
        { name: folder.file('f.cedar'), reason: `is larger than ${maxPolicyFileOctets} bytes` },
      ],
    });
  });

  it('refuses what is not there, and a folder without policies', async () => {
    const folder = newFolder();
    const [gone, none] = [folder.file('gone.cedar'), folder.path];
    expect(await files.read(gone)).toEqual({
      ok: false,
      error: [{ name: gone, reason: 'cannot be read: it does not exist' }],
    });
    expect(await files.read(none)).toEqual({
      ok: false,
      error: [{ name: none, reason: 'is a folder without *.cedar files' }],
    });
    expect(await files.read('a\0b')).toMatchObject({ ok: false });
  });

  it('refuses a folder of too many files', async () => {
    const folder = newFolder();
    for (let index = 0; index <= maxFolderFiles; index += 1) folder.write(`${index}.cedar`, '');
    expect(await files.read(folder.path)).toEqual({
      ok: false,
      error: [{ name: folder.path, reason: `holds more than ${maxFolderFiles} *.cedar files` }],
    });
  });

  it('refuses a folder whose files are too long together', async () => {
    const folder = newFolder();
    const path = folder.file('0.cedar');
    writeFileSync(path, '');
    truncateSync(path, maxPolicyFileOctets);
    for (let index = 1; index <= maxFolderCharacters / maxPolicyFileOctets; index += 1) {
      symlinkSync(path, folder.file(`${index}.cedar`));
    }
    expect(await files.read(folder.path)).toMatchObject({
      error: [{ name: folder.path, reason: expect.stringContaining('holds more than') }],
    });
  });
});
