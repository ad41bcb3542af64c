import { execFileSync } from 'node:child_process';
import { mkdtempSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  maximumTextFileOctets,
  NodeTextFileReader,
} from '../../../../src/adapters/outbound/node-text-files/node-text-file-reader.js';

const folder = mkdtempSync(join(tmpdir(), 'pc-'));
const file = (name: string, content: string | Buffer = '') => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};
const reader = new NodeTextFileReader();

describe('NodeTextFileReader', () => {
  it('gives the text of a file', async () => {
    expect(await reader.read(file('text', 'ä\n'))).toEqual({ ok: true, value: 'ä\n' });
  });

  it('says why a file cannot be read', async () => {
    expect(await reader.read(join(folder, 'gone'))).toMatchObject({ error: expect.stringContaining('does not exist') });
    expect(await reader.read(folder)).toMatchObject({ error: expect.stringContaining('directory') });
    expect(await reader.read(file('binary', Buffer.from([0xff])))).toMatchObject({ error: 'is not UTF-8 text' });
    expect(await reader.read('/dev/zero')).toMatchObject({ error: expect.stringContaining('regular') });
    expect(await reader.read('a\0b')).toMatchObject({ ok: false });
  });

  it('reads no file that is larger than a key or a list can be', async () => {
    const large = file('large');
    truncateSync(large, maximumTextFileOctets + 1);
    expect(await reader.read(large)).toMatchObject({ error: expect.stringContaining('larger') });
  });

  it('does not wait for a pipe that nobody writes to', async () => {
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    expect(await reader.read(join(folder, 'pipe'))).toMatchObject({ error: expect.stringContaining('regular') });
  });
});
