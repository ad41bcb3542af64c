import { gunzipSync } from 'node:zlib';
import type { CorpusFiles } from '../../src/application/ports/corpus-files.js';
import { ok } from '../../src/domain/shared/result.js';

const foldersOf = (path: string): readonly string[] => {
  const names = path.split('/').slice(0, -1);
  return names.map((_, index) => names.slice(0, index + 1).join('/'));
};

/** A corpus in memory: texts by their path, which may begin with `../`. `folderNames`: of its folder, outermost first. */
export const corpusInMemory = (
  texts: ReadonlyMap<string, string>,
  folderNames: readonly string[] = [],
): CorpusFiles => {
  const folders = new Set([...texts.keys()].flatMap(foldersOf));
  return {
    folderNames,
    list: async () =>
      ok({
        files: [...texts.keys()].filter((path) => path.endsWith('.json') && !path.startsWith('../')),
        linkedFolders: [],
      }),
    hasFolder: async (path) => folders.has(path),
    read: async (path) => ok(texts.get(path) ?? null),
  };
};

const blockLength = 512;
const regularFile = '0';

const fieldOf = (header: Buffer, start: number, end: number): string => {
  const text = header.toString('latin1', start, end);
  const nul = text.indexOf('\0');
  return nul < 0 ? text : text.slice(0, nul);
};

/** The regular files of a .tar.gz in the plain ustar format (POSIX.1-1988), by name. */
export const readTarArchive = (archive: Buffer): ReadonlyMap<string, string> => {
  const tar = gunzipSync(archive);
  const files = new Map<string, string>();
  let offset = 0;
  while (offset + blockLength <= tar.length && tar[offset] !== 0) {
    const header = tar.subarray(offset, offset + blockLength);
    const size = Number.parseInt(fieldOf(header, 124, 136).trim(), 8);
    const start = offset + blockLength;
    const name = fieldOf(header, 0, 100).replace(/^\.\//, '');
    if (header.toString('latin1', 156, 157) === regularFile) files.set(name, tar.toString('utf8', start, start + size));
    offset = start + Math.ceil(size / blockLength) * blockLength;
  }
  return files;
};
