import { compilePolicies } from '../../../domain/agent/policy/evaluate/compile-policies.js';
import { entitiesFromJson } from '../../../domain/agent/policy/json/entities-from-json.js';
import { parseExactJson } from '../../../domain/agent/policy/json/parse-exact-json.js';
import { parsePolicies } from '../../../domain/agent/policy/parse/parse-policies.js';
import { parseSchema } from '../../../domain/agent/policy/schema/parse-schema.js';
import type { Schema } from '../../../domain/agent/policy/schema/schema.js';
import { sourceLines } from '../../../domain/agent/policy/source-lines.js';
import type { PolicyDialect } from '../../../domain/agent/policy/syntax-tree.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { CorpusFiles } from '../../ports/agent/corpus-files.js';
import type { CaseFile } from './case-file.js';
import type { LoadedCase } from './evaluate-request.js';
import { isNameFor, type ReferredFile, type ReferringCase, readReferredFile } from './read-referred-file.js';

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
  readonly remarks: readonly string[];
}

const remarksOf = (...files: readonly ReferredFile[]): readonly string[] =>
  files.map(({ remark }) => remark).filter((remark) => remark !== null);

/**
 * A schema tells how the values of entities and contexts are to be read. Many cases name one and say all of that themselves,
 * so that a schema that is not there or cannot be read is worth a remark and no more.
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

/** Reads what the requests of a case are decided by. The error is one clause, with the file that it is about. */
export const loadCase = async (
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
