import type { AgentOptions, EntrySource } from '../../../domain/agent/configuration/agent-configuration.js';
import { shownEntryFile } from '../../../domain/agent/configuration/credential-entries.js';
import type { AgentOptionProblem } from '../../../domain/configuration/agent-option-problem.js';
import type { TextFileReader } from '../../ports/shared/text-file-reader.js';
import { optionProblem } from './option-problem.js';

export interface ReadEntryFiles {
  /** By their paths. */
  readonly texts: ReadonlyMap<string, string>;
  readonly problems: readonly AgentOptionProblem[];
}

/** Reads the files that `@FILE` entries of lists name. */
export const readEntryFiles = async (options: AgentOptions, files: TextFileReader): Promise<ReadEntryFiles> => {
  const texts = new Map<string, string>();
  const problems: AgentOptionProblem[] = [];
  const read = async (option: AgentOptionProblem['option'], sources: readonly EntrySource[]) => {
    for (const [index, source] of sources.entries()) {
      if (source.kind !== 'file') continue;
      const { path } = source;
      const text = await files.read(path);
      // An empty text keeps the rules from reporting the same file once more.
      texts.set(path, text.ok ? text.value : '');
      if (text.ok) continue;
      problems.push(optionProblem('error', option, `entry ${index + 1}: ${shownEntryFile(path)} ${text.error}`));
    }
  };
  await read('api-keys', options.apiKeys ?? []);
  await read('basic-auth-users', options.basicAuthUsers ?? []);
  return { texts, problems };
};
