import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from './documentation-examples.js';

/** Path of a file of the folder `deploy`. */
export const deployFile = (name: string): string => join(repositoryRoot, 'deploy', name);

export const readDeployFile = (name: string): string => readFileSync(deployFile(name), 'utf8');

/** Whether the repository has it; `path` is from its root. */
export const isInRepository = (path: string): boolean => existsSync(join(repositoryRoot, path));

/** A unit of systemd: the values of each key, in order, by section. */
export type UnitFile = ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>;

/** Reads a unit file as systemd.syntax(7) says, as far as those of the repository go: no lines that are continued. */
export const readUnit = (text: string): UnitFile => {
  const unit = new Map<string, Map<string, string[]>>();
  let section = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const [, name] = /^\[(\w+)\]$/.exec(line) ?? [];
    const [, key = '', value = ''] = /^(\w+)=(.*)$/.exec(line) ?? [];
    if (name !== undefined) {
      section = new Map();
      unit.set(name, section);
    } else if (key !== '' && !line.endsWith('\\')) {
      section.set(key, [...(section.get(key) ?? []), value]);
    } else {
      throw new Error(`not a line of a unit: ${line}`);
    }
  }
  return unit;
};

/** The one value of a key; fails where there is none, or more. */
export const valueIn = (unit: UnitFile, section: string, key: string): string => {
  const values = unit.get(section)?.get(key) ?? [];
  const [value, ...others] = values;
  if (value === undefined || others.length > 0)
    throw new Error(`${key} of [${section}] is there ${values.length} times`);
  return value;
};
