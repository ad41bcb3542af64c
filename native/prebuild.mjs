// npm run native:prebuild: puts the addon for this platform where the package carries it.
import { copyFileSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { buildAddon, built, prebuilt } from './build.mjs';

const failure = await buildAddon();
if (failure === undefined) {
  mkdirSync(dirname(prebuilt), { recursive: true });
  copyFileSync(built, prebuilt);
  console.log(`wrote ${prebuilt}`);
} else {
  console.error(`the native socket layer was not built: ${failure}`);
  process.exitCode = 1;
}
