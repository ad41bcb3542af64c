import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { CorpusFiles } from '../../ports/agent/corpus-files.js';
import { type CaseFile, readCaseFile } from './case-file.js';
import { type CorpusDecision, evaluateRequest } from './evaluate-request.js';
import { loadCase } from './load-case.js';

/** What is said of one request; of a whole case where its requests cannot be told apart. */
export type CorpusLine =
  | ({ readonly case: string; readonly request: number } & CorpusDecision)
  | { readonly case: string; readonly request: number; readonly error: string }
  | { readonly case: string; readonly error: string };

/** Takes what comes of a run. */
export interface CorpusReport {
  /** Resolves once there is room for another. */
  line(line: CorpusLine): Promise<void>;
  /** A case, or a request of it, could not be evaluated. */
  complaint(text: string): void;
  /** Something about the folder, or a case that was evaluated, is worth knowing. */
  remark(text: string): void;
  /** Files looked at, of all. */
  progress(done: number, total: number): void;
}

/** `failed`: cases that could not be evaluated, or not every request of them. */
export interface CorpusTotals {
  readonly cases: number;
  readonly failed: number;
}

interface FoundCase {
  /** The path of the file, without `.json`. */
  readonly name: string;
  readonly path: string;
}

const suffix = '.json';

const byName = (paths: readonly string[]): readonly FoundCase[] =>
  paths
    .map((path) => ({ name: path.slice(0, -suffix.length), path }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));

const runRequests = async (
  { name, path }: FoundCase,
  file: CaseFile,
  files: CorpusFiles,
  report: CorpusReport,
): Promise<boolean> => {
  const loaded = await loadCase(file, path, files);
  if (!loaded.ok) report.complaint(`${name}: ${loaded.error}`);
  else for (const remark of loaded.value.remarks) report.remark(`${name}: ${remark}`);
  let isWhole = loaded.ok;
  for (const [request, json] of file.requests.entries()) {
    const decision = loaded.ok ? evaluateRequest(json, loaded.value) : loaded;
    if (decision.ok) await report.line({ case: name, request, ...decision.value });
    else {
      if (loaded.ok) report.complaint(`${name}: request ${request}: ${decision.error}`);
      isWhole = false;
      await report.line({ case: name, request, error: decision.error });
    }
  }
  return isWhole;
};

/** Null: the file is no case. */
const runFile = async (found: FoundCase, files: CorpusFiles, report: CorpusReport): Promise<boolean | null> => {
  const text = await files.read(found.path);
  const file = text.ok ? readCaseFile(text.value ?? '') : text;
  if (!file.ok) {
    report.complaint(`${found.name}: ${file.error}`);
    await report.line({ case: found.name, error: file.error });
    return false;
  }
  return file.value === null ? null : runRequests(found, file.value, files, report);
};

/**
 * Evaluates every request of every case of a corpus, in the order of the cases' names, by the language of the specification
 * alone. What a case expects is not read. One file is held at a time. The error: there is nothing to run.
 */
export const runPolicyCorpus = async (
  files: CorpusFiles,
  report: CorpusReport,
): Promise<Result<CorpusTotals, string>> => {
  const listed = await files.list();
  if (!listed.ok) return listed;
  let cases = 0;
  let failed = 0;
  const { files: paths, linkedFolders } = listed.value;
  for (const link of linkedFolders.toSorted()) report.remark(`${link} is a link to a folder, which is not followed`);
  for (const [index, found] of byName(paths).entries()) {
    const isWhole = await runFile(found, files, report);
    if (isWhole !== null) cases += 1;
    if (isWhole === false) failed += 1;
    report.progress(index + 1, paths.length);
  }
  if (cases > 0) return ok({ cases, failed });
  const links = linkedFolders.length > 0 ? ', save behind links to folders, which are not followed' : '';
  return err(`has no test case: no *.json with "policies", "entities" and "requests"${links}`);
};
