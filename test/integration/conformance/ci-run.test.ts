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

interface Run {
  readonly env?: Readonly<Record<string, string>>;
  /** The npm command that fails, without spaces. */
  readonly failing?: string;
  /** How long `npm test` takes. */
  readonly testSeconds?: number;
}

/** Runs the script with an `npm` that records its arguments, and a `date` that reads a clock of our own. */
const run = ({ env = {}, failing = 'none', testSeconds = 0 }: Run) => {
  folder.write('clock', '1000');
  program('date', `cat ${folder.file('clock')}`);
  program(
    'npm',
    `echo "$*" >> ${folder.file('calls')}\necho ${1000 + testSeconds} > ${folder.file('clock')}\n[ "$1$2" != "${failing}" ]`,
  );
  const { status, stdout } = spawnSync(folder.file('repository/.ci/run'), {
    env: { PATH: `${folder.file('bin')}:/usr/bin:/bin`, ...env },
    encoding: 'utf8',
  });
  return { status, stdout, calls: readFileSync(folder.file('calls'), 'utf8').trimEnd().split('\n') };
};

const CORPORA = '/some/folder';

describe('.ci/run', () => {
  it('runs only the tests, the slow ones last, without corpora', () => {
    expect(run({})).toEqual({ status: 0, stdout: '', calls: ['test', 'run test:slow'] });
  });

  it('runs the corpora that CORPORA names after the tests', () => {
    expect(run({ env: { CORPORA } })).toMatchObject({
      status: 0,
      calls: ['test', 'run test:slow', 'run conformance -- /some/folder'],
    });
  });

  it('runs the corpora of the folder beside the repository', () => {
    mkdirSync(folder.file('shared/corpora'), { recursive: true });
    expect(run({})).toMatchObject({
      status: 0,
      calls: ['test', 'run test:slow', 'run conformance -- ../shared/corpora'],
    });
  });

  it.each(['test', 'runtest:slow', 'runconformance'])('runs everything and fails if npm %s fails', (failing) => {
    const { status, calls } = run({ env: { CORPORA }, failing });
    expect({ status, count: calls.length }).toEqual({ status: 1, count: 3 });
  });

  it('runs the slow tests in its fortieth minute', () => {
    expect(run({ testSeconds: 40 * 60 - 1 }).calls).toEqual(['test', 'run test:slow']);
  });

  it('skips the slow tests after 40 minutes with a message', () => {
    expect(run({ testSeconds: 40 * 60 })).toEqual({
      status: 0,
      stdout: 'skipping npm run test:slow: this run has taken 40 minutes or more\n',
      calls: ['test'],
    });
  });
});
