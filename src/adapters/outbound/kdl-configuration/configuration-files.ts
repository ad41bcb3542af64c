import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { type FileFault, readConfigurationText } from './configuration-file.js';

/** Where the texts of a configuration come from. */
export interface ConfigurationFiles {
  read(path: string, maximumBytes: number): Promise<Result<string, FileFault>>;
  /** What two paths have in common that lead to the same file. */
  identity(path: string): Promise<string>;
}

/** The files as they are now. */
export const filesOnDisk: ConfigurationFiles = {
  read: readConfigurationText,
  identity: (path) => realpath(path).catch(() => resolve(path)),
};

/**
 * Texts that were read before, by the path that they were read from. Nothing of the disk counts.
 */
export const givenFiles = (texts: ReadonlyMap<string, string>): ConfigurationFiles => ({
  async read(path, maximumBytes) {
    const text = texts.get(path);
    if (text === undefined) return err({ message: 'there is no such file', before: null });
    if (Buffer.byteLength(text) > maximumBytes) {
      return err({ message: `it is larger than ${maximumBytes} bytes`, before: null });
    }
    return ok(text);
  },
  identity: async (path) => resolve(path),
});
