import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { type FileFault, readConfigurationText } from './configuration-file.js';

/** The source of configuration texts. */
export interface ConfigurationFiles {
  read(path: string, maximumBytes: number): Promise<Result<string, FileFault>>;
  /** A value that is equal for all paths to the same file. */
  identity(path: string): Promise<string>;
}

/** Reads files from the disk. */
export const filesOnDisk: ConfigurationFiles = {
  read: readConfigurationText,
  identity: (path) => realpath(path).catch(() => resolve(path)),
};

/** Serves texts of an earlier load, by path, without the disk. */
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
