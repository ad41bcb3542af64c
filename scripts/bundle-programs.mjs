import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inRoot } from './paths.mjs';

/** Where tsc puts the entry points. */
const compiled = ['gateway', 'agent'].map((wing) => inRoot('dist', 'bootstrap', wing));
const programs = inRoot('dist', 'programs');
const notices = inRoot('dist', 'THIRD-PARTY-NOTICES.txt');

/** Packages of many small modules that every start needs. All others are loaded from where they are installed. */
const bundled =
  /^(?:kdljs|chevrotain|@chevrotain|lodash-es|@bgotink|inversify|@inversifyjs|jose|commander|reflect-metadata)(?:\/|$)/;

/** A query language that kdljs builds a second parser for as it is loaded; nothing here uses it. */
const unused = /\/node_modules\/kdljs\/src\/(?:queryEngine|parser\/kql)\.js$/;

/** @param {string} id */
const isPackage = (id) => !id.startsWith('.') && !id.startsWith('/');

const entries = () =>
  Object.fromEntries(
    compiled.flatMap((folder) =>
      readdirSync(folder)
        .filter((name) => /^(?:main-.*|agent)\.js$/.test(name))
        .map((name) => [name.slice(0, -'.js'.length), join(folder, name)]),
    ),
  );

/**
 * Puts each program into a few files. Loading our modules and those of some packages one by one, more than a thousand,
 * took longer than all else that a program does before it serves.
 */
export const bundlePrograms = async () => {
  const { rolldown } = await import('rolldown');
  const bundle = await rolldown({
    input: entries(),
    cwd: inRoot(),
    platform: 'node',
    external: (id, _importer, isResolved) => !isResolved && isPackage(id) && !bundled.test(id),
    treeshake: { moduleSideEffects: [{ test: unused, sideEffects: false }] },
    logLevel: 'warn',
  });
  try {
    const { output } = await bundle.write({
      dir: programs,
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: 'part-[hash].js',
      comments: { legal: true },
    });
    // Only then, so that what starts meanwhile finds a program.
    const written = new Set(output.map(({ fileName }) => fileName));
    for (const name of readdirSync(programs)) if (!written.has(name)) rmSync(join(programs, name), { recursive: true });
    writeNotices(output.flatMap((chunk) => ('moduleIds' in chunk ? chunk.moduleIds : [])));
  } finally {
    await bundle.close();
  }
};

/**
 * What the licences of the packages ask for that are in the bundles.
 * @param {readonly string[]} files
 */
const writeNotices = (files) => {
  const packages = new Set(files.flatMap((file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? []));
  const texts = [...packages].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = ['LICENSE', 'LICENSE.md', 'LICENSE.txt'].map((each) => join(folder, each)).find(existsSync);
    return `${name} ${version} (${license})\n\n${file === undefined ? '' : readFileSync(file, 'utf8').trim()}\n`;
  });
  writeFileSync(notices, `${texts.join(`\n${'-'.repeat(80)}\n\n`)}`);
};
