import type { CorpusLine, CorpusReport } from '../../../src/application/agent/policy-tools/run-policy-corpus.js';

/** Keeps what a run of a corpus says. */
export class RecordedReport implements CorpusReport {
  readonly lines: CorpusLine[] = [];
  readonly complaints: string[] = [];
  readonly remarks: string[] = [];

  async line(line: CorpusLine): Promise<void> {
    this.lines.push(line);
  }

  complaint(text: string): void {
    this.complaints.push(text);
  }

  remark(text: string): void {
    this.remarks.push(text);
  }

  progress(): void {
    // Nobody watches.
  }
}
