import { constants, realpathSync } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve, sep } from 'node:path';
import type { CorpusFiles, CorpusListing } from '../../../application/ports/agent/policy-files.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';

/** Octets of one file, at most. */
export const maximumCorpusFileOctets = 64 * 1024 * 1024;
/** *.json files of one folder, and links to folders in it, at most. */
const maximumFiles = 500_000;
/** Folders within each other, at most. */
const maximumFolderDepth = 32;

/** Folders that are remembered not to be there, at most. */
const maximumMissingFolders = 10_000;

const missing = new Set(['ENOENT', 'ENOTDIR']);

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown error';

const exists = (folder: string): Promise<boolean> =>
  stat(folder).then(
    () => true,
    () => false,
  );

/** The folder itself where a link to it is given: its own name and those above it tell where references begin. */
const itself = (folder: string): string => {
  try {
    return realpathSync(folder);
  } catch {
    return resolve(folder);
  }
};

/**
 * Reads a corpus from the file system. Links to folders are not followed, so that the search ends. A folder that is
 * not there is looked for once: every case of a large corpus has its files looked for in the same wrong places first.
 */
export class NodeCorpusFiles implements CorpusFiles {
  readonly #folder: string;
  readonly #missingFolders = new Set<string>();

  constructor(folder: string) {
    this.#folder = itself(folder);
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
        if (next.depth > maximumFolderDepth)
          return err(`has more than ${maximumFolderDepth} folders within each other`);
        for (const entry of await readdir(join(this.#folder, next.path), { withFileTypes: true })) {
          const path = next.path === '' ? entry.name : `${next.path}/${entry.name}`;
          if (entry.isDirectory()) folders.push({ path, depth: next.depth + 1 });
          else if (entry.isSymbolicLink() && (await this.hasFolder(path))) linkedFolders.push(path);
          else if (entry.name.endsWith('.json')) files.push(path);
        }
        if (files.length + linkedFolders.length > maximumFiles) return err(`has more than ${maximumFiles} files`);
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
      (facts) => facts.isDirectory(),
      () => false,
    );
  }

  async read(path: string): Promise<Result<string | null, string>> {
    if (isAbsolute(path)) return ok(null);
    const place = join(this.#folder, path);
    if (this.#missingFolders.has(dirname(place))) return ok(null);
    try {
      // Non-blocking, so that a FIFO without a writer cannot hold the run for ever.
      const file = await open(place, constants.O_RDONLY | constants.O_NONBLOCK);
      try {
        const facts = await file.stat();
        if (!facts.isFile()) return ok(null);
        if (facts.size > maximumCorpusFileOctets) return err(`is larger than ${maximumCorpusFileOctets} bytes`);
        return ok(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await file.readFile()));
      } finally {
        await file.close();
      }
    } catch (error) {
      if (error instanceof TypeError) return err('is not UTF-8');
      const code = codeOf(error);
      if (!missing.has(code)) return err(`cannot be read: ${code}`);
      await this.#noteMissing(dirname(place));
      return ok(null);
    }
  }

  async #noteMissing(folder: string): Promise<void> {
    if (this.#missingFolders.size < maximumMissingFolders && !(await exists(folder))) this.#missingFolders.add(folder);
  }
}
