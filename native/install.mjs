// The package's install step and a part of `npm run build`: compiles the socket layer where that is possible and
// necessary. Never fails, because the gateway runs without it.
import { buildAddon, isBuilt } from './build.mjs';

if (process.platform === 'linux' && !isBuilt()) {
  const failure = await buildAddon();
  if (failure !== undefined || !isBuilt())
    console.log(
      `portcullis: the native socket layer was not built (${failure ?? 'it does not load'}); node:net is used instead`,
    );
}
