import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inRoot } from './paths.mjs';

const installStamp = inRoot('node_modules', '.portcullis-installed');
const buildStamp = inRoot('dist', '.portcullis-built');
const buildSettings = ['tsconfig.json', 'package-lock.json'];

/** @param {string} file */
const readOrEmpty = (file) => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
};

/** What the installed packages depend on: the lock file, and the machine that native ones were made for. */
const installedFor = () =>
  createHash('sha256')
    .update(readOrEmpty(inRoot('package-lock.json')))
    .update(`${process.platform} ${process.arch} ${process.versions.modules}`)
    .digest('hex');

/** What the build depends on: every source's name, size and time, so that a deleted or restored file counts too. */
const builtFrom = () => {
  const hash = createHash('sha256');
  /** @param {string} path */
  const addFile = (path) => {
    const { size, mtimeMs } = statSync(path);
    hash.update(`${path}\0${size}\0${mtimeMs}\n`);
  };
  /** @param {string} folder */
  const addFolder = (folder) => {
    const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) addFolder(path);
      else addFile(path);
    }
  };
  addFolder(inRoot('src'));
  addFolder(inRoot('scripts'));
  for (const name of buildSettings) addFile(inRoot(name));
  return hash.digest('hex');
};

/**
 * @param {string} file
 * @param {string} content
 */
const write = (file, content) => {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
};

export const isInstalled = () => readOrEmpty(installStamp) === installedFor();
export const markInstalled = () => write(installStamp, installedFor());
export const isBuilt = () => readOrEmpty(buildStamp) === builtFrom();

/** Takes the state of the sources before a build; calling the result after it marks that state as built. */
export const beginBuild = () => {
  const state = builtFrom();
  return () => write(buildStamp, state);
};
