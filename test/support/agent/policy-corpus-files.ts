import type { CorpusFiles } from '../../../src/application/ports/agent/policy-files.js';
import { ok } from '../../../src/domain/shared/result.js';

const foldersOf = (path: string): readonly string[] => {
  const names = path.split('/').slice(0, -1);
  return names.map((_, index) => names.slice(0, index + 1).join('/'));
};

/**
 * A corpus in memory: texts by their path, which may begin with `../`. `folderNames`: of its folder, outermost first.
 */
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
