import { describe, expect, it } from 'vitest';
import { candidatePaths } from '../../../../src/application/run-policy-corpus/candidate-paths.js';

describe('candidatePaths', () => {
  it('looks in the folder first, then below it, then above it, then without leading parts', () => {
    const paths = candidatePaths('tests/multi/p.cedar', 'cedar/tests/multi/1.json');
    expect(paths.slice(0, 5)).toEqual([
      'tests/multi/p.cedar',
      'cedar/tests/multi/p.cedar',
      'cedar/tests/tests/multi/p.cedar',
      'cedar/tests/multi/tests/multi/p.cedar',
      '../tests/multi/p.cedar',
    ]);
    expect(paths).toContain('../../tests/multi/p.cedar');
    expect(paths).toContain('cedar/tests/multi/p.cedar');
    expect(paths.indexOf('p.cedar')).toBeGreaterThan(paths.indexOf('../../tests/multi/p.cedar'));
  });

  it('finds what an archive has beside the case, its folder gone', () => {
    expect(candidatePaths('corpus-tests/abc.cedar', 'abc.json')).toContain('abc.cedar');
    expect(candidatePaths('corpus-tests/abc.cedar', 'unpacked/abc.json')).toContain('unpacked/abc.cedar');
  });

  it('looks for a shortened name nowhere above the folder', () => {
    expect(candidatePaths('a/b/entities.json', 'x/1.json').filter((path) => path.startsWith('../'))).toEqual(
      [1, 2, 3, 4, 5, 6].map((count) => `${'../'.repeat(count)}a/b/entities.json`),
    );
  });

  it('does not climb where a case says so', () => {
    expect(candidatePaths('../../etc/passwd', '1.json')).toContain('etc/passwd');
    expect(candidatePaths('/etc/passwd', '1.json').filter((path) => path.startsWith('/'))).toEqual([]);
    expect(candidatePaths('a/..', '1.json')).toEqual([]);
    expect(candidatePaths('', '1.json')).toEqual([]);
  });

  it('reads the separators of Windows', () => {
    expect(candidatePaths('tests\\p.cedar', '1.json')[0]).toBe('tests/p.cedar');
  });
});
