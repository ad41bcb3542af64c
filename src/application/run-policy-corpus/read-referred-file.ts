import { type ExactJson, kindOfJson } from '../../domain/policy/json/exact-json.js';
import { err, ok, type Result } from '../../domain/shared/result.js';
import type { CorpusFiles } from '../ports/corpus-files.js';
import { candidatePaths } from './candidate-paths.js';

export interface ReferredFile {
  /** Where it was found. */
  readonly path: string;
  readonly text: string;
}

/** Reads a file that a case refers to, wherever it is found first. `key`: the key of the case that names it. */
export const readReferredFile = async (
  key: string,
  reference: ExactJson | undefined,
  caseFile: string,
  files: CorpusFiles,
): Promise<Result<ReferredFile, string>> => {
  if (typeof reference !== 'string') return err(`"${key}" is the path of a file, not ${kindOfJson(reference)}`);
  for (const path of candidatePaths(reference, caseFile)) {
    const text = await files.read(path);
    if (!text.ok) return err(`${path} ${text.error}`);
    if (text.value !== null) return ok({ path, text: text.value });
  }
  return err(`${reference} (${key}) was found nowhere`);
};
