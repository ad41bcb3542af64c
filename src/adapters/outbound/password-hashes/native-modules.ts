import { err, ok, type Result } from '../../../domain/shared/result.js';

/**
 * The modules that are machine code. Each is loaded when a hash needs it and not before: a platform that has none of
 * them can do everything else.
 */
export const nativeModules = {
  bcrypt: () => import('@node-rs/bcrypt'),
  argon2: () => import('@node-rs/argon2'),
} as const;

export type NativeModules = typeof nativeModules;

/** The error is one clause. */
export const loadModule = async <Module>(
  name: keyof NativeModules,
  load: () => Promise<Module>,
): Promise<Result<Module, string>> => {
  try {
    return ok(await load());
  } catch {
    return err(
      `the package @node-rs/${name} cannot be loaded on ${process.platform} ${process.arch}: ` +
        'install the program again with its optional packages (npm install --include=optional)',
    );
  }
};
