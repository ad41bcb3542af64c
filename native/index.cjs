'use strict';

// Loads the socket layer: the one that was built here, or else the one that came with the package (the folders of
// node-gyp-build). Throws an error with code ERR_NATIVE_MISSING where neither loads.
const { join } = require('node:path');

const platform = `${process.platform}-${process.arch}`;
const candidates = [
  join(__dirname, 'build', 'Release', 'sockets.node'),
  join(__dirname, 'prebuilds', platform, 'sockets.napi.node'),
];

const load = () => {
  const reasons = [];
  for (const candidate of candidates) {
    try {
      return require(candidate);
    } catch (error) {
      reasons.push(error.code === 'MODULE_NOT_FOUND' ? `${candidate} does not exist` : error.message);
    }
  }
  const error = new Error(
    `the native socket layer is not available for ${platform}: ${reasons.join('; ')}. Run npm rebuild portcullis --ignore-scripts=false (in a clone: npm run build) where a C compiler is.`,
  );
  error.code = 'ERR_NATIVE_MISSING';
  throw error;
};

// By name, so that Node finds it for `import { open }`.
exports.open = load().open;
