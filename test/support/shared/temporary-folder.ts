import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder of its own for one test. */
export interface TemporaryFolder {
  readonly path: string;
  /** Writes a file and gives its path. */
  write(name: string, content: string): string;
  /** The path that a file of this name would have. */
  file(name: string): string;
  remove(): void;
}

/** Short, because a unix socket's path may have 107 octets at most. */
export const temporaryFolder = (): TemporaryFolder => {
  const path = mkdtempSync(join(tmpdir(), 'pc-'));
  const file = (name: string): string => join(path, name);
  return {
    path,
    file,
    write(name, content) {
      writeFileSync(file(name), content);
      return file(name);
    },
    remove() {
      rmSync(path, { recursive: true, force: true });
    },
  };
};
