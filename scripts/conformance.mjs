// npm run conformance -- FOLDER: runs the official test cases of Cedar, llhttp and HTTP/2 that lie in FOLDER. They are no part of
// this repository. Sets up what is missing, bundles test/conformance into dist/conformance and runs it in a process of its own.
import './node-floor.mjs';
import { resolve } from 'node:path';
import { inRoot } from './paths.mjs';
import { withProgress } from './progress.mjs';
import { runNode } from './run-tool.mjs';
import { ensureInstalled, SetUpError } from './set-up.mjs';

const output = inRoot('dist', 'conformance');

const bundle = async () => {
  const { rolldown } = await import('rolldown');
  const build = await rolldown({
    input: inRoot('test', 'conformance', 'main.ts'),
    cwd: inRoot(),
    platform: 'node',
    external: (id, _importer, isResolved) => !isResolved && !id.startsWith('.') && !id.startsWith('/'),
    resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
    logLevel: 'warn',
  });
  try {
    await build.write({ dir: output, format: 'esm', entryFileNames: 'main.js' });
  } finally {
    await build.close();
  }
};

// Folders are meant from where the command was typed, which npm tells.
const from = process.env['INIT_CWD'] ?? process.cwd();
const args = process.argv.slice(2).map((argument) => resolve(from, argument));
try {
  await ensureInstalled('1/2');
  await withProgress('[2/2] bundling test/conformance', bundle);
  const { code } = await runNode(inRoot('dist', 'conformance', 'main.js'), args);
  process.exitCode = code;
} catch (error) {
  if (!(error instanceof SetUpError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
