import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { repositoryRoot } from '../../support/shared/documentation-examples.js';
import { it } from '../../support/shared/fixtures.js';

const compiler = process.env['CC'] ?? 'cc';
const seconds = 40;

/** Node's headers, which the addon is compiled with. */
const headers = (): string => {
  const places = [process.env['npm_config_nodedir'], dirname(dirname(process.execPath)), '/usr'];
  const found = places.find((each) => each !== undefined && existsSync(join(each, 'include/node/node_api.h')));
  if (found === undefined) throw new Error('Node has no headers here');
  return join(found, 'include/node');
};

const run = (command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  spawnSync(command, args, { cwd: repositoryRoot, encoding: 'utf8', env: { ...process.env, ...env } });

it('the addon, built with sanitizers, finds no fault of its own under the fuzz run', ({ folder }) => {
  const addon = folder.file('sockets.node');
  const flags = ['-std=gnu11', '-shared', '-fPIC', '-g', '-O1', '-fsanitize=address,undefined'];
  const sources = ['native/addon.c', 'native/core/sockets.c'];
  const compiled = run(compiler, [...flags, '-fno-sanitize-recover=all', '-I', headers(), ...sources, '-o', addon]);
  expect(compiled.stderr).toBe('');
  const loaded = folder.file('loaded');
  const swap = folder.write(
    'swap.cjs',
    `const { dlopen } = process;
process.dlopen = (module, file, ...rest) => {
  if (!file.endsWith('sockets.node')) return dlopen.call(process, module, file, ...rest);
  require('node:fs').writeFileSync(${JSON.stringify(loaded)}, 'yes');
  return dlopen.call(process, module, ${JSON.stringify(addon)}, ...rest);
};`,
  );
  // tsc trusts its notes, even if the output is gone.
  if (!existsSync(join(repositoryRoot, 'dist/fuzz/main.js')))
    rmSync(join(repositoryRoot, 'dist/fuzz.tsbuildinfo'), { force: true });
  const built = run(process.execPath, ['node_modules/typescript/bin/tsc', '-b', 'fuzz']);
  expect(built.stdout).toBe('');
  const parts = ['--only', 'gateway', '--only', 'responses', '--seconds', String(seconds), '--seed', '1'];
  const { status, stdout, stderr } = run(
    process.execPath,
    ['dist/fuzz/main.js', ...parts, '--findings', folder.file('findings')],
    {
      LD_PRELOAD: run(compiler, ['-print-file-name=libasan.so']).stdout.trim(),
      NODE_OPTIONS: `--require=${swap}`,
      // Node itself frees nothing at its exit.
      ASAN_OPTIONS: 'detect_leaks=0',
    },
  );
  expect({ status, sanitizer: /Sanitizer|runtime error/.exec(stderr)?.[0] ?? null }, stderr.slice(-2_000)).toEqual({
    status: 0,
    sanitizer: null,
  });
  expect(stdout).toContain('nothing was found');
  expect(readFileSync(loaded, 'utf8')).toBe('yes');
}, 240_000);
