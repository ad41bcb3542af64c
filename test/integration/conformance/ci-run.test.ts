import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { repositoryRoot } from '../../support/shared/documentation-examples.js';
import { type TemporaryFolder, temporaryFolder } from '../../support/shared/temporary-folder.js';

let folder: TemporaryFolder;
beforeEach(() => {
  folder = temporaryFolder();
  for (const name of ['repository/.ci', 'bin']) mkdirSync(folder.file(name), { recursive: true });
  cpSync(`${repositoryRoot}.ci/run`, folder.file('repository/.ci/run'));
  const peers = /peers=\(([^)]*)\)/.exec(readFileSync(folder.file('repository/.ci/run'), 'utf8'))?.[1] ?? '';
  for (const peer of peers.trim().split(/\s+/)) program(peer.split(':')[0] ?? '', 'exit 0');
});
afterEach(() => folder.remove());

const program = (name: string, script: string): void => {
  folder.write(`bin/${name}`, `#!/bin/sh\n${script}\n`);
  chmodSync(folder.file(`bin/${name}`), 0o755);
};

/** Runs the script with an `npm` that records its arguments; `failing` is the command that fails. */
const run = (env: Readonly<Record<string, string>>, failing = 'none') => {
  program('npm', `echo "$*" >> ${folder.file('calls')}\n[ "$1$2" != "${failing}" ]`);
  const { status } = spawnSync(folder.file('repository/.ci/run'), {
    env: { PATH: `${folder.file('bin')}:/usr/bin:/bin`, ...env },
  });
  return { status, calls: readFileSync(folder.file('calls'), 'utf8').trimEnd().split('\n') };
};

describe('.ci/run', () => {
  it('runs the tests alone where there are no corpora', () => {
    expect(run({})).toEqual({ status: 0, calls: ['test'] });
  });

  it('runs the corpora that CORPORA names after the tests', () => {
    expect(run({ CORPORA: '/some/folder' })).toEqual({
      status: 0,
      calls: ['test', 'run conformance -- /some/folder'],
    });
  });

  it('runs the corpora of the folder beside the repository', () => {
    mkdirSync(folder.file('shared/corpora'), { recursive: true });
    expect(run({})).toEqual({ status: 0, calls: ['test', 'run conformance -- ../shared/corpora'] });
  });

  it('runs both and fails where the tests fail', () => {
    const { status, calls } = run({ CORPORA: '/some/folder' }, 'test');
    expect({ status, count: calls.length }).toEqual({ status: 1, count: 2 });
  });

  it('fails where a case of the corpora fails', () => {
    expect(run({ CORPORA: '/some/folder' }, 'runconformance').status).toBe(1);
  });
});
