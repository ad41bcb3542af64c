import { opendir, stat } from 'node:fs/promises';
import type { PolicyFile, PolicyFileFailure, PolicyFiles } from '../../../application/ports/agent/policy-files.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { explainFileError, readTextFile } from './read-text-file.js';

/** Octets of a policy file, at most. */
export const maximumPolicyFileOctets = 4 * 1024 * 1024;
/** Policy files of a folder, at most. */
export const maximumFolderFiles = 1_000;
/** Characters of all files of a folder together. */
export const maximumFolderCharacters = 64 * 1024 * 1024;
const ending = '.cedar';

type Read = Result<readonly PolicyFile[], readonly PolicyFileFailure[]>;

const failure = (name: string, reason: string): Result<never, readonly PolicyFileFailure[]> => err([{ name, reason }]);

/** Names of the policy files in a folder, in order; editors keep their own beside them, which begin with a dot. */
const policyNames = async (folder: string): Promise<Result<readonly string[], string>> => {
  const names: string[] = [];
  for await (const { name } of await opendir(folder)) {
    if (!name.endsWith(ending) || name.startsWith('.')) continue;
    if (names.length === maximumFolderFiles) return err(`holds more than ${maximumFolderFiles} files *${ending}`);
    names.push(name);
  }
  return names.length === 0 ? err(`is a folder without any file *${ending}`) : ok(names.sort());
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
    const text = await readTextFile(path, maximumPolicyFileOctets);
    if (!text.ok) {
      failures.push({ name: path, reason: text.error });
      continue;
    }
    characters += text.value.length;
    if (characters > maximumFolderCharacters) {
      return failure(folder, `holds more than ${maximumFolderCharacters} characters`);
    }
    files.push({ name: path, text: text.value });
  }
  return failures.length > 0 ? err(failures) : ok(files);
};

/** Reads policies from the file system; symbolic links are followed. */
export class NodePolicyFiles implements PolicyFiles {
  async read(path: string): Promise<Read> {
    try {
      if ((await stat(path)).isDirectory()) return await readFolder(path);
    } catch (error) {
      return failure(path, explainFileError(error));
    }
    const text = await readTextFile(path, maximumPolicyFileOctets);
    return text.ok ? ok([{ name: path, text: text.value }]) : failure(path, text.error);
  }
}
