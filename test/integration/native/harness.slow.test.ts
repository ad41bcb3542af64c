import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { repositoryRoot } from '../../support/shared/documentation-examples.js';

it('moves every octet in order through 100 000 connections, with sanitizers and injected failures too', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['native/test/check.mjs', '100000', '1'], {
    cwd: repositoryRoot,
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toMatch(/the core of the socket layer is sound\n$/);
}, 600_000);
