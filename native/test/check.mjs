// npm run native:check [-- CONNECTIONS [SEED]]: builds the harness and runs it plainly, with sanitizers, with injected
// failures, and under valgrind. CONNECTIONS is the number for the plain run; the other runs take a part of it.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const source = dirname(fileURLToPath(import.meta.url));
const connections = Number(process.argv[2] ?? 100_000);
const seed = Number(process.argv[3] ?? 1);
const compiler = process.env['CC'] ?? 'cc';
const folder = mkdtempSync(join(tmpdir(), 'portcullis-native-'));
const harness = join(folder, 'harness');
const sanitized = join(folder, 'harness-sanitized');
const faults = join(folder, 'faults.so');

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @param {Record<string, string>} [env]
 */
const run = (command, args, env = {}) => {
  const { status, signal, error } = spawnSync(command, args, { stdio: 'inherit', env: { ...process.env, ...env } });
  if (status === 0) return;
  throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? signal ?? `exit code ${status}`}`);
};

/**
 * @param {string} name
 * @param {string} output
 * @param {readonly string[]} flags
 */
const compile = (name, output, flags) =>
  run(compiler, ['-std=gnu11', '-Wall', '-Wextra', '-Werror', '-g', ...flags, join(source, name), '-o', output]);

/** The sanitizer's library has to come before that which injects failures; undefined where it is linked statically. */
const sanitizerLibrary = () => {
  const path = spawnSync(compiler, ['-print-file-name=libasan.so'], { encoding: 'utf8' }).stdout.trim();
  return path.includes('/') ? path : undefined;
};

const hasValgrind = () => spawnSync('valgrind', ['--version']).status === 0;

/** @param {number} part */
const some = (part) => String(Math.ceil(connections / part));

try {
  compile('harness.c', harness, ['-O2']);
  compile('harness.c', sanitized, ['-O1', '-fsanitize=address,undefined', '-fno-sanitize-recover=all']);
  compile('faults.c', faults, ['-O2', '-shared', '-fPIC']);
  const environment = { FAULTS_SEED: String(seed) };
  run(harness, [String(connections), String(seed)]);
  run(sanitized, [some(10), String(seed + 1)]);
  run(harness, [some(10), String(seed + 2), '1'], { ...environment, LD_PRELOAD: faults });
  run(harness, [some(10), String(seed + 7), '1'], { ...environment, LD_PRELOAD: faults, FAULTS_FATAL: '1500' });
  run(harness, [some(50), String(seed + 3), '1'], {
    ...environment,
    LD_PRELOAD: faults,
    FAULTS_RATE: '500',
    FAULTS_FATAL: '2000',
  });
  const library = sanitizerLibrary();
  if (library !== undefined)
    run(sanitized, [some(10), String(seed + 4), '1'], { ...environment, LD_PRELOAD: `${library} ${faults}` });
  if (hasValgrind()) {
    const checks = ['-q', '--error-exitcode=9', '--leak-check=full', '--errors-for-leak-kinds=all'];
    run('valgrind', [...checks, harness, some(100), String(seed + 5)]);
    run('valgrind', [...checks, harness, some(100), String(seed + 6), '1'], { ...environment, LD_PRELOAD: faults });
  } else console.log('valgrind is not installed: its runs are left out');
  console.log('the core of the socket layer is sound');
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
