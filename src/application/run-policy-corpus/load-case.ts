import { compilePolicies } from '../../domain/policy/evaluate/compile-policies.js';
import { entitiesFromJson } from '../../domain/policy/json/entities-from-json.js';
import { parseExactJson } from '../../domain/policy/json/parse-exact-json.js';
import { parsePolicies } from '../../domain/policy/parse/parse-policies.js';
import { parseSchema } from '../../domain/policy/schema/parse-schema.js';
import type { Schema } from '../../domain/policy/schema/schema.js';
import { sourceLines } from '../../domain/policy/source-lines.js';
import type { PolicyDialect } from '../../domain/policy/syntax-tree.js';
import { err, ok, type Result } from '../../domain/shared/result.js';
import type { CorpusFiles } from '../ports/corpus-files.js';
import type { CaseFile } from './case-file.js';
import type { LoadedCase } from './evaluate-request.js';
import { type ReferredFile, readReferredFile } from './read-referred-file.js';

/** The language of the specification, without the additions of this product. */
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
  /** Why there is none although the case names one; null where that is not so. */
  readonly remark: string | null;
}

/**
 * A schema tells how the values of entities and contexts are to be read. Many cases name one and say all of that themselves,
 * so that a schema that cannot be read is worth a remark and no more.
 */
const loadSchema = async ({ schema }: CaseFile, caseFile: string, files: CorpusFiles): Promise<SchemaOfCase> => {
  if (schema === undefined) return { schema: null, remark: null };
  const file = await readReferredFile('schema', schema, caseFile, files);
  const read = file.ok ? parseSchema(file.value.text) : file;
  if (read.ok) return { schema: read.value, remark: null };
  return { schema: null, remark: `read without its schema: ${file.ok ? `${file.value.path}: ` : ''}${read.error}` };
};

/** Reads what the requests of a case are decided by. The error is one clause, with the file that it is about. */
export const loadCase = async (
  file: CaseFile,
  caseFile: string,
  files: CorpusFiles,
): Promise<Result<LoadedCase, string>> => {
  const policyFile = await readReferredFile('policies', file.policies, caseFile, files);
  if (!policyFile.ok) return policyFile;
  const policies = compile(policyFile.value);
  if (!policies.ok) return policies;
  const { schema, remark } = await loadSchema(file, caseFile, files);
  const entityFile = await readReferredFile('entities', file.entities, caseFile, files);
  if (!entityFile.ok) return entityFile;
  const entities = readEntities(entityFile.value, schema);
  if (!entities.ok) return entities;
  return ok({ policies: policies.value, entities: entities.value, schema, remark });
};
