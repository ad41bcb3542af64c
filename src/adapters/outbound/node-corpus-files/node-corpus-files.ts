import { constants, realpathSync } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve, sep } from 'node:path';
import type { CorpusFiles, CorpusListing } from '../../../application/ports/agent/policy-files.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';

/** Maximum octets of one file. */
export const maxCorpusFileOctets = 64 * 1024 * 1024;
/** Maximum number of *.json files and links to folders. */
const maxFiles = 500_000;
/** Maximum depth of folders. */
const maxFolderDepth = 32;

/** Maximum number of missingCodes folders to remember. */
const maxMissingFolders = 10_000;

const missingCodes = new Set(['ENOENT', 'ENOTDIR']);

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown error';

const exists = (folder: string): Promise<boolean> =>
  stat(folder).then(
    () => true,
    () => false,
  );

/** The target of a link to a folder: references start with names of the real path. */
const resolvedFolder = (folder: string): string => {
  try {
    return realpathSync(folder);
  } catch {
    return resolve(folder);
  }
};

/**
 * Reads a corpus from the file system. Does not follow links to folders, so the search ends.
 * Remembers missing folders: all cases of a large corpus try the same wrong folders first.
 */
export class NodeCorpusFiles implements CorpusFiles {
  readonly #folder: string;
  readonly #missingFolders = new Set<string>();

  constructor(folder: string) {
    this.#folder = resolvedFolder(folder);
  }

  get folderNames(): readonly string[] {
    return this.#folder.split(sep).filter((name) => name !== '');
  }

  async list(): Promise<Result<CorpusListing, string>> {
    const files: string[] = [];
    const linkedFolders: string[] = [];
    const folders: { readonly path: string; readonly depth: number }[] = [{ path: '', depth: 0 }];
    try {
      for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
        if (next.depth > maxFolderDepth) return err(`has more than ${maxFolderDepth} nested folders`);
        for (const entry of await readdir(join(this.#folder, next.path), { withFileTypes: true })) {
          const path = next.path === '' ? entry.name : `${next.path}/${entry.name}`;
          if (entry.isDirectory()) folders.push({ path, depth: next.depth + 1 });
          else if (entry.isSymbolicLink() && (await this.hasFolder(path))) linkedFolders.push(path);
          else if (entry.name.endsWith('.json')) files.push(path);
        }
        if (files.length + linkedFolders.length > maxFiles) return err(`has more than ${maxFiles} files`);
      }
    } catch (error) {
      const code = codeOf(error);
      if (code === 'ENOENT') return err('does not exist');
      return err(code === 'ENOTDIR' ? 'is not a folder' : `cannot be read: ${code}`);
    }
    return ok({ files, linkedFolders });
  }

  hasFolder(path: string): Promise<boolean> {
    return stat(join(this.#folder, path)).then(
      (stats) => stats.isDirectory(),
      () => false,
    );
  }

  async read(path: string): Promise<Result<string | null, string>> {
    if (isAbsolute(path)) return ok(null);
    const place = join(this.#folder, path);
    if (this.#missingFolders.has(dirname(place))) return ok(null);
    try {
      // Non-blocking: a FIFO without a writer must not hang the run.
      const file = await open(place, constants.O_RDONLY | constants.O_NONBLOCK);
      try {
        const stats = await file.stat();
        if (!stats.isFile()) return ok(null);
        if (stats.size > maxCorpusFileOctets) return err(`is larger than ${maxCorpusFileOctets} bytes`);
        return ok(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await file.readFile()));
      } finally {
        await file.close();
      }
    } catch (error) {
      if (error instanceof TypeError) return err('is not UTF-8');
      const code = codeOf(error);
      if (!missingCodes.has(code)) return err(`cannot be read: ${code}`);
      await this.#rememberMissing(dirname(place));
      return ok(null);
    }
  }

  async #rememberMissing(folder: string): Promise<void> {
    if (this.#missingFolders.size < maxMissingFolders && !(await exists(folder))) this.#missingFolders.add(folder);
  }
}
