import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NodeCorpusFiles } from '../../../../src/adapters/outbound/node-corpus-files/node-corpus-files.js';
import { err, ok } from '../../../../src/domain/shared/result.js';
import { type TemporaryFolder, temporaryFolder } from '../../../support/shared/temporary-folder.js';

describe('NodeCorpusFiles', () => {
  let folder: TemporaryFolder;

  beforeEach(() => {
    folder = temporaryFolder();
    mkdirSync(folder.file('corpus/deep/er'), { recursive: true });
  });
  afterEach(() => folder.remove());

  const files = (): NodeCorpusFiles => new NodeCorpusFiles(folder.file('corpus'));

  it('lists *.json at every depth, and stops at a link cycle', async () => {
    folder.write('corpus/a.json', '{}');
    folder.write('corpus/a.cedar', '');
    folder.write('corpus/deep/er/b.json', '{}');
    symlinkSync(folder.file('corpus'), folder.file('corpus/deep/again'));
    const listed = await files().list();
    expect(listed.ok && listed.value.files.toSorted()).toEqual(['a.json', 'deep/er/b.json']);
    expect(listed.ok && listed.value.linkedFolders).toEqual(['deep/again']);
  });

  it('resolves a link to the folder, so that references are relative to the target', () => {
    mkdirSync(folder.file('official/tests'), { recursive: true });
    symlinkSync(folder.file('official/tests'), folder.file('short-cut'));
    const { folderNames } = new NodeCorpusFiles(folder.file('short-cut'));
    expect(folderNames.slice(-2)).toEqual(['official', 'tests']);
  });

  it('lists links to files, and skips links to folders', async () => {
    const text = '{"policies": "p.cedar", "entities": "e.json", "requests": []}';
    mkdirSync(folder.file('elsewhere'));
    for (const path of ['corpus/b.json', 'corpus/deep/er/a.json', 'elsewhere/c.json']) folder.write(path, text);
    symlinkSync(folder.file('elsewhere'), folder.file('corpus/linked'));
    symlinkSync(folder.file('elsewhere'), folder.file('corpus/linked.json'));
    symlinkSync(folder.file('elsewhere/c.json'), folder.file('corpus/file.json'));
    symlinkSync(folder.file('corpus'), folder.file('way-in'));
    const names = async (path: string): Promise<readonly string[]> => {
      const listed = await new NodeCorpusFiles(folder.file(path)).list();
      return listed.ok ? listed.value.files.map((file) => file.replace('.json', '')).toSorted() : [];
    };
    expect(await names('corpus')).toEqual(['b', 'deep/er/a', 'file']);
    expect(await names('way-in')).toEqual(['b', 'deep/er/a', 'file']);
  });

  it('reports the names of the folder, and whether it exists', async () => {
    folder.write('corpus/file', '');
    expect(files().folderNames.slice(-2)).toEqual([basename(folder.path), 'corpus']);
    expect(await files().hasFolder('deep/er')).toBe(true);
    expect(await files().hasFolder('../corpus')).toBe(true);
    expect(await files().hasFolder('file')).toBe(false);
    expect(await files().hasFolder('none')).toBe(false);
  });

  it('reads files of the folder and of its parents', async () => {
    folder.write('corpus/a.json', '{"é": 1}');
    folder.write('above.cedar', 'permit');
    expect(await files().read('a.json')).toEqual(ok('{"é": 1}'));
    expect(await files().read('../above.cedar')).toEqual(ok('permit'));
  });

  it('distinguishes missing from unreadable files', async () => {
    folder.write('corpus/a.json', '{}');
    writeFileSync(folder.file('corpus/latin1.json'), Buffer.from([0x22, 0xe9, 0x22]));
    expect(await files().read('none.json')).toEqual(ok(null));
    const again = files();
    expect(await again.read('none/a.json')).toEqual(ok(null));
    expect(await again.read('none/a.json')).toEqual(ok(null));
    expect(await again.read('a.json')).toEqual(ok('{}'));
    expect(await files().read('a.json/b.json')).toEqual(ok(null));
    expect(await files().read('deep')).toEqual(ok(null));
    expect(await files().read(join(folder.path, 'corpus/a.json'))).toEqual(ok(null));
    expect(await files().read('latin1.json')).toEqual(err('is not UTF-8'));
  });

  it('reports why the list is empty', async () => {
    folder.write('file', '');
    expect(await new NodeCorpusFiles(folder.file('none')).list()).toEqual(err('does not exist'));
    expect(await new NodeCorpusFiles(folder.file('file')).list()).toEqual(err('is not a folder'));
  });
});
