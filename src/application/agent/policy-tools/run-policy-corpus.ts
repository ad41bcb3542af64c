import type { Entities } from '../../../domain/agent/policy/evaluate/authorization-request.js';
import { type CompiledPolicies, compilePolicies } from '../../../domain/agent/policy/evaluate/compile-policies.js';
import { decide } from '../../../domain/agent/policy/evaluate/decide.js';
import { entitiesFromJson } from '../../../domain/agent/policy/json/entities-from-json.js';
import {
  type ExactJson,
  type ExactJsonObject,
  isExactObject,
  kindOfJson,
  memberOf,
} from '../../../domain/agent/policy/json/exact-json.js';
import { parseExactJson } from '../../../domain/agent/policy/json/parse-exact-json.js';
import { contextFromJson } from '../../../domain/agent/policy/json/record-from-json.js';
import { uidFromJson } from '../../../domain/agent/policy/json/uid-from-json.js';
import { parsePolicies } from '../../../domain/agent/policy/parse/parse-policies.js';
import { type ExpectedValue, expectedOf } from '../../../domain/agent/policy/schema/expected-value.js';
import { parseSchema } from '../../../domain/agent/policy/schema/parse-schema.js';
import type { Schema } from '../../../domain/agent/policy/schema/schema.js';
import { sourceLines } from '../../../domain/agent/policy/source-lines.js';
import type { PolicyDialect } from '../../../domain/agent/policy/syntax-tree.js';
import { entityKey } from '../../../domain/agent/policy/values/entity-uid.js';
import type { EntityUid } from '../../../domain/agent/policy/values/value.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { CorpusFiles } from '../../ports/agent/policy-files.js';
import { isNameFor, type ReferredFile, type ReferringCase, readReferredFile } from './read-referred-file.js';

/** The decision about a request of a case. Policy ids are sorted by code unit. */
interface CorpusDecision {
  readonly decision: 'allow' | 'deny';
  readonly reason: readonly string[];
  readonly errors: readonly string[];
}

/** What all requests of a case share. */
interface LoadedCase {
  readonly policies: CompiledPolicies;
  readonly entities: Entities;
  readonly schema: Schema | null;
  /** Remarks about a case that can be evaluated. */
  readonly remarks: readonly string[];
}

/** The type of an action's context in the schema. */
const expectedContext = (action: EntityUid, schema: Schema | null): ExpectedValue | null => {
  const type = schema?.actions.get(entityKey(action))?.context ?? null;
  return schema === null || type === null ? null : expectedOf(schema, type);
};

/** Evaluates one request of a case. Reads only principal, action, resource and context. */
const evaluateRequest = (
  json: ExactJson,
  { policies, entities, schema }: LoadedCase,
): Result<CorpusDecision, string> => {
  if (!isExactObject(json)) return err(`a request is an object, not ${kindOfJson(json)}`);
  const principal = uidFromJson(memberOf(json, 'principal'));
  if (!principal.ok) return err(`principal: ${principal.error}`);
  const action = uidFromJson(memberOf(json, 'action'));
  if (!action.ok) return err(`action: ${action.error}`);
  const resource = uidFromJson(memberOf(json, 'resource'));
  if (!resource.ok) return err(`resource: ${resource.error}`);
  const context = contextFromJson(memberOf(json, 'context'), expectedContext(action.value, schema));
  if (!context.ok) return context;
  const { decision, reasons, errors } = decide(policies, {
    principal: principal.value,
    action: action.value,
    resource: resource.value,
    context: context.value,
    entities,
  });
  return ok({ decision, reason: reasons.toSorted(), errors: errors.map(({ policyId }) => policyId).toSorted() });
};

/** A test case without its expected results, which are not read. */
interface CaseFile {
  /** As in the case. */
  readonly policies: ExactJson | undefined;
  readonly entities: ExactJson | undefined;
  /** Undefined: the case names none. */
  readonly schema: ExactJson | undefined;
  readonly requests: readonly ExactJson[];
}

const caseKeys = ['policies', 'entities', 'requests'] as const;
const opensAnObject = /^\s*\{/;

const fromObject = (json: ExactJsonObject): Result<CaseFile | null, string> => {
  if (!caseKeys.every((key) => Object.hasOwn(json, key))) return ok(null);
  const requests = memberOf(json, 'requests');
  if (!Array.isArray(requests)) return err(`"requests" is an array, not ${kindOfJson(requests)}`);
  return ok({
    policies: memberOf(json, 'policies'),
    entities: memberOf(json, 'entities'),
    schema: memberOf(json, 'schema'),
    requests,
  });
};

/** Reads a file that may be a test case; null: another kind of file, such as entities or a schema. */
const readCaseFile = (text: string): Result<CaseFile | null, string> => {
  if (!opensAnObject.test(text)) return ok(null);
  const json = parseExactJson(text);
  if (json.ok) return isExactObject(json.value) ? fromObject(json.value) : ok(null);
  // A malformed file that looks like a case counts as one, so that no case is lost silently.
  return caseKeys.every((key) => text.includes(`"${key}"`)) ? json : ok(null);
};

/** The language of the specification, without this product's extensions. */
const dialect: PolicyDialect = 'cedar';

const compile = ({ path, text }: ReferredFile): Result<LoadedCase['policies'], string> => {
  const policies = parsePolicies(text, dialect);
  if (policies.ok) return ok(compilePolicies(policies.value, dialect));
  const [first] = policies.error;
  if (first === undefined) return err(`${path} cannot be parsed`);
  const { line, column } = sourceLines(text).positionAt(first.span.start);
  return err(`${path}:${line}:${column}: ${first.message}`);
};

const readEntities = ({ path, text }: ReferredFile, schema: Schema | null): Result<LoadedCase['entities'], string> => {
  const json = parseExactJson(text);
  const entities = json.ok ? entitiesFromJson(json.value, schema) : json;
  return entities.ok ? entities : err(`${path}: ${entities.error}`);
};

interface SchemaOfCase {
  readonly schema: Schema | null;
  readonly remarks: readonly string[];
}

const remarksOf = (...files: readonly ReferredFile[]): readonly string[] =>
  files.map(({ remark }) => remark).filter((remark) => remark !== null);

/**
 * A schema says how to read the values of entities and contexts. Many cases name a schema without needing it, so a
 * missing or unreadable schema is only a remark.
 */
const loadSchema = async (referring: ReferringCase, files: CorpusFiles): Promise<Result<SchemaOfCase, string>> => {
  const { schema } = referring.references;
  if (schema === undefined) return ok({ schema: null, remarks: [] });
  const file = await readReferredFile('schema', referring, files);
  if (!file.ok) {
    const isOtherFile = typeof schema === 'string' && !isNameFor('schema', schema);
    return isOtherFile ? file : ok({ schema: null, remarks: [`read without its schema: ${file.error}`] });
  }
  const read = parseSchema(file.value.text);
  if (read.ok) return ok({ schema: read.value, remarks: remarksOf(file.value) });
  const why = `read without its schema: ${file.value.path}: ${read.error}`;
  return ok({ schema: null, remarks: [...remarksOf(file.value), why] });
};

/** Loads the policies and entities of a case. The error is one clause that names the file. */
const loadCase = async (
  { policies, entities, schema }: CaseFile,
  path: string,
  files: CorpusFiles,
): Promise<Result<LoadedCase, string>> => {
  const referring: ReferringCase = { path, references: { policies, entities, schema } };
  const policyFile = await readReferredFile('policies', referring, files);
  if (!policyFile.ok) return policyFile;
  const compiled = compile(policyFile.value);
  if (!compiled.ok) return compiled;
  const schemaOfCase = await loadSchema(referring, files);
  if (!schemaOfCase.ok) return schemaOfCase;
  const entityFile = await readReferredFile('entities', referring, files);
  if (!entityFile.ok) return entityFile;
  const store = readEntities(entityFile.value, schemaOfCase.value.schema);
  if (!store.ok) return store;
  return ok({
    policies: compiled.value,
    entities: store.value,
    schema: schemaOfCase.value.schema,
    remarks: [...remarksOf(policyFile.value), ...schemaOfCase.value.remarks, ...remarksOf(entityFile.value)],
  });
};

/** The result of one request, or of a whole case if its requests cannot be separated. */
export type CorpusResult =
  | ({ readonly case: string; readonly request: number } & CorpusDecision)
  | { readonly case: string; readonly request: number; readonly error: string }
  | { readonly case: string; readonly error: string };

/** Receives the results of a run. */
export interface CorpusReport {
  /** Resolves when the next line may follow. */
  line(line: CorpusResult): Promise<void>;
  /** A case, or one of its requests, could not be evaluated. */
  complaint(text: string): void;
  /** A remark about the folder, or about a case that was evaluated. */
  remark(text: string): void;
  /** Files read, and their total number. */
  progress(done: number, total: number): void;
}

/** `failed`: cases with at least one request that could not be evaluated. */
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

/** Null: the file is not a case. */
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
 * Evaluates all requests of all cases of a corpus in the language of the specification, ordered by case name. Ignores
 * expected results. Holds one file at a time. The error: there is nothing to run.
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
