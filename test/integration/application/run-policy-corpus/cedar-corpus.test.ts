import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { NodeCorpusFiles } from '../../../../src/adapters/outbound/node-corpus-files/node-corpus-files.js';
import type { CorpusFiles } from '../../../../src/application/ports/corpus-files.js';
import { type CorpusLine, runPolicyCorpus } from '../../../../src/application/run-policy-corpus/run-policy-corpus.js';
import { corpusInMemory, readTarArchive } from '../../../support/policy-corpus-files.js';
import { RecordedReport } from '../../../support/policy-corpus-report.js';

const folder = fileURLToPath(new URL('../../../corpus/cedar/', import.meta.url));

interface ExpectedRequest {
  readonly decision: string;
  readonly reason: readonly string[];
  readonly errors: readonly string[];
}

/** What a case expects of its requests, as lines of the command. */
const expectedLines = (name: string, text: string): readonly CorpusLine[] =>
  (JSON.parse(text).requests as readonly ExpectedRequest[]).map(({ decision, reason, errors }, request) => ({
    case: name,
    request,
    decision: decision === 'allow' ? 'allow' : 'deny',
    reason: reason.toSorted(),
    errors: errors.toSorted(),
  }));

const run = async (files: CorpusFiles): Promise<RecordedReport> => {
  const report = new RecordedReport();
  const totals = await runPolicyCorpus(files, report);
  expect(report.complaints).toEqual([]);
  expect(report.remarks).toEqual([]);
  expect(totals).toMatchObject({ ok: true, value: { failed: 0 } });
  return report;
};

describe('the test cases of the Cedar project', () => {
  it('come to what the hand-written ones expect', async () => {
    const { lines } = await run(new NodeCorpusFiles(folder));
    const names = [...new Set(lines.map((line) => line.case))];
    const expected = names.flatMap((name) => expectedLines(name, readFileSync(join(folder, `${name}.json`), 'utf8')));
    expect(names.length).toBe(22);
    expect(lines).toEqual(expected);
  });

  it('come to what the generated ones expect', async () => {
    const texts = readTarArchive(readFileSync(join(folder, 'corpus-tests-part.tar.gz')));
    const { lines } = await run(corpusInMemory(texts));
    const caseFiles = [...texts].filter(([path]) => /^[0-9a-f]+\.json$/.test(path)).sort();
    const expected = caseFiles.flatMap(([path, text]) => expectedLines(path.replace('.json', ''), text));
    expect(expected.length).toBe(23_672);
    expect(lines.filter((line, index) => JSON.stringify(line) !== JSON.stringify(expected[index]))).toEqual([]);
    expect(lines.length).toBe(expected.length);
  });
});
