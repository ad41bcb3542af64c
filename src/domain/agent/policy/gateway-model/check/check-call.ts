import { isError } from '../../evaluate/evaluation-error.js';
import { extensionFunction } from '../../extensions/extension-functions.js';
import type { SourceSpan } from '../../source-lines.js';
import type { ModelReport } from '../model-report.js';
import { type ModelType, type PlainTypeName, plain, unknownType } from '../model-types.js';
import { describeType, kindName } from '../type-words.js';
import type { Operand } from './operand.js';

interface FunctionForm {
  readonly type: PlainTypeName;
  readonly example: string;
}

const forms: ReadonlyMap<string, FunctionForm> = new Map<string, FunctionForm>([
  ['decimal', { type: 'decimal', example: 'decimal("1.0")' }],
  ['ip', { type: 'ipaddr', example: 'ip("10.0.0.1") or ip("10.0.0.0/8")' }],
  ['datetime', { type: 'datetime', example: 'datetime("2026-01-31T12:00:00Z")' }],
  ['duration', { type: 'duration', example: 'duration("1h30m")' }],
]);

/** Checks a function call: one string argument, valid if it is a constant. Returns the result type. */
export const checkCall = (
  name: string,
  operands: readonly Operand[],
  span: SourceSpan,
  report: ModelReport,
): ModelType => {
  const form = forms.get(name);
  if (form === undefined) return unknownType;
  const hint = `write it as in ${form.example}`;
  const [argument] = operands;
  if (argument === undefined || operands.length !== 1) {
    report.fails(span, `"${name}" takes one argument, not ${operands.length}`, hint);
    return plain(form.type);
  }
  const { type, expression } = argument;
  const kind = kindName(type);
  if (kind !== null && kind !== 'string') {
    report.fails(expression.span, `"${name}" takes a string, not a value of type ${describeType(type)}`, hint);
  }
  if (type.kind !== 'plain' || typeof type.constant !== 'string') return plain(form.type);
  const made = extensionFunction(name)?.([type.constant]);
  if (made === undefined) return plain(form.type);
  if (!isError(made)) return plain(form.type, { constant: made });
  report.fails(span, `this always fails: ${made.message}`, hint);
  return plain(form.type);
};
