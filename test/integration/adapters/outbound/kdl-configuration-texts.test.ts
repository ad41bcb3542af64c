import { rmSync, symlinkSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KdlConfigurationSource } from '../../../../src/adapters/outbound/kdl-configuration/kdl-configuration-source.js';
import { re2PathPatterns } from '../../../../src/adapters/outbound/re2-path-patterns/re2-path-patterns.js';
import { configurationText } from '../../../support/shared/configuration-text.js';
import { type TemporaryFolder, temporaryFolder } from '../../../support/shared/temporary-folder.js';

let folder: TemporaryFolder;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

const load = (path: string, texts?: ReadonlyMap<string, string>) =>
  new KdlConfigurationSource(path, {
    environment: {},
    patterns: re2PathPatterns,
    ...(texts === undefined ? {} : { texts }),
  }).load();

/** A file that includes another one. */
const written = (): string => {
  folder.write('upstreams.kdl', 'upstreams { upstream "echo" { target "127.0.0.1:8081" } }');
  return folder.write('gateway.kdl', configurationText({ upstreams: 'include "upstreams.kdl"' }));
};

describe('the texts of a configuration', () => {
  it('include all files, and give the same configuration without them', async () => {
    const path = written();
    const { configuration, texts, problems } = await load(path);
    expect(problems).toEqual([]);
    expect([...(texts ?? new Map()).keys()]).toEqual([path, folder.file('upstreams.kdl')]);
    folder.remove();
    expect((await load(path, texts)).configuration).toEqual(configuration);
    folder = temporaryFolder();
  });

  it('stay in force when files change', async () => {
    const path = written();
    const { texts } = await load(path);
    folder.write('upstreams.kdl', 'upstreams { upstream "echo" { target "127.0.0.1:9999" } }');
    folder.write('gateway.kdl', 'nonsense');
    const { configuration } = await load(path, texts);
    expect(configuration?.upstreams[0]?.targets[0]?.address).toEqual({ host: '127.0.0.1', port: 8081 });
  });

  it('report no cycle for a link that changed', async () => {
    const path = written();
    const { texts } = await load(path);
    rmSync(folder.file('upstreams.kdl'));
    symlinkSync(path, folder.file('upstreams.kdl'));
    expect((await load(path)).configuration).toBeNull();
    expect((await load(path, texts)).problems).toEqual([]);
  });

  it('keep error positions of the files', async () => {
    folder.write(
      'upstreams.kdl',
      'upstreams {\n  upstream "echo" { target "127.0.0.1:8081"; timeouts { read-secs 0 } }\n}',
    );
    const path = folder.write('gateway.kdl', configurationText({ upstreams: 'include "upstreams.kdl"' }));
    const { problems, texts } = await load(path);
    expect(problems.length).toBeGreaterThan(0);
    expect((await load(path, texts)).problems).toEqual(problems);
  });

  it('exclude referenced files, which are read from the disk', async () => {
    folder.write('token', 'first-token-of-the-admin-endpoints');
    const admin = 'admin { address "127.0.0.1:9090"; token (file)"token" }';
    const path = folder.write('gateway.kdl', configurationText({ more: admin }));
    const { texts } = await load(path);
    folder.write('token', 'second-token-of-the-admin-endpoints');
    const { configuration } = await load(path, texts);
    expect(configuration?.admin?.token?.reveal()).toBe('second-token-of-the-admin-endpoints');
  });

  it('exclude an unread file', async () => {
    const path = written();
    const { texts } = await load(path);
    const some = new Map([...(texts ?? new Map())].filter(([name]) => name === path));
    const { configuration, problems } = await load(path, some);
    expect(configuration).toBeNull();
    expect(problems[0]?.message).toContain('upstreams.kdl cannot be read: there is no such file');
  });
});
