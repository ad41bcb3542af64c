import { describe, expect, it } from 'vitest';
import {
  type ReferringCase,
  readReferredFile,
} from '../../../../../src/application/agent/policy-tools/read-referred-file.js';
import { corpusInMemory } from '../../../../support/agent/policy-corpus-files.js';

/** Where the policies or entities of a case are read from; the texts of the files are their paths. */
const found = async (
  files: readonly string[],
  folder: string,
  {
    key = 'policies' as 'policies' | 'entities' | 'schema',
    path = '1.json',
    ...named
  }: Record<string, string> & {
    readonly key?: 'policies' | 'entities' | 'schema';
  },
): Promise<unknown> => {
  const references = { policies: named['policies'], entities: named['entities'], schema: named['schema'] };
  const referring: ReferringCase = { path, references };
  const corpus = corpusInMemory(new Map(files.map((file) => [file, file])), folder.split('/'));
  const file = await readReferredFile(key, referring, corpus);
  if (!file.ok) return file.error;
  expect(file.value.text).toBe(file.value.path);
  return file.value.remark === null ? file.value.path : { remark: file.value.remark };
};

describe('readReferredFile', () => {
  it('prefers a flat copy over a stale folder beside it', async () => {
    const files = ['1.json', 'abc.cedar', '../corpus-tests/abc.cedar'];
    expect(await found(files, 'tmp/flat', { policies: 'corpus-tests/abc.cedar' })).toBe('abc.cedar');
  });

  it('prefers a file in the folder over one above it', async () => {
    const files = ['tests/p.cedar', '../tests/p.cedar'];
    expect(await found(files, 'x/tests', { policies: 'tests/p.cedar' })).toBe('tests/p.cedar');
  });

  it('finds every file from the root of a reference, without a remark', async () => {
    const files = ['../tests/multi/p.cedar', '../sample-data/e.json', 'e.json'];
    const named = { path: 'multi/1.json', policies: 'tests/multi/p.cedar', entities: 'sample-data/e.json' };
    expect(await found(files, 'x/tests', named)).toBe('../tests/multi/p.cedar');
    expect(await found(files, 'x/tests', { ...named, key: 'entities' })).toBe('../sample-data/e.json');
  });

  it.each([
    ['in the folder', ['sample-data/box/other.cedar', 'p.cedar'], 'x/corpus'],
    ['in the root', ['../sample-data/box/other.cedar', 'p.cedar'], 'x/tests'],
  ])('takes no other file of the same name if the named folder exists, %s', async (_, files, folder) => {
    const named = { policies: 'sample-data/box/p.cedar', entities: 'tests/e.json' };
    expect(await found(files, folder, named)).toBe('sample-data/box/p.cedar (policies) was not found');
  });

  it('remarks on a file from outside, and goes no higher than the grandparent', async () => {
    const named = { policies: 'data/p.cedar' };
    const remark = '(policies) is used, from outside the folder';
    expect(await found(['../data/p.cedar'], 'x/y', named)).toEqual({ remark: `../data/p.cedar ${remark}` });
    expect(await found(['../../data/p.cedar'], 'x/y', named)).toEqual({ remark: `../../data/p.cedar ${remark}` });
    expect(await found(['../../../data/p.cedar'], 'x/y/z', named)).toMatch(/was not found$/);
    expect(await found(['../p.cedar'], 'x/y', { policies: 'p.cedar' })).toMatch(/was not found$/);
    expect(await found(['../p.cedar'], 'x/y', { policies: '../p.cedar' })).toMatch(/was not found$/);
  });

  it.each([
    ['policies', 'etc/passwd', '"policies" is the path of a file *.cedar, not etc/passwd'],
    ['policies', 'p.json', '"policies" is the path of a file *.cedar, not p.json'],
    ['entities', 'p.cedar', '"entities" is the path of a file *.json, not p.cedar'],
    ['schema', 'p.cedar', '"schema" is the path of a file *.cedarschema or *.json, not p.cedar'],
  ] as const)('opens no file for %s under another name: %s', async (key, reference, error) => {
    expect(await found([reference, `../${reference}`], 'x/etc', { key, [key]: reference })).toBe(error);
  });

  it('shows only the beginning of a long name', async () => {
    const error = await found([], 'x', { policies: `${'a/'.repeat(1_000_000)}p.cedar` });
    expect(String(error).length).toBeLessThan(200);
  });
});
