import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { copyAgentTypes } from './agent-types.mjs';
import { bundlePrograms } from './bundle-programs.mjs';
import { inRoot } from './paths.mjs';
import { runNode } from './run-tool.mjs';

/** Folders of dist that have no counterpart under src. */
const otherOutput = new Set(['bench', 'fuzz', 'programs', 'conformance', 'types'].map((name) => inRoot('dist', name)));

/** @param {string} compiled */
const hasSource = (compiled) => {
  const source = compiled.replace(inRoot('dist'), inRoot('src')).replace(/(?:\.d\.ts|\.js)(?:\.map)?$/, '.ts');
  return existsSync(source);
};

/** Removes what was compiled from files that are gone, so that it can neither be imported nor published. */
const prune = (folder = inRoot('dist')) => {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (otherOutput.has(path)) continue;
      prune(path);
      if (readdirSync(path).length === 0) rmSync(path, { recursive: true });
    } else if (/\.(?:js|d\.ts)(?:\.map)?$/.test(entry.name) && !hasSource(path)) rmSync(path);
  }
};

/** What the programs say they were built from: the commit, or nothing where there is no repository. */
const writeCommit = () => {
  const { status, stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: inRoot(), encoding: 'utf8' });
  writeFileSync(inRoot('dist', 'build-commit'), status === 0 ? stdout : '');
};

/** What plain tsc leaves to do: stale output goes, the types of the agent kit are copied, programs are bundled and become executable, the native socket layer is compiled, the commit is written down. */
export const finishBuild = async () => {
  prune();
  copyAgentTypes();
  await bundlePrograms();
  await runNode(inRoot('native', 'install.mjs'), []);
  writeCommit();
  const { bin } = JSON.parse(readFileSync(inRoot('package.json'), 'utf8'));
  for (const program of Object.values(bin)) if (existsSync(inRoot(program))) chmodSync(inRoot(program), 0o755);
};
