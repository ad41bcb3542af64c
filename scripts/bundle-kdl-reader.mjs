import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inRoot } from './paths.mjs';

/** The compiled module that imports kdljs. */
const reader = inRoot('dist', 'adapters', 'outbound', 'kdl-configuration', 'kdl-document.js');
const notices = inRoot('dist', 'THIRD-PARTY-NOTICES.txt');

/**
 * Puts kdljs into the module that uses it. Its parser comes in some seven hundred files, and to load them one by one took
 * longer than all else that a program does before it serves. Done again, it changes nothing.
 */
export const bundleKdlReader = async () => {
  const { rolldown } = await import('rolldown');
  const bundle = await rolldown({
    input: reader,
    cwd: dirname(reader),
    platform: 'node',
    // All else that the module imports stays as it is.
    external: (id, importer, isResolved) => !isResolved && importer === reader && id !== 'kdljs',
    logLevel: 'warn',
  });
  try {
    const { output } = await bundle.write({ file: reader, format: 'esm', comments: { legal: true } });
    writeNotices(output.flatMap((chunk) => ('moduleIds' in chunk ? chunk.moduleIds : [])));
  } finally {
    await bundle.close();
  }
};

/**
 * What the licences of the packages ask for that are in the bundle now.
 * @param {readonly string[]} files
 */
const writeNotices = (files) => {
  const packages = new Set(files.flatMap((file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? []));
  // The module was bundled before, and the notices are written.
  if (packages.size === 0) return;
  const texts = [...packages].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = ['LICENSE', 'LICENSE.md', 'LICENSE.txt'].map((each) => join(folder, each)).find(existsSync);
    return `${name} ${version} (${license})\n\n${file === undefined ? '' : readFileSync(file, 'utf8').trim()}\n`;
  });
  writeFileSync(notices, `${texts.join(`\n${'-'.repeat(80)}\n\n`)}`);
};
