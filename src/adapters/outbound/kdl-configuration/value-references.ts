import { dirname, resolve } from 'node:path';
import type { Document, Entry, Node } from '@bgotink/kdl';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { readConfigurationText } from './configuration-file.js';
import type { Complain } from './kdl-fault.js';
import { entryOffset } from './source-text.js';

/** The resolved texts of variables and files, by entry; null: unresolved. */
export type ResolvedReferences = ReadonlyMap<Entry, string | null>;

/** Variables, as in `process.env`; null: references are not resolved, and their values are unknown. */
export type Environment = Readonly<Record<string, string | undefined>> | null;

const maximumFileBytes = 1_048_576;
/** Largest number of references in one file. */
const maximumReferences = 1000;

function* entriesOf(nodes: readonly Node[]): Generator<Entry> {
  for (const node of nodes) {
    yield* node.entries;
    if (node.children !== null) yield* entriesOf(node.children.nodes);
  }
}

const resolveReference = async (
  tag: string,
  target: string,
  directory: string,
  environment: NonNullable<Environment>,
): Promise<Result<string, string>> => {
  if (tag === 'env') {
    const value = Object.hasOwn(environment, target) ? environment[target] : undefined;
    return value === undefined ? err(`the environment variable ${target} is not set`) : ok(value);
  }
  const path = resolve(directory, target);
  const read = await readConfigurationText(path, maximumFileBytes);
  if (!read.ok) return err(`the file ${target} is unreadable: ${read.error.message}`);
  return ok(read.value.replace(/\r?\n$/, ''));
};

/** Resolves every `(env)"NAME"` and `(file)"/path"`. Paths are relative to the file with the reference. */
export const resolveReferences = async (
  document: Document,
  file: string,
  environment: Environment,
  complain: Complain,
): Promise<ResolvedReferences> => {
  const resolved = new Map<Entry, string | null>();
  let count = 0;
  for (const entry of entriesOf(document.nodes)) {
    const tag = entry.getTag();
    if (tag === null) continue;
    const target = entry.getValue();
    const offset = entryOffset(entry);
    resolved.set(entry, null);
    if (tag !== 'env' && tag !== 'file') {
      complain(offset, `unknown type annotation (${tag.slice(0, 40)})`, 'use (env)"NAME" or (file)"/path"');
    } else if (typeof target !== 'string' || target === '' || target.includes('\0')) {
      complain(offset, `(${tag}) needs a name in quotes`);
    } else if (count === maximumReferences) {
      complain(offset, `a file may refer to at most ${maximumReferences} variables and files`);
      count += 1;
    } else if (count < maximumReferences && environment !== null) {
      count += 1;
      const value = await resolveReference(tag, target, dirname(file), environment);
      if (value.ok) resolved.set(entry, value.value);
      else complain(offset, value.error);
    }
  }
  return resolved;
};
