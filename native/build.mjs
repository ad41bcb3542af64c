import { spawn } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const folder = dirname(fileURLToPath(import.meta.url));
const require = createRequire(import.meta.url);

export const built = join(folder, 'build', 'Release', 'sockets.node');
export const prebuilt = join(folder, 'prebuilds', `${process.platform}-${process.arch}`, 'sockets.napi.node');

/** A build that takes longer waits for something, such as a download. */
const timeoutMs = 180_000;

const sources = () => [
  join(folder, 'binding.gyp'),
  join(folder, 'addon.c'),
  ...readdirSync(join(folder, 'core')).map((name) => join(folder, 'core', name)),
];

/** @param {string} addon */
const isCurrent = (addon) => {
  if (!existsSync(addon)) return false;
  const { mtimeMs } = statSync(addon);
  if (sources().some((source) => statSync(source).mtimeMs > mtimeMs)) return false;
  try {
    require(addon);
    return true;
  } catch {
    return false;
  }
};

/** Whether there is an addon that loads and is not older than its sources. */
export const isBuilt = () => isCurrent(built) || (!existsSync(built) && isCurrent(prebuilt));

/** The node-gyp that npm brings. */
const findNodeGyp = () => {
  const beside = join(dirname(dirname(process.execPath)), 'lib/node_modules/npm/node_modules/node-gyp/bin/node-gyp.js');
  return [process.env['npm_config_node_gyp'], beside].find((file) => file !== undefined && existsSync(file));
};

/** The folder with Node's headers; undefined where node-gyp has to fetch them. */
const findHeaders = () =>
  [process.env['npm_config_nodedir'], dirname(dirname(process.execPath))].find(
    (each) => each !== undefined && existsSync(join(each, 'include/node/node_api.h')),
  );

/**
 * Compiles the addon with node-gyp.
 * @returns {Promise<string | undefined>} why it failed
 */
export const buildAddon = () =>
  new Promise((resolve) => {
    const nodeGyp = findNodeGyp();
    if (nodeGyp === undefined) {
      resolve('node-gyp was not found: install npm');
      return;
    }
    const headers = findHeaders();
    const args = [nodeGyp, 'configure', 'build', ...(headers === undefined ? [] : [`--nodedir=${headers}`])];
    const child = spawn(process.execPath, args, {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: timeoutMs,
    });
    let output = '';
    /** @param {string} text */
    const keep = (text) => {
      output += text;
    };
    child.stdout.setEncoding('utf8').on('data', keep);
    child.stderr.setEncoding('utf8').on('data', keep);
    child.on('error', (error) => resolve(error.message));
    child.on('close', (code) => {
      const reason = /(?:error:|gyp ERR! stack Error:) *(\S.*)/.exec(output)?.[1];
      resolve(code === 0 ? undefined : (reason ?? `node-gyp ended with exit code ${code}`));
    });
  });
