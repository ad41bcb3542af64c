import { describe, expect, it } from 'vitest';
import {
  displayedRoots,
  insidePaths,
  pathFrom,
  segmentsOfReference,
  shortenedPaths,
} from '../../../../../src/application/agent/policy-tools/read-referred-file.js';

const inside = (reference: string, caseFile: string): readonly string[] =>
  insidePaths(segmentsOfReference(reference), caseFile);
const shortened = (reference: string, caseFile: string): readonly string[] =>
  shortenedPaths(segmentsOfReference(reference), caseFile);

describe('insidePaths', () => {
  it('begins with the folder, and descends to that of the case', () => {
    expect(inside('tests/p.cedar', 'a/b/1.json')).toEqual(['tests/p.cedar', 'a/tests/p.cedar', 'a/b/tests/p.cedar']);
    expect(inside('./tests//p.cedar', '1.json')).toEqual(['tests/p.cedar']);
    expect(inside('tests\\p.cedar', '1.json')).toEqual(['tests/p.cedar']);
  });

  it('accepts a name that leaves the case folder, but never the corpus', () => {
    expect(inside('../data/e.json', 'tests/1.json')).toEqual(['data/e.json']);
    expect(inside('a/../e.json', 'tests/1.json')).toEqual(['tests/e.json']);
    expect(inside('../../etc/e.json', 'tests/1.json')).toEqual([]);
    expect(pathFrom('..', segmentsOfReference('../e.json'))).toEqual([]);
    expect(shortened('../../etc/e.json', 'tests/1.json')).toEqual([]);
  });
});

describe('shownRoots', () => {
  const roots = (references: readonly string[], folder: string): readonly string[] =>
    displayedRoots(references.map(segmentsOfReference), segmentsOfReference(folder));

  it('are the roots from which the references of the case resolve', () => {
    expect(roots(['tests/multi/p.cedar', 'data/e.json'], '/x/tests')).toEqual(['..']);
    expect(roots(['tests/multi/p.cedar'], '/x/tests/multi')).toEqual(['../..']);
    expect(roots(['tests/tests/p.cedar'], '/x/tests/tests')).toEqual(['../..', '..']);
  });

  it('are empty if no reference shows a root', () => {
    expect(roots(['corpus-tests/p.cedar'], '/tmp/flat')).toEqual([]);
    expect(roots(['multi/p.cedar'], '/x/tests')).toEqual([]);
    expect(roots(['tests'], '/x/tests')).toEqual([]);
    expect(roots(['a/b/c/d/e/f/g/p.cedar'], '/a/b/c/d/e/f/g')).toEqual([]);
  });
});

describe('shortenedPaths', () => {
  it('are only beside the case and in the folder', () => {
    expect(shortened('corpus-tests/abc.cedar', 'abc.json')).toEqual(['abc.cedar']);
    expect(shortened('a/b/e.json', 'x/y/1.json')).toEqual(['x/y/b/e.json', 'b/e.json', 'x/y/e.json', 'e.json']);
    expect(shortened('e.json', '1.json')).toEqual([]);
  });
});
