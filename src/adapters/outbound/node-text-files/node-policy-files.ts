import { opendir, stat } from 'node:fs/promises';
import type { PolicyFile, PolicyFileFailure, PolicyFiles } from '../../../application/ports/agent/policy-files.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { explainFileError, readTextFile } from './read-text-file.js';

/** Maximum octets of a policy file. */
export const maxPolicyFileOctets = 4 * 1024 * 1024;
/** Maximum number of policy files in a folder. */
export const maxFolderFiles = 1_000;
/** Maximum total characters of a folder's files. */
export const maxFolderCharacters = 64 * 1024 * 1024;
const extension = '.cedar';

type Read = Result<readonly PolicyFile[], readonly PolicyFileFailure[]>;

const failure = (name: string, reason: string): Result<never, readonly PolicyFileFailure[]> => err([{ name, reason }]);

/** Sorted names of the policy files in a folder. Skips hidden files, which editors create. */
const policyNames = async (folder: string): Promise<Result<readonly string[], string>> => {
  const names: string[] = [];
  for await (const { name } of await opendir(folder)) {
    if (!name.endsWith(extension) || name.startsWith('.')) continue;
    if (names.length === maxFolderFiles) return err(`holds more than ${maxFolderFiles} *${extension} files`);
    names.push(name);
  }
  return names.length === 0 ? err(`is a folder without *${extension} files`) : ok(names.sort());
};

const readFolder = async (folder: string): Promise<Read> => {
  const names = await policyNames(folder);
  if (!names.ok) return failure(folder, names.error);
  const files: PolicyFile[] = [];
  const failures: PolicyFileFailure[] = [];
  const base = folder.endsWith('/') ? folder : `${folder}/`;
  let characters = 0;
  for (const name of names.value) {
    const path = `${base}${name}`;
    const text = await readTextFile(path, maxPolicyFileOctets);
    if (!text.ok) {
      failures.push({ name: path, reason: text.error });
      continue;
    }
    characters += text.value.length;
    if (characters > maxFolderCharacters) {
      return failure(folder, `holds more than ${maxFolderCharacters} characters`);
    }
    files.push({ name: path, text: text.value });
  }
  return failures.length > 0 ? err(failures) : ok(files);
};

/** Reads policies from the file system. Follows symbolic links. */
export class NodePolicyFiles implements PolicyFiles {
  async read(path: string): Promise<Read> {
    try {
      if ((await stat(path)).isDirectory()) return await readFolder(path);
    } catch (error) {
      return failure(path, explainFileError(error));
    }
    const text = await readTextFile(path, maxPolicyFileOctets);
    return text.ok ? ok([{ name: path, text: text.value }]) : failure(path, text.error);
  }
}
