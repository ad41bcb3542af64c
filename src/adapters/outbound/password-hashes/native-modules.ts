import { err, ok, type Result } from '../../../domain/shared/result.js';

/**
 * Modules with native code. Loaded on first use, so that platforms without them support everything
 * else.
 */
export const nativeModules = {
  bcrypt: () => import('@node-rs/bcrypt'),
  argon2: () => import('@node-rs/argon2'),
} as const;

export type NativeModules = typeof nativeModules;

/** Loads a native module. The error is one clause. */
export const loadModule = async <Module>(
  name: keyof NativeModules,
  load: () => Promise<Module>,
): Promise<Result<Module, string>> => {
  try {
    return ok(await load());
  } catch {
    return err(
      `the package @node-rs/${name} cannot be loaded on ${process.platform} ${process.arch}: ` +
        'reinstall with optional packages (npm install --include=optional)',
    );
  }
};
