import { chmodSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { migrateToOutput } from '../../../../src/bootstrap/gateway/migrate-configuration.js';
import { type TemporaryFolder, temporaryFolder } from '../../../support/shared/temporary-folder.js';

const old = `include "routes.kdl"
listener "http" { address "127.0.0.1:8080" } // the door
`;
const now = `include "routes.kdl"
listeners {
  listener "http" { address "127.0.0.1:8080" } // the door
}
`;
const oldRoutes = `// what goes where
route "all" { path-prefix "/"; upstream "u" }
upstreams { upstream "u" { target "127.0.0.1:8081" } }
`;
const nowRoutes = `routes {
  // what goes where
  route "all" { matches { path-prefix "/" }; upstream "u" }
}
upstreams { upstream "u" { target "127.0.0.1:8081" } }
`;
const single = (text: string): string => text.replace('include "routes.kdl"\n', '') + nowRoutes;

let folder: TemporaryFolder;
let file: string;
beforeEach(() => {
  folder = temporaryFolder();
  file = folder.write('gateway.kdl', old);
  folder.write('routes.kdl', oldRoutes);
  chmodSync(file, 0o640);
});
afterEach(() => folder.remove());

const textOf = (name: string): string => readFileSync(folder.file(name), 'utf8');
const modeOf = (name: string): number => statSync(folder.file(name)).mode & 0o777;

describe('in place', () => {
  it('changes the file and its includes, and keeps backups and the mode', async () => {
    const { stdout, stderr, exitCode } = await migrateToOutput(file, { kind: 'in-place' });
    expect([exitCode, stdout]).toEqual([0, '']);
    expect(stderr).toContain(`${file}:2: "listener" moves to "listeners"\n`);
    expect(stderr).toContain(`${folder.file('routes.kdl')}:2: "path-prefix" of a route moves to "matches"\n`);
    expect([textOf('gateway.kdl'), textOf('routes.kdl')]).toEqual([now, nowRoutes]);
    expect([textOf('gateway.kdl.bak'), textOf('routes.kdl.bak')]).toEqual([old, oldRoutes]);
    expect([modeOf('gateway.kdl'), modeOf('gateway.kdl.bak')]).toEqual([0o640, 0o640]);
    expect(readdirSync(folder.path)).toHaveLength(4);
  });

  it('does nothing a second time', async () => {
    await migrateToOutput(file, { kind: 'in-place' });
    expect(await migrateToOutput(file, { kind: 'in-place' })).toEqual({ stdout: '', stderr: '', exitCode: 0 });
    expect(textOf('gateway.kdl.bak')).toBe(old);
  });

  it('replaces no earlier backup, and follows no link in its place', async () => {
    folder.write('gateway.kdl.bak', 'mine');
    folder.write('precious', 'precious');
    symlinkSync('precious', folder.file('gateway.kdl.bak.1'));
    const { exitCode, stderr } = await migrateToOutput(file, { kind: 'in-place' });
    expect(exitCode).toBe(0);
    expect(stderr).toContain(`kept as ${folder.file('gateway.kdl.bak.2')}\n`);
    expect([textOf('gateway.kdl.bak'), textOf('precious'), textOf('gateway.kdl.bak.2')]).toEqual([
      'mine',
      'precious',
      old,
    ]);
  });

  it('writes nothing if the result has errors', async () => {
    folder.write('routes.kdl', `${oldRoutes}unheard-of 1\n`);
    const { stderr, exitCode } = await migrateToOutput(file, { kind: 'in-place' });
    expect(exitCode).toBe(1);
    expect(stderr).toContain('unknown key "unheard-of"');
    expect(stderr).toContain('Nothing is written');
    expect(textOf('gateway.kdl')).toBe(old);
    expect(readdirSync(folder.path)).toHaveLength(2);
  });

  it('writes the target of a symbolic link, and keeps the link', async () => {
    symlinkSync('gateway.kdl', folder.file('link.kdl'));
    expect(await migrateToOutput(folder.file('link.kdl'), { kind: 'in-place' })).toMatchObject({ exitCode: 0 });
    expect(textOf('gateway.kdl')).toBe(now);
    expect(
      readdirSync(folder.path, { withFileTypes: true })
        .find(({ name }) => name === 'link.kdl')
        ?.isSymbolicLink(),
    ).toBe(true);
  });
});

describe('to another file', () => {
  const to = (name: string, force = false) => ({ kind: 'file', path: folder.file(name), force }) as const;

  it('writes only the file with the old mode, and names other files to migrate', async () => {
    const { stderr, exitCode } = await migrateToOutput(file, to('new.kdl'));
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`${folder.file('routes.kdl')}: this included file needs a migration too`);
    expect(textOf('new.kdl')).toBe(now);
    expect(modeOf('new.kdl')).toBe(0o640);
    expect(textOf('gateway.kdl')).toBe(old);
  });

  it('exits with 0 if there are no other files', async () => {
    writeFileSync(file, single(old));
    expect(await migrateToOutput(file, to('new.kdl'))).toMatchObject({ exitCode: 0 });
    expect(textOf('new.kdl')).toBe(single(now));
  });

  it('replaces an existing file only with --force, and never the source', async () => {
    folder.write('new.kdl', 'mine');
    const refused = await migrateToOutput(file, to('new.kdl'));
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toContain('it already exists; --force replaces it');
    expect(textOf('new.kdl')).toBe('mine');
    await migrateToOutput(file, to('new.kdl', true));
    expect(textOf('new.kdl')).toBe(now);
    const itself = await migrateToOutput(file, to('gateway.kdl', true));
    expect([itself.exitCode, itself.stderr]).toEqual([1, expect.stringContaining('use --in-place')]);
    expect(textOf('gateway.kdl')).toBe(old);
    expect(readdirSync(folder.path)).toHaveLength(3);
  });

  it('refuses a file that is too long', async () => {
    writeFileSync(file, 'a 1\n'.repeat(130_000));
    const { exitCode, stderr } = await migrateToOutput(file, to('new.kdl'));
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('250000 tokens')]);
    expect(readdirSync(folder.path)).toHaveLength(2);
  });

  it('reports why it cannot write', async () => {
    const { stderr, exitCode } = await migrateToOutput(file, to('nowhere/new.kdl'));
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('its folder does not exist')]);
  });

  it('keeps and names parts that no rule can change', async () => {
    writeFileSync(file, `server { }\nsystem { }\n${single(old)}`);
    const { stderr, exitCode } = await migrateToOutput(file, to('new.kdl'));
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`${file}:1: left as it is: "server" is now "system"`);
    expect(textOf('new.kdl')).toBe(`server { }\nsystem { }\n${single(now)}`);
  });
});

describe('to standard output', () => {
  it('prints the result or the difference, even with values that this machine lacks', async () => {
    writeFileSync(file, `${single(old)}admin { token (env)"NOT_SET_HERE" }\n`);
    const shown = await migrateToOutput(file, { kind: 'stdout' });
    expect(shown).toMatchObject({ exitCode: 0, stdout: `${single(now)}admin { token (env)"NOT_SET_HERE" }\n` });
    const { stdout, exitCode } = await migrateToOutput(file, { kind: 'diff' });
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`--- ${file}\n`);
    expect(stdout).toContain('+listeners {\n');
    expect(readdirSync(folder.path)).toHaveLength(2);
  });

  it('prints a current file unchanged, byte order mark and line ends included', async () => {
    const text = `\ufeff${single(now).replaceAll('\n', '\r\n')}`;
    writeFileSync(file, text);
    expect(await migrateToOutput(file, { kind: 'stdout' })).toEqual({ stdout: text, stderr: '', exitCode: 0 });
    expect(await migrateToOutput(file, { kind: 'diff' })).toEqual({ stdout: '', stderr: '', exitCode: 0 });
  });

  it.each(['nothing.kdl', 'gateway.kdl/x'])('reports a missing %s', async (name) => {
    const { stderr, exitCode } = await migrateToOutput(folder.file(name), { kind: 'diff' });
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('cannot be read')]);
  });
});
