// The package's prepare step: npm runs it after `npm ci` and `npm install` in a clone, and before it packs.
import './node-floor.mjs';
import { existsSync } from 'node:fs';
import { toolPaths } from './paths.mjs';
import { build, SetUpError, setUpVariable } from './set-up.mjs';
import { markInstalled } from './stamps.mjs';

const installing = ['ci', 'install'].includes(process.env['npm_command'] ?? '');

if (process.env[setUpVariable] === undefined) {
  if (!existsSync(toolPaths.tsc)) {
    console.error('prepare: TypeScript is not installed (--omit=dev), so nothing was built');
  } else {
    try {
      await build();
      if (installing) markInstalled();
    } catch (error) {
      if (!(error instanceof SetUpError)) throw error;
      console.error(error.message);
      process.exitCode = 1;
    }
  }
}
